//! Where a source is: its URI, a form that is safe to show, and the key that names the place for good.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::report::{Fault, Report};

/// Names the place of one source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Location {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A directory that holds states in files, as Meltano lays them out.
    Directory(PathBuf),
}

/// Names a source's place for good, without secrets: what the journal finds a source's operations by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceKey(String);

impl SourceKey {
    /// Takes the key's text: the kind, `:`, and the canonical place.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Gives its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The schemes that stand for a store that this version does not open.
const KNOWN_ELSEWHERE: [&str; 9] = [
    "postgresql",
    "postgres",
    "s3",
    "gs",
    "azure",
    "silverback",
    "plugin",
    "mysql",
    "mssql",
];

impl Location {
    /// Reads a URI; gives `None` for a text that is no URI, which is then a path.
    ///
    /// Follows SQLAlchemy 2.0.58, which Meltano 4.4.1 uses: `sqlite:///rel.db` is relative to `base` (the working directory),
    /// `sqlite:////abs.db` absolute; the path is not percent-decoded; what follows `?` are arguments of the driver.
    pub fn parse(text: &str, base: &Path) -> Option<Result<Self, Report>> {
        let (scheme, rest) = text.split_once(':')?;
        let name = scheme.split('+').next().unwrap_or(scheme);
        if name.eq_ignore_ascii_case("sqlite") && rest.starts_with("//") {
            return Some(sqlite(text, scheme, rest, base));
        }
        if scheme.eq_ignore_ascii_case("file") && rest.starts_with("//") {
            return Some(directory(text, rest));
        }
        let elsewhere = KNOWN_ELSEWHERE.iter().find(|known| **known == name);
        match elsewhere {
            Some(known) if rest.starts_with("//") => Some(Err(Report::new(
                Fault::Unsupported,
                format!("{known}:// sources cannot be opened by this version"),
            )
            .because("it reads SQLite system databases and state directories")
            .hint("name a SQLite file, `sqlite:///FILE`, a directory, `file:///DIR`, or a Meltano project whose database_uri is SQLite"))),
            _ if rest.starts_with("//") && is_scheme(scheme) => Some(Err(Report::new(
                Fault::Usage,
                format!("'{scheme}' is not a scheme of any source"),
            )
            .hint("sources are `sqlite:///FILE`, `file:///DIR` or a path"))),
            _ => None,
        }
    }

    /// Reads the `file:` URI of a state backend as Meltano 4.4.1 does; gives `None` for a URI of another scheme.
    ///
    /// The path is not percent-decoded; what follows `?` or `#` is no part of it, and a host before it is dropped. One that is
    /// not absolute is an error here: Meltano reads it from somewhere else than where it made it.
    pub fn of_state_backend(uri: &str) -> Option<Result<Self, Report>> {
        let (scheme, rest) = uri.split_once(':')?;
        if !scheme.eq_ignore_ascii_case("file") {
            return None;
        }
        Some(match path_of(rest) {
            (_, path) if path.starts_with('/') => Ok(Self::Directory(clean(path))),
            _ => Err(no_directory(uri, "its path does not begin with a slash")),
        })
    }

    /// Gives the URI, without secrets; this is what is shown and what JSON carries.
    pub fn uri(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:///{}", path.display()),
            Self::Directory(path) => format!("file://{}", path.display()),
        }
    }

    /// Gives the technology's name, as `sources` shows it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Directory(_) => "directory",
        }
    }
}

/// Splits what follows `file:` into host and path, as Python's `urlparse` does.
fn path_of(rest: &str) -> (&str, &str) {
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let rest = rest.get(..end).unwrap_or(rest);
    match rest.strip_prefix("//") {
        None => ("", rest),
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
    }
}

/// Leaves out what does not count in a path: slashes at its end and in a row.
fn clean(path: &str) -> PathBuf {
    Path::new(path).components().collect()
}

fn no_directory(uri: &str, why: &str) -> Report {
    Report::new(
        Fault::Usage,
        format!("the URI '{uri}' names no state directory"),
    )
    .because(why)
    .hint("write `file:///absolute/directory`")
}

fn directory(text: &str, rest: &str) -> Result<Location, Report> {
    match path_of(rest) {
        ("" | "localhost", path) if path.starts_with('/') => Ok(Location::Directory(clean(path))),
        ("", _) => Err(no_directory(text, "its path does not begin with a slash")),
        _ => Err(no_directory(
            text,
            "two slashes and then a name are a host; three slashes stand before a path",
        )),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn sqlite(text: &str, scheme: &str, rest: &str, base: &Path) -> Result<Location, Report> {
    let wrong = |why: &str| {
        Report::new(
            Fault::Usage,
            format!("the URI '{text}' names no SQLite file"),
        )
        .because(why)
        .hint("write `sqlite:///relative.db` or `sqlite:////absolute.db`")
    };
    if scheme != "sqlite" && scheme != "sqlite+pysqlite" {
        return Err(wrong(
            "the scheme is `sqlite` or `sqlite+pysqlite`, in small letters",
        ));
    }
    let Some(path) = rest.strip_prefix("///") else {
        return Err(wrong("three slashes stand before the path, and no host"));
    };
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    match path {
        "" | ":memory:" => Err(wrong(
            "a database in memory belongs to one process and cannot be read",
        )),
        path if path.starts_with("file:") => Err(wrong(
            "SQLite's own `file:` URIs are not taken; name the file itself",
        )),
        path => Ok(Location::Sqlite(base.join(path))),
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::report::printable(&self.uri()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("sqlite:///rel.db", "/base/rel.db")]
    #[case("sqlite:////abs/x.db", "/abs/x.db")]
    #[case("sqlite:///rel%20pct.db", "/base/rel%20pct.db")]
    #[case("sqlite:///x.db?timeout=3", "/base/x.db")]
    #[case("sqlite+pysqlite:///x.db", "/base/x.db")]
    fn sqlite_uris_follow_sqlalchemy(#[case] uri: &str, #[case] path: &str) {
        let location = Location::parse(uri, Path::new("/base")).unwrap().unwrap();
        assert_eq!(location, Location::Sqlite(PathBuf::from(path)));
    }

    #[rstest]
    #[case("file:///a/b", "/a/b", "/a/b")]
    #[case("file:///a//b/", "/a/b", "/a/b")]
    #[case("FILE:///a", "/a", "/a")]
    #[case("file://localhost/a", "/a", "/a")]
    #[case("file:///pct%20plus+", "/pct%20plus+", "/pct%20plus+")]
    #[case("file:///a?b=1#c", "/a", "/a")]
    #[case("file:///a#b", "/a", "/a")]
    #[case("file://host/a", "", "/a")]
    #[case("file://rel", "", "")]
    #[case("file://", "", "")]
    fn file_uris_follow_meltano(#[case] uri: &str, #[case] named: &str, #[case] of_project: &str) {
        let path = |location: Option<Result<Location, Report>>| match location.unwrap() {
            Ok(Location::Directory(path)) => path.display().to_string(),
            Ok(other) => panic!("{other:?}"),
            Err(report) => {
                assert_eq!(report.fault, Fault::Usage);
                String::new()
            }
        };
        assert_eq!(path(Location::parse(uri, Path::new("/base"))), named);
        assert_eq!(path(Location::of_state_backend(uri)), of_project);
    }

    #[rstest]
    #[case("sqlite://", Fault::Usage)]
    #[case("sqlite:///:memory:", Fault::Usage)]
    #[case("SQLITE:///x.db", Fault::Usage)]
    #[case("sqlite://x.db", Fault::Usage)]
    #[case("sqlite:///file:x.db?mode=rwc&uri=true", Fault::Usage)]
    #[case("s3://bucket/state", Fault::Unsupported)]
    #[case("postgresql+psycopg://u:secret@h/db", Fault::Unsupported)]
    #[case("ftp://x", Fault::Usage)]
    fn other_uris_say_what_is_wrong(#[case] uri: &str, #[case] fault: Fault) {
        let error = Location::parse(uri, Path::new("/")).unwrap().unwrap_err();
        assert_eq!(error.fault, fault);
        assert!(!error.to_string().contains("secret"));
    }

    #[rstest]
    #[case("meltano.db")]
    #[case("./a:b")]
    #[case("/x/2026-11-30T00:00:00.db")]
    fn paths_are_no_uris(#[case] text: &str) {
        assert!(Location::parse(text, Path::new("/")).is_none());
    }
}
