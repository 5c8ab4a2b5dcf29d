//! Which sources a command asks, and which of them a state ID means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::nearest::Nearest;
use super::session::Session;
use crate::config::{Named, Origin};
use crate::domain::edit::Protected;
use crate::domain::history::Timeline;
use crate::domain::id::StateId;
use crate::domain::operation::Operation;
use crate::ops::{OpenSite, read};
use crate::project::{DecidedBy, Site, Surroundings, is_state_directory};
use crate::report::{Fault, Report, printable};
use futures_util::StreamExt;

/// Holds what the command line and the environment chose.
#[derive(Debug, Clone, Default)]
pub(super) struct Chosen {
    pub(super) sources: Vec<String>,
    pub(super) project: Option<PathBuf>,
    /// What stands before a write, wherever it goes.
    pub(super) guards: Guards,
    /// The sources that the configuration has names for.
    pub(super) names: BTreeMap<String, Named>,
}

/// Holds what is configured to stand before a write.
#[derive(Debug, Clone, Default)]
pub(super) struct Guards {
    /// Why no source is to be written to, if none is.
    pub(super) read_only: Option<String>,
    pub(super) protected: Protected,
}

/// Holds one source that can be asked.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// What the command line called it, else the site's name.
    pub(super) name: String,
    pub(super) open: OpenSite,
    /// Whether it is the project's that `--project` or the working directory names.
    is_project: bool,
    /// The words that choose it on a command line, each with a space before it; none for what is found without any.
    pub(super) words: String,
}

/// Holds the sources that can be asked, and why others cannot.
#[derive(Debug, Default)]
pub(super) struct Sites {
    sources: Vec<Source>,
    failed: Vec<Report>,
    guards: Guards,
    names: BTreeMap<String, Named>,
    is_named: bool,
}

/// Holds what a written state ID means.
#[derive(Debug, Clone)]
pub(super) struct Located {
    pub(super) source: Source,
    pub(super) id: StateId,
}

impl Source {
    fn new(name: Option<&str>, site: Site, guards: &Guards) -> Self {
        let words = name.map(|name| format!(" --source {}", shell_word(name)));
        Self {
            name: name.map_or_else(|| site.name.clone(), str::to_owned),
            open: OpenSite::new(site, guards.read_only.clone())
                .protecting(guards.protected.clone()),
            is_project: false,
            words: words.unwrap_or_default(),
        }
    }

    fn of_project(folder: Option<&Path>, site: Site, guards: &Guards) -> Self {
        let word = |folder: &Path| shell_word(&folder.display().to_string());
        let words = folder.map(|folder| format!(" --project {}", word(folder)));
        Self {
            is_project: true,
            words: words.unwrap_or_default(),
            ..Self::new(None, site, guards)
        }
    }
}

impl Sites {
    /// Finds the sources without opening any. A wrong name stops; what else fails is kept, so that the others are asked.
    pub(super) fn resolve(chosen: &Chosen, surroundings: &Surroundings) -> Result<Self, Report> {
        let guards = &chosen.guards;
        let mut found = Self {
            guards: guards.clone(),
            names: chosen.names.clone(),
            is_named: chosen.project.is_some() || !chosen.sources.is_empty(),
            ..Self::default()
        };
        if let Some(folder) = &chosen.project {
            let site = project(surroundings, folder);
            found.add(site.map(|site| Source::of_project(Some(folder), site, guards)))?;
        }
        for text in &chosen.sources {
            let site = found.source(text, surroundings);
            found.add(site.map(|site| Source::new(Some(text), site, guards)))?;
        }
        if !found.is_named {
            let site = surroundings.nearest();
            found.add(site.map(|site| Source::of_project(None, site, guards)))?;
        }
        Ok(found)
    }

    /// Finds what a SOURCE means: a name of the configuration comes before a path, which can be written `./NAME`.
    fn source(&self, text: &str, surroundings: &Surroundings) -> Result<Site, Report> {
        let Some(named) = self.names.get(text) else {
            return surroundings.source(text);
        };
        let there = Surroundings {
            directory: surroundings.directory.join(&named.base),
            variables: surroundings.variables.clone(),
        };
        let mut site = there.source(&named.source).map_err(|report| Report {
            message: format!("{} (named '{text}' by {})", report.message, named.origin),
            ..report
        })?;
        if let (DecidedBy::CommandLine, Origin::File { path, .. }) =
            (&site.states.decided_by, &named.origin)
        {
            text.clone_into(&mut site.name);
            let decided_by = DecidedBy::Setting(format!("sources.{text}"), path.clone());
            let runs = site.runs.iter_mut();
            for source in runs.chain([&mut site.states]) {
                source.decided_by = decided_by.clone();
            }
        }
        Ok(site)
    }

    fn add(&mut self, source: Result<Source, Report>) -> Result<(), Report> {
        match source {
            Ok(source) => {
                let place = |source: &Source| source.open.site.states.location.clone();
                let known = |other: &Source| place(other) == place(&source);
                if !self.sources.iter().any(known) {
                    self.sources.push(source);
                }
            }
            Err(report) if report.fault == Fault::Usage => return Err(report),
            Err(report) => self.failed.push(report),
        }
        Ok(())
    }

    /// Tells whether the command line or the environment named any source.
    pub(super) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Gives every site, or the first reason why one cannot be had.
    pub(super) fn into_every_site(mut self) -> Result<Vec<Site>, Report> {
        if self.failed.is_empty() {
            let sources = self.sources.into_iter();
            return Ok(sources.map(|source| source.open.site).collect());
        }
        Err(self.failed.swap_remove(0))
    }

    /// Finds the source that a text names: as the command line wrote it, by its URI, or by its own name.
    fn named(&self, text: &str) -> Result<Option<&Source>, Report> {
        let mut sources = self.sources.iter();
        let exactly = |source: &&Source| source.name == text || *source.open.source == *text;
        if let Some(source) = sources.find(exactly) {
            return Ok(Some(source));
        }
        let by_name = |source: &&Source| source.open.site.name == text;
        let mut found = self.sources.iter().filter(by_name);
        match (found.next(), found.next()) {
            (Some(one), Some(other)) => Err(Report::new(
                Fault::Usage,
                format!("'{text}' names several sources"),
            )
            .because(format!(
                "{} and {} are two of them",
                one.open.source, other.open.source
            ))
            .hint("write the source as you gave it to --source")),
            (one, _) => Ok(one),
        }
    }
}

fn project(surroundings: &Surroundings, folder: &Path) -> Result<Site, Report> {
    let folder = surroundings.directory.join(folder);
    if folder.join("meltano.yml").is_file() {
        return surroundings.project(&folder);
    }
    Err(Report::new(
        Fault::NotFound,
        format!("{} is no Meltano project", folder.display()),
    )
    .because("there is no meltano.yml in it")
    .hint("name the folder that holds meltano.yml, or a database by --source"))
}

impl Session {
    /// Gives the sources to ask, having said of the others why they cannot be asked.
    pub(super) fn sources(&mut self) -> Result<Vec<Source>, Report> {
        let mut failed = std::mem::take(&mut self.sites.failed);
        let first = if self.sites.sources.is_empty() && !failed.is_empty() {
            Some(failed.remove(0))
        } else {
            None
        };
        for report in &failed {
            self.miss(report);
        }
        match first {
            Some(report) => Err(report),
            None => Ok(self.sites.sources.clone()),
        }
    }

    /// Gives the one source that a command without a state ID means: the project's own, else the only one.
    pub(super) fn only_source(&mut self) -> Result<Source, Report> {
        let mut sources = self.sources()?;
        let own = sources.iter().position(|source| source.is_project);
        if let Some(place) = own.or((sources.len() == 1).then_some(0)) {
            return Ok(sources.swap_remove(place));
        }
        let names: Vec<&str> = sources.iter().map(|source| &*source.open.source).collect();
        let report = Report::new(Fault::Usage, "one command writes to one source");
        Err(report
            .because(format!("{} were named", names.join(" and ")))
            .hint("name one of them by --source"))
    }

    /// Finds the source that `SOURCE::STATE_ID` names; `None` for a bare ID.
    pub(super) fn qualified(&self, text: &str) -> Result<Option<Located>, Report> {
        for (at, separator) in text.match_indices("::") {
            let (name, rest) = text.split_at(at);
            let id = rest.get(separator.len()..).unwrap_or_default();
            if let Some(source) = self.source_named(name)? {
                let id = StateId::from(id);
                return Ok(Some(Located { source, id }));
            }
        }
        Ok(None)
    }

    fn source_named(&self, name: &str) -> Result<Option<Source>, Report> {
        if let Some(source) = self.sites.named(name)? {
            return Ok(Some(source.clone()));
        }
        let place = self.surroundings.directory.join(name);
        let is_place = name.starts_with(['.', '/']) || name.contains("://");
        let is_source = place.is_file()
            || place.join("meltano.yml").is_file()
            || is_state_directory(&place)
            || self.sites.names.contains_key(name);
        if name.is_empty() || !(is_place || is_source) {
            return Ok(None);
        }
        let site = self.sites.source(name, &self.surroundings)?;
        Ok(Some(Source::new(Some(name), site, &self.sites.guards)))
    }

    /// Gives the source that an operation wrote to, where no command line names it.
    pub(super) fn source_of_operation(&self, operation: &Operation) -> Result<Source, Report> {
        let name = &operation.source_name;
        let mut site = self.surroundings.source(name)?;
        site.states.decided_by = DecidedBy::Operation(operation.id.0);
        Ok(Source::new(Some(name), site, &self.sites.guards))
    }

    /// Finds the source that a state ID means; `None` when several were asked and none has it.
    ///
    /// Of one source nothing is read for that. Of several, a project's own comes first, else the only one that has the ID.
    pub(super) async fn locate(&mut self, text: &str) -> Result<Option<Located>, Report> {
        if let Some(located) = self.qualified(text)? {
            return Ok(Some(located));
        }
        let id = StateId::from(text);
        let mut sources = self.sources()?;
        let own = sources.iter().position(|source| source.is_project);
        if let Some(place) = own.or((sources.len() == 1).then_some(0)) {
            let source = sources.swap_remove(place);
            return Ok(Some(Located { source, id }));
        }
        let mut having = Vec::new();
        for source in sources {
            match has(&source.open, &id).await {
                Ok(true) => having.push(source),
                Ok(false) => {}
                Err(report) => self.miss(&report),
            }
        }
        if having.len() > 1 {
            return Err(ambiguous(&id, &having));
        }
        let source = having.pop();
        Ok(source.map(|source| Located { source, id }))
    }

    /// Finds a job and reads its timeline, having said what is to be known of its source and of earlier operations on it.
    pub(super) async fn timeline_of(&mut self, text: &str) -> Result<(Located, Timeline), Report> {
        let Some(located) = self.locate(text).await? else {
            return Err(self.unknown(Fault::NotFound, None, text).await);
        };
        self.mention(&located.source).await;
        self.look_for_overwritten(&located).await;
        let timeline = read::timeline(&located.source.open, &located.id).await?;
        if !is_known(&timeline) {
            return Err(self.unknown(Fault::NotFound, Some(&located), "").await);
        }
        Ok((located, timeline))
    }

    /// Says that no source has a state ID, and names those that may have been meant.
    pub(super) async fn unknown(
        &mut self,
        fault: Fault,
        located: Option<&Located>,
        text: &str,
    ) -> Report {
        let id = located.map_or(text, |located| located.id.as_str());
        let sources = match located {
            Some(located) => vec![located.source.clone()],
            None => self.sources().unwrap_or_default(),
        };
        let mut nearest = Nearest::to(id);
        let mut is_locked = false;
        for source in &sources {
            let mut chunks = read::list(&source.open);
            // A source that fails here has been reported where the ID was looked for; it only has nothing to offer.
            while let Some(Ok(chunk)) = chunks.next().await {
                for job in chunk.jobs {
                    if job.id.as_str() == id {
                        is_locked |= job.lock.is_some();
                    } else {
                        nearest.add(job.id);
                    }
                }
            }
        }
        let places: Vec<&str> = sources.iter().map(|source| &*source.open.source).collect();
        let message = format!("there is no state ID '{id}' in {}", places.join(" and "));
        let report = Report::new(fault, message).on_state(id);
        let report = match places.as_slice() {
            [place] => report.on_source(place),
            _ => report,
        };
        if is_locked {
            return report.because("it has a lock there, and neither a state nor a run");
        }
        match nearest.names().as_slice() {
            [] => report.hint("`statescope list` names the state IDs"),
            names => {
                let names: Vec<&str> = names.iter().map(StateId::as_str).collect();
                report.hint(format!("did you mean {}?", any_of(&names)))
            }
        }
    }
}

async fn has(open: &OpenSite, id: &StateId) -> Result<bool, Report> {
    if read::state(open, id).await?.is_some() {
        return Ok(true);
    }
    Ok(is_known(&read::timeline(open, id).await?))
}

/// Tells whether a source knows the job of a timeline at all.
pub(super) fn is_known(timeline: &Timeline) -> bool {
    timeline.snapshots.len() > 1 || timeline.snapshots.iter().any(|now| now.state.is_some())
}

fn ambiguous(id: &StateId, having: &[Source]) -> Report {
    let names: Vec<String> = having
        .iter()
        .map(|source| shell_word(&format!("{}::{}", source.name, id.as_str())))
        .collect();
    Report::new(
        Fault::Usage,
        format!("several sources have the state ID '{id}'"),
    )
    .hint(format!("write {}", names.join(" or ")))
    .on_state(id.as_str())
}

pub(super) fn any_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Quotes a word, where it needs it, so that a shell takes it as it is.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", printable(text).replace('\'', "'\\''"))
    }
}
