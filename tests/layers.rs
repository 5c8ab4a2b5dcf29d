//! Layers are a test: each module of the crate names only the modules and the outside crates that its layer may name.
//!
//! The sources are read as tokens, so that comments, strings and line breaks neither hide a name nor invent one. What
//! counts is every path, in a `use` or in the middle of an expression, that starts at the crate, at an outside crate
//! that is watched, or climbs to the crate by `super`. `main.rs` and `lib.rs` only put the crate together and are free.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

#[path = "layers/reader.rs"]
mod reader;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use reader::{Named, Reader};

/// What one top-level module may name besides itself and the crates that nobody watches.
struct Layer {
    name: &'static str,
    modules: &'static [&'static str],
    outside: &'static [Outside],
}

/// A watched outside crate, whole or in part.
enum Outside {
    Whole(&'static str),
    Only(&'static str, &'static [&'static str]),
}

use Outside::{Only, Whole};

const WATCHED: &[&str] = &[
    "tokio",
    "crossterm",
    "ratatui",
    "rusqlite",
    "tokio_postgres",
    "object_store",
    "clap",
    "toml",
];

const LAYERS: &[Layer] = &[
    Layer {
        name: "report",
        modules: &[],
        outside: &[],
    },
    Layer {
        name: "domain",
        modules: &["report"],
        outside: &[],
    },
    Layer {
        name: "backend",
        modules: &["domain", "report"],
        outside: &[
            Whole("tokio"),
            Whole("object_store"),
            Whole("rusqlite"),
            Whole("tokio_postgres"),
        ],
    },
    Layer {
        name: "config",
        modules: &["domain", "report"],
        outside: &[Whole("toml")],
    },
    Layer {
        name: "project",
        modules: &["domain", "report", "config"],
        outside: &[],
    },
    Layer {
        name: "journal",
        modules: &["domain", "report"],
        outside: &[Whole("tokio"), Whole("rusqlite"), Whole("tokio_postgres")],
    },
    Layer {
        name: "ops",
        modules: &["domain", "backend", "journal", "project", "report"],
        outside: &[Only("tokio", &["time", "sync"])],
    },
    Layer {
        name: "tui",
        modules: &["domain", "report"],
        outside: &[Whole("ratatui")],
    },
    Layer {
        name: "shell",
        modules: &[
            "report", "domain", "backend", "config", "project", "journal", "ops", "tui",
        ],
        outside: &[Whole("tokio"), Whole("crossterm"), Whole("ratatui")],
    },
    Layer {
        name: "cli",
        modules: &[
            "report", "domain", "backend", "config", "project", "journal", "ops",
        ],
        outside: &[Whole("clap")],
    },
];

/// Modules without IO, clock and threads; their tests may read fixtures.
const PURE: &[&str] = &["domain", "tui"];

/// Runs of path segments by which a file, a process, a thread or the present time would be reached.
const IMPURE: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "net"],
    &["std", "process"],
    &["std", "env"],
    &["std", "thread"],
    &["io", "stdin"],
    &["io", "stdout"],
    &["io", "stderr"],
    &["SystemTime", "now"],
    &["Instant", "now"],
    &["Timestamp", "now"],
    &["Zoned", "now"],
    &["TimeZone", "system"],
];

/// The module path that a file below `src` stands for, without the crate: `domain/json/mod.rs` is `domain`, `json`.
fn module_of(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> = file
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let stem = parts.pop().unwrap_or_default();
    let stem = stem.strip_suffix(".rs").unwrap_or(&stem);
    if stem != "mod" {
        parts.push(stem.to_owned());
    }
    parts
}

/// What a path reaches outside its own top-level module.
#[derive(Debug, PartialEq)]
enum Reached<'a> {
    Nothing,
    Crate,
    Module(&'a str),
    Outside(&'a [String]),
}

fn reached<'a>(named: &'a Named, module: &[String]) -> Reached<'a> {
    let depth = module.len() + named.inside.len();
    let segments = match named.segments.first().map(String::as_str) {
        Some("self") => &named.segments[1..],
        _ => &named.segments[..],
    };
    let climbs = segments
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    let at_root = match segments.first().map(String::as_str) {
        Some("crate" | "statescope") => &segments[1..],
        Some("super") if climbs >= depth => &segments[climbs..],
        Some(first) if WATCHED.contains(&first) => return Reached::Outside(segments),
        _ => return Reached::Nothing,
    };
    match at_root.first().map(String::as_str) {
        None | Some("*" | "self") => Reached::Crate,
        Some(name) => Reached::Module(name),
    }
}

fn may_name_outside(layer: &Layer, segments: &[String]) -> bool {
    let second = segments.get(1).map_or("", String::as_str);
    let first_allowed = layer.outside.iter().any(|outside| match outside {
        Whole(name) => segments[0] == *name,
        Only(name, parts) => segments[0] == *name && parts.contains(&second),
    });
    // ratatui hands out crossterm under its own name.
    let others = segments[1..]
        .iter()
        .filter(|segment| WATCHED.contains(&segment.as_str()));
    let all_allowed = others.into_iter().all(|other| {
        layer
            .outside
            .iter()
            .any(|outside| matches!(outside, Whole(name) if other == name))
    });
    first_allowed && all_allowed
}

fn is_test(named: &Named, module: &[String]) -> bool {
    module
        .iter()
        .chain(&named.inside)
        .any(|name| name == "tests")
}

fn is_impure(named: &Named) -> bool {
    IMPURE.iter().any(|run| {
        named
            .segments
            .windows(run.len())
            .any(|window| window == *run)
    })
}

/// Lists what is wrong in one file, a line each.
fn violations(file: &Path, source: &str) -> Vec<String> {
    let module = module_of(file);
    let top = module.first().cloned().unwrap_or_default();
    if module.len() == 1 && matches!(top.as_str(), "main" | "lib") {
        return Vec::new();
    }
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == top) else {
        return vec![format!(
            "{}: the module {top} is in no layer",
            file.display()
        )];
    };
    let mut wrong = Vec::new();
    for named in Reader::paths(source) {
        let path = named.segments.join("::");
        let fault = match reached(&named, &module) {
            Reached::Crate => Some("the whole crate"),
            Reached::Module(name) if name != top && !layer.modules.contains(&name) => {
                Some("that module")
            }
            Reached::Outside(segments) if !may_name_outside(layer, segments) => Some("that crate"),
            _ if PURE.contains(&layer.name) && is_impure(&named) && !is_test(&named, &module) => {
                Some("the world")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            wrong.push(format!(
                "{}:{}: {top} may not name {fault}: {path}",
                file.display(),
                named.line
            ));
        }
    }
    wrong
}

fn rust_files(below: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![below.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources can be listed") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_module_names_only_what_its_layer_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&src);
    assert!(
        files.contains(&src.join("lib.rs")),
        "the sources were not found"
    );
    let mut wrong = String::new();
    for path in files {
        let source = std::fs::read_to_string(&path).expect("a source file can be read");
        let file = path.strip_prefix(&src).expect("it lies below src");
        for line in violations(file, &source) {
            writeln!(wrong, "src/{line}").expect("a string takes text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn the_table_is_closed_and_has_no_cycle() {
    let mut below: BTreeSet<&str> = BTreeSet::new();
    let mut left: Vec<&Layer> = LAYERS.iter().collect();
    while !left.is_empty() {
        let count = left.len();
        left.retain(|layer| {
            let ready = layer.modules.iter().all(|module| below.contains(module));
            if ready {
                below.insert(layer.name);
            }
            !ready
        });
        let stuck: Vec<&str> = left.iter().map(|layer| layer.name).collect();
        assert!(
            left.len() < count,
            "a cycle, or a module that is in no layer, among {stuck:?}"
        );
    }
}

fn faults(file: &str, source: &str) -> usize {
    violations(Path::new(file), source).len()
}

#[test]
fn what_a_layer_may_not_name_is_found_however_it_is_written() {
    let cases = [
        ("domain/json.rs", "use crate::backend::open;"),
        ("domain/json.rs", "use crate::{report::Report, ops::read};"),
        (
            "domain/json.rs",
            "use crate::{\n    report, // crate::domain\n    ops as other,\n};",
        ),
        (
            "domain/json.rs",
            "fn f() -> crate::ops::read::Answer { todo() }",
        ),
        ("domain/json.rs", "use super::super::tui::Model;"),
        ("domain/json.rs", "use super::{diff, super::tui};"),
        ("domain/mod.rs", "use super::backend;"),
        (
            "domain/json.rs",
            "mod tests { use super::super::super::backend; }",
        ),
        ("domain/json.rs", "use self::super::super::backend;"),
        ("domain/json.rs", "use crate::*;"),
        ("domain/json.rs", "use crate as all;"),
        ("domain/json.rs", "use crate::{self as all};"),
        ("domain/json.rs", "use rusqlite;"),
        ("domain/json.rs", "use rusqlite as sql;"),
        ("domain/json.rs", "extern crate rusqlite;"),
        ("domain/json.rs", "fn f(c: &::rusqlite::Connection) {}"),
        ("domain/json.rs", "use {std::fmt, tokio::sync::Mutex};"),
        ("domain/json.rs", "#[tokio::test] async fn f() {}"),
        ("domain/json.rs", "#[derive(clap::ValueEnum)] enum E {}"),
        (
            "domain/json.rs",
            "const Q: char = '\"'; use toml::Value; const R: char = '\"';",
        ),
        (
            "domain/json.rs",
            "const S: &str = r#\"a \"quote\" \"#; use toml::Value;",
        ),
        (
            "domain/json.rs",
            "fn f<'a>(x: &'a str) { tokio::spawn(g(x)); }",
        ),
        ("domain/json/tests.rs", "use crate::backend::memory;"),
        ("report.rs", "use crate::domain::StateId;"),
        ("backend/sqlite.rs", "use crate::ops::write;"),
        ("backend/sqlite.rs", "use ratatui::text::Text;"),
        ("ops/read.rs", "tokio::spawn(f());"),
        ("ops/read.rs", "use tokio::{sync::mpsc, task::JoinSet};"),
        ("ops/read.rs", "use tokio as runtime;"),
        ("ops/read.rs", "use crate::config::Config;"),
        ("tui/model.rs", "use crate::ops::read;"),
        ("tui/keys.rs", "use ratatui::crossterm::event::KeyEvent;"),
        ("tui/keys.rs", "use ratatui::{crossterm, text};"),
        ("shell/mod.rs", "use crate::cli::Arguments;"),
        ("cli/mod.rs", "use crate::tui::Model;"),
        ("cli/list.rs", "let now = ::tokio::time::Instant::now();"),
        ("utils.rs", "fn nothing() {}"),
        ("domain/id.rs", "let text = std::fs::read_to_string(path);"),
        ("domain/id.rs", "use std::{env, fmt};"),
        ("tui/update.rs", "let now = Instant::now();"),
        ("tui/update.rs", "let now = jiff::Timestamp::now();"),
    ];
    for (file, source) in cases {
        assert_eq!(faults(file, source), 1, "in {file}: {source}");
    }
}

#[test]
fn what_a_layer_may_name_is_let_through() {
    let cases = [
        (
            "domain/json.rs",
            "use crate::report::Report; use crate::domain::id::StateId;",
        ),
        (
            "domain/json.rs",
            "use super::id::StateId; mod tests { use super::super::id; use super::*; }",
        ),
        ("domain/json/python.rs", "use super::super::id::StateId;"),
        (
            "domain/json.rs",
            "// use crate::ops;\n/* use crate::ops; /* tokio::spawn */ */ /// [`crate::ops`]\nfn f() {}",
        ),
        (
            "domain/json.rs",
            "const S: &str = \"crate::ops \\\" tokio::spawn\"; const R: &str = r\"crate::ops\";",
        ),
        (
            "domain/json.rs",
            "pub(crate) fn f(toml: u8) -> u8 { self.toml.tokio; toml }",
        ),
        (
            "domain/json.rs",
            "use std::{fmt::Write as _, sync::Arc, time::Duration};",
        ),
        ("domain/json/tests.rs", "let text = std::fs::read(fixture);"),
        (
            "domain/json.rs",
            "#[cfg(test)] mod tests { fn f() { std::env::var(\"X\"); } }",
        ),
        (
            "backend/sqlite.rs",
            "use rusqlite::{Connection, OpenFlags}; tokio::task::spawn_blocking(f);",
        ),
        (
            "ops/read.rs",
            "use tokio::{sync::mpsc, time}; use crate::{backend::open, project};",
        ),
        (
            "tui/view.rs",
            "use ratatui::{Frame, text::Line}; use crate::domain::{diff, json};",
        ),
        (
            "shell/mod.rs",
            "use ratatui::crossterm::event; use crate::{ops, tui}; tokio::select! {}",
        ),
        (
            "cli/mod.rs",
            "use clap::Parser; use crate::{config, ops::read};",
        ),
        (
            "main.rs",
            "use statescope::{cli, shell}; tokio::spawn(f());",
        ),
        ("lib.rs", "pub mod domain; mod ops;"),
    ];
    for (file, source) in cases {
        assert_eq!(
            violations(Path::new(file), source),
            Vec::<String>::new(),
            "in {file}: {source}"
        );
    }
}

#[test]
fn the_line_of_a_fault_is_told() {
    let source = "//! What it is.\n\nuse std::fmt;\n\nfn f() {\n    let text = \"one\n two\";\n    crate::ops::read();\n}\n";
    assert_eq!(
        violations(Path::new("domain/id.rs"), source),
        ["domain/id.rs:8: domain may not name that module: crate::ops::read"]
    );
}
