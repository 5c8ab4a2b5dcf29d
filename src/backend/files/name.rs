//! Between state IDs and the folders that they name.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::walk::walk;
use super::{STATE, of_io};
use crate::backend::{BackendError, Result};
use crate::domain::id::StateId;
use crate::domain::lint::{Finding, NOT_UTF_8, UNLISTED, WINDOWS_NAME};

/// How short a folder's name may be to count as base64: shorter ones are too often words.
const SHORTEST_BASE64: usize = 8;

/// What stands in a state ID for bytes that are no UTF-8.
const NO_TEXT: char = char::REPLACEMENT_CHARACTER;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Finds the folder, below the directory, that holds a state: the one of its name, else the one that Meltano on Windows makes.
pub(super) fn folder_of(root: &Path, id: &StateId) -> Result<Option<PathBuf>> {
    if let Some(folder) = plain(id.as_str())
        && holds_state(root, &folder)?
    {
        return Ok(Some(folder));
    }
    let encoded = PathBuf::from(encode(id.as_str().as_bytes()));
    if encoded.as_os_str().len() >= SHORTEST_BASE64 && holds_state(root, &encoded)? {
        return Ok(Some(encoded));
    }
    if id.as_str().contains(NO_TEXT) {
        return no_text(root, id);
    }
    Ok(None)
}

/// Gives the path of a state ID's folder, as Meltano 4.4.1 makes it; `None` where that would be no folder of its own below the
/// directory. The empty ID is the directory itself.
fn plain(id: &str) -> Option<PathBuf> {
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\0');
    (id.is_empty() || id.split('/').all(is_name)).then(|| PathBuf::from(id))
}

fn holds_state(root: &Path, folder: &Path) -> Result<bool> {
    match fs::symlink_metadata(root.join(folder).join(STATE)) {
        Ok(_) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(of_io(&error)),
    }
}

/// Tells whether an error says that nothing can be at a path.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// Finds the one folder whose name is no text and is shown as this ID.
fn no_text(root: &Path, id: &StateId) -> Result<Option<PathBuf>> {
    let mut found = Vec::new();
    walk(root, &mut |folder| {
        if folder.has_state
            && folder.relative.to_str().is_none()
            && folder.relative.to_string_lossy() == id.as_str()
        {
            found.push(folder.relative);
        }
        true
    })?;
    if found.len() > 1 {
        return Err(BackendError::Unsupported(format!(
            "{} folders have names that are not UTF-8 and look like this state ID",
            found.len()
        )));
    }
    Ok(found.pop())
}

/// Names the state of a folder, and says what is to be known of that name.
pub(super) fn id_of(root: &Path, folder: &Path) -> (StateId, Vec<Finding>) {
    let Some(name) = folder.to_str() else {
        let id = StateId::new(folder.to_string_lossy());
        let bytes = folder.as_os_str().as_bytes().escape_ascii();
        let found = NOT_UTF_8.finds(format!(
            "the folder's name, `{bytes}`, is not UTF-8; {NO_TEXT} stands where it is not"
        ));
        return (id, vec![found]);
    };
    if let Some(decoded) = decode(name) {
        let own = plain(&decoded);
        if !own.is_some_and(|own| holds_state(root, &own).unwrap_or(true)) {
            let found = WINDOWS_NAME.finds(format!(
                "the folder is called `{name}`, the base64 of this ID: Meltano on Windows made it, and elsewhere Meltano takes that for the ID"
            ));
            return (StateId::new(decoded), vec![found]);
        }
        let found = WINDOWS_NAME.finds(
            "the name is the base64 of a state ID that has another folder of its own".to_owned(),
        );
        return (StateId::from(name), vec![found]);
    }
    let why = match name {
        "" => Some("its `state.json` lies in the directory itself"),
        name if name.contains('/') => Some("it lies in nested folders"),
        name if name.starts_with('.') => Some("its name begins with a dot"),
        _ => None,
    };
    let found = why.map(|why| {
        UNLISTED.finds(format!(
            "{why}: `meltano state list` and `export` leave it out, and only `get` finds it"
        ))
    });
    (StateId::from(name), found.into_iter().collect())
}

fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) & 63;
            let digit = ALPHABET.get(index as usize).copied().unwrap_or(b'=');
            out.push(if place > chunk.len() {
                '='
            } else {
                char::from(digit)
            });
        }
    }
    out
}

/// Decodes what [`encode`] gives, when it is long enough and stands for text without control characters.
fn decode(name: &str) -> Option<String> {
    if name.len() < SHORTEST_BASE64 || !name.len().is_multiple_of(4) {
        return None;
    }
    let (mut bits, mut count, mut out) = (0_u32, 0, Vec::new());
    for byte in name.trim_end_matches('=').bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte)?;
        bits = (bits << 6) | u32::try_from(digit).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    let text = String::from_utf8(out).ok()?;
    let is_text = !text.is_empty() && !text.chars().any(char::is_control);
    (is_text && encode(text.as_bytes()) == name).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("dev:tap-a-to-target-b", "ZGV2OnRhcC1hLXRvLXRhcmdldC1i")]
    #[case("nightly", "bmlnaHRseQ==")]
    #[case("prod:a?", "cHJvZDphPw==")]
    #[case("日本語", "5pel5pys6Kqe")]
    fn windows_names_are_base64(#[case] id: &str, #[case] name: &str) {
        assert_eq!(encode(id.as_bytes()), name);
        assert_eq!(decode(name).as_deref(), Some(id));
    }

    #[rstest]
    #[case::no_digits("prod:a-to-b!")]
    #[case::a_word("database")]
    #[case::too_short("YWJj")]
    #[case::not_padded("bmlnaHRseQ")]
    #[case::bits_left_over("bmlnaHRseR==")]
    #[case::control_characters("bmlnaHQKCgo=")]
    fn other_names_stay(#[case] name: &str) {
        assert_eq!(decode(name), None);
    }

    #[rstest]
    #[case("a/b", true)]
    #[case("", true)]
    #[case("a%b", true)]
    #[case("...", true)]
    #[case("/etc", false)]
    #[case("a/", false)]
    #[case("a//b", false)]
    #[case("../a", false)]
    #[case("a/./b", false)]
    #[case("a\0b", false)]
    fn only_folders_below_the_directory_are_named(#[case] id: &str, #[case] is_one: bool) {
        assert_eq!(plain(id).is_some(), is_one);
    }
}
