//! State directories made for one test.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "each test binary uses its own part, and a test's own helpers may fail it"
)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

/// When every file of a tree was last written, so that none counts as just being written.
const WRITTEN: &str = "2026-11-30T12:00:00Z";

/// A state directory in a folder of its own, which goes with it.
pub struct Tree {
    folder: TempDir,
}

impl Tree {
    /// Makes an empty one.
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("statescope-tree-").unwrap();
        fs::create_dir(folder.path().join("state")).unwrap();
        Self { folder }
    }

    /// Makes the one that Meltano 4.4.1 left in `fixtures/meltano/backends/file`, from its manifest, since the names of its
    /// folders cannot be kept in every repository.
    pub fn of_meltano() -> Self {
        Self::of_fixture(|written_by| written_by == "meltano 4.4.1")
    }

    /// Makes it with what was added by hand, most of which Meltano cannot read.
    pub fn with_corrupt() -> Self {
        Self::of_fixture(|_| true)
    }

    fn of_fixture(takes: impl Fn(&str) -> bool) -> Self {
        let tree = Self::new();
        for file in golden("manifest.json").as_array().unwrap() {
            if takes(file["written_by"].as_str().unwrap()) {
                tree.write(file["key"].as_str().unwrap(), bytes_of(file));
            }
        }
        tree
    }

    /// Adds a state.
    pub fn with(self, id: impl AsRef<OsStr>, body: impl AsRef<[u8]>) -> Self {
        self.write(Path::new(id.as_ref()).join("state.json"), body);
        self
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, relative: impl AsRef<Path>, body: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, body).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        let written: Timestamp = WRITTEN.parse().unwrap();
        let since = Duration::from_secs(written.as_second().try_into().unwrap());
        file.set_modified(SystemTime::UNIX_EPOCH + since).unwrap();
        path
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Gives the folder around it.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub fn uri(&self) -> String {
        format!("file://{}", self.path().display())
    }

    /// Gives every entry with its kind, its length, and when it was written, and the bytes of the files.
    pub fn exact(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let about = path.symlink_metadata().unwrap();
                let bytes = about.is_file().then(|| fs::read(&path).unwrap());
                let modified = about.modified().unwrap();
                all.push(format!("{} {modified:?} {bytes:?}", path.display()));
                if about.is_dir() {
                    folders.push(path);
                }
            }
        }
        all.sort();
        all
    }
}

/// Reads what Meltano 4.4.1 answered.
pub fn golden(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano/backends/file");
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

/// Gives the bytes of a file in the manifest.
pub fn bytes_of(file: &Value) -> Vec<u8> {
    if let Some(text) = file["body"].as_str() {
        return text.as_bytes().to_vec();
    }
    let digits = file["body_hex"].as_str().unwrap().as_bytes();
    let pairs = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// Gives each `state get` of a golden: the ID, the exit code, and what it printed.
pub fn gets(name: &str) -> Vec<(String, i64, String)> {
    let golden = golden(name);
    let reads = golden["reads"].as_array().unwrap().iter();
    reads
        .filter_map(|read| {
            let argv: Vec<&str> = read["argv"]
                .as_array()
                .unwrap()
                .iter()
                .map(|word| word.as_str().unwrap())
                .collect();
            let ["meltano", "state", "get", "--", id] = argv[..] else {
                return None;
            };
            Some((
                id.to_owned(),
                read["exit_code"].as_i64().unwrap(),
                read["stdout"].as_str().unwrap().to_owned(),
            ))
        })
        .collect()
}
