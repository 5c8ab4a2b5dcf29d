//! The formats that a journal has had, as the steps that lead from each to the next.

/// Is a list of steps: format n is reached by step n-1, and the first one starts from an empty file.
pub(super) type Formats = &'static [&'static str];

/// Holds every step. One that was released is never changed; a new format is a new step.
pub(super) const FORMATS: Formats = &[FIRST];

/// Marks a file as a journal of ours: `application_id`, "sscj".
pub(super) const APPLICATION: i32 = 0x7373_636a;

/// Makes the tables.
///
/// `operations.status` and `message`, `items.result` and `message` are what the last of the events said. Times are text that
/// sorts. A side that has no rows is no state; a row without a hash is a part that is NULL. The side `wanted` holds what an
/// edit carries.
const FIRST: &str = "
CREATE TABLE contents (
    hash BLOB NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    zstd BLOB NOT NULL
) STRICT;
CREATE TABLE operations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    user TEXT NOT NULL,
    host TEXT NOT NULL,
    reason TEXT,
    source TEXT NOT NULL,
    source_name TEXT NOT NULL,
    undoes INTEGER,
    undoes_item INTEGER,
    status TEXT NOT NULL,
    message TEXT,
    is_dropped INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX operations_by_source ON operations (source);
CREATE INDEX operations_unfinished ON operations (id) WHERE status IN ('planned', 'begun');
CREATE TABLE items (
    operation INTEGER NOT NULL REFERENCES operations,
    number INTEGER NOT NULL,
    state_id TEXT NOT NULL,
    edit TEXT NOT NULL,
    validate INTEGER,
    part TEXT,
    pointer TEXT,
    result TEXT,
    message TEXT,
    PRIMARY KEY (operation, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX items_by_state ON items (state_id);
CREATE TABLE sides (
    operation INTEGER NOT NULL,
    item INTEGER NOT NULL,
    side TEXT NOT NULL,
    place INTEGER NOT NULL,
    part TEXT,
    hash BLOB,
    PRIMARY KEY (operation, item, side, place),
    FOREIGN KEY (operation, item) REFERENCES items
) STRICT, WITHOUT ROWID;
CREATE INDEX sides_by_hash ON sides (hash);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    item INTEGER,
    result TEXT,
    status TEXT,
    message TEXT
) STRICT;
CREATE INDEX events_by_operation ON events (operation);
";
