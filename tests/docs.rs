//! What is made of the tables of the program, and is kept with it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

use std::fs;
use std::path::Path;

use statescope::config;

/// The variable that has the files written anew instead of compared.
const UPDATE: &str = "STATESCOPE_UPDATE_REFERENCE";

/// Every file that is made, by its path in the repository.
fn made() -> Vec<(&'static str, String)> {
    vec![("assets/config.toml", config::commented())]
}

#[test]
fn the_reference_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut stale = Vec::new();
    for (name, text) in made() {
        let path = root.join(name);
        if fs::read_to_string(&path).ok().as_deref() == Some(&text) {
            continue;
        }
        if std::env::var_os(UPDATE).is_some() {
            fs::create_dir_all(path.parent().expect("it lies in a folder"))
                .expect("a folder can be made");
            fs::write(&path, text).expect("a file can be written");
        } else {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} differ from what the tables say; `{UPDATE}=1 cargo nextest run -E 'test(reference)'` writes them anew"
    );
}
