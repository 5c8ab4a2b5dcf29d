//! A journal's file from the inside: formats, room, permissions, damage, and what is read back.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use jiff::SignedDuration;
use proptest::prelude::*;
use rstest::rstest;
use rusqlite::Connection;
use tempfile::TempDir;

use super::formats::{APPLICATION, FORMATS};
use super::open::Database;
use super::*;
use crate::domain::edit::Edit;
use crate::domain::id::StateId;
use crate::domain::json::{Document, Pointer};
use crate::domain::location::SourceKey;
use crate::domain::operation::{
    Author, ItemResult, OperationItem, OperationKind, RecordedEdit, Status, Undoes,
};
use crate::domain::state::{Content, Part, State};
use crate::domain::version::sides;
use crate::journal::{KEPT_FOR_DAYS, LIMIT, NewItem};

/// Holds a journal in a folder of its own, which is not there yet.
struct Journal {
    _outside: TempDir,
    path: PathBuf,
}

impl Journal {
    fn new() -> Self {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().join("state/statescope/journal.db");
        Self {
            _outside: outside,
            path,
        }
    }

    fn plan(&self, operation: &NewOperation) -> Ongoing {
        write::plan(&self.path, LIMIT, operation).unwrap()
    }

    /// Plans an operation and lets it end as it was planned.
    fn done(&self, operation: &NewOperation) -> OperationId {
        let ongoing = self.plan(operation);
        self.record(ongoing.id, &[ended(Status::Done)]);
        ongoing.id
    }

    fn record(&self, id: OperationId, events: &[Event]) {
        write::record(&self.path, id, at(2), events).unwrap();
    }

    fn get(&self, id: OperationId) -> Operation {
        read::get(&self.path, id).unwrap().unwrap()
    }

    fn find(&self, query: &Query) -> Vec<i64> {
        let found = read::find(&self.path, query).unwrap();
        found.into_iter().map(|operation| operation.id.0).collect()
    }

    fn content(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let hash = ContentHash::of(bytes);
        let mut found = read::contents_of(&self.path, &[hash]).unwrap();
        found.remove(&hash)
    }

    fn sql(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    fn number(&self, sql: &str) -> i64 {
        self.sql().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.path).unwrap().len()
    }

    fn sign(&self, id: OperationId) -> PathBuf {
        sign::path(&fs::canonicalize(&self.path).unwrap(), id)
    }

    /// Names what is in the journal's folder.
    fn files(&self) -> Vec<String> {
        let files = fs::read_dir(self.path.parent().unwrap()).unwrap();
        let mut files: Vec<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        files
    }
}

/// Gives a time so many days after a fixed one.
fn at(days: i64) -> Timestamp {
    let first: Timestamp = "2026-03-01T10:20:30.000000001Z".parse().unwrap();
    first + SignedDuration::from_hours(24 * days)
}

fn ended(status: Status) -> Event {
    Event::Ended {
        status,
        message: None,
    }
}

fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

fn state(completed: &str, partial: &str) -> State {
    let content = |text: &str| Content::Document(document(text));
    State::meltano(content(completed), content(partial))
}

fn item(id: &str, edit: Edit, before: Option<State>, after: Option<State>) -> NewItem {
    NewItem {
        state_id: StateId::new(id),
        edit,
        before,
        after,
    }
}

fn operation(at: Timestamp, items: Vec<NewItem>) -> NewOperation {
    NewOperation {
        at,
        kind: OperationKind::Set,
        author: Author {
            user: "ada".to_owned(),
            host: "engine".to_owned(),
        },
        reason: None,
        source: SourceKey::new("sqlite:/a.db"),
        source_name: "sqlite:////a.db".to_owned(),
        undoes: None,
        items,
    }
}

/// Makes an operation that sets a state to one document.
fn set(at: Timestamp, before: &str, after: &str) -> NewOperation {
    let edit = Edit::Set {
        document: document(after),
        validate: false,
    };
    let (before, after) = (state(before, "{}"), state(after, "{}"));
    operation(at, vec![item("dev:a", edit, Some(before), Some(after))])
}

/// Makes a document of so many bytes that do not shrink.
fn large(seed: u64, length: usize) -> String {
    let mut text = String::new();
    let mut block = 0_u64;
    while text.len() < length {
        let bytes = [seed.to_le_bytes(), block.to_le_bytes()].concat();
        text.push_str(&ContentHash::of(&bytes).to_string());
        block += 1;
    }
    text.truncate(length - 2);
    format!("\"{text}\"")
}

/// Says what is to be read back of an operation that was just planned, and still goes on.
fn as_planned(id: OperationId, new: &NewOperation) -> Operation {
    let recorded = |edit: &Edit| match edit {
        Edit::Set { document, validate } => RecordedEdit::Set {
            document: ContentHash::of(document.bytes()),
            validate: *validate,
        },
        Edit::Put { part, at, value } => RecordedEdit::Put {
            part: *part,
            at: at.clone(),
            value: ContentHash::of(value.bytes()),
        },
        Edit::Clear => RecordedEdit::Clear,
        Edit::Restore { .. } => RecordedEdit::Restore,
    };
    let item = |(number, item): (u32, &NewItem)| OperationItem {
        number,
        state_id: item.state_id.clone(),
        edit: recorded(&item.edit),
        before: item.before.as_ref().map(sides),
        after: item.after.as_ref().map(sides),
        result: None,
        message: None,
    };
    Operation {
        id,
        at: new.at,
        kind: new.kind,
        author: new.author.clone(),
        reason: new.reason.clone(),
        source: new.source.clone(),
        source_name: new.source_name.clone(),
        undoes: new.undoes,
        items: (1..).zip(&new.items).map(item).collect(),
        status: Status::Planned,
        message: None,
        is_running: true,
        has_bodies: true,
    }
}

#[test]
fn reading_makes_nothing() {
    let journal = Journal::new();
    assert!(journal.find(&Query::default()).is_empty());
    assert_eq!(read::get(&journal.path, OperationId(1)).unwrap(), None);
    assert_eq!(journal.content(b"{}"), None);
    let pruned = room::prune(&journal.path, at(0), at(0)).unwrap();
    assert_eq!(pruned, Pruned::default());
    let recorded = write::record(&journal.path, OperationId(1), at(0), &[Event::Begun]);
    assert!(matches!(recorded, Err(JournalError::Unwritable(_))));
    let outside = journal.path.ancestors().nth(3).unwrap();
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn a_file_that_was_only_begun_is_empty_and_is_taken() {
    let journal = Journal::new();
    fs::create_dir_all(journal.path.parent().unwrap()).unwrap();
    fs::write(&journal.path, "").unwrap();
    assert!(journal.find(&Query::default()).is_empty());
    assert_eq!(journal.content(b"{}"), None);
    assert_eq!(journal.length(), 0);
    assert_eq!(journal.done(&set(at(0), "{}", "1")), OperationId(1));
}

#[test]
fn only_its_owner_may_read_it() {
    let journal = Journal::new();
    let ongoing = journal.plan(&set(at(0), "{}", "1"));
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    let folder = journal.path.parent().unwrap();
    assert_eq!(mode(folder.parent().unwrap()), 0o700);
    assert_eq!(mode(folder), 0o700);
    assert_eq!(mode(&journal.path), 0o600);
    assert_eq!(mode(&journal.sign(ongoing.id)), 0o600);
    fs::set_permissions(&journal.path, Permissions::from_mode(0o644)).unwrap();
    journal.find(&Query::default());
    assert_eq!(mode(&journal.path), 0o644, "reading changes nothing");
    journal.record(ongoing.id, &[Event::Begun]);
    assert_eq!(mode(&journal.path), 0o600);
}

#[test]
fn only_its_owner_may_ever_have_read_it() {
    let journal = Journal::new();
    open::make_file(&journal.path).unwrap();
    let about = fs::metadata(&journal.path).unwrap();
    assert_eq!((about.mode() & 0o7777, about.len()), (0o600, 0));
}

#[test]
fn the_file_is_set_up_for_home_folders_on_networks() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let pragma = |name: &str| journal.number(&format!("PRAGMA {name}"));
    assert_eq!(pragma("application_id"), i64::from(APPLICATION));
    assert_eq!(pragma("user_version"), 1);
    assert_eq!(pragma("auto_vacuum"), 2);
    assert_eq!(journal.files(), ["journal.db"]);
    let mut database = Database::to_write(&journal.path, FORMATS).unwrap().unwrap();
    let transaction = database.begin().unwrap();
    let mode: String = transaction
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "delete");
    let pragma = |name: &str| open::pragma(&transaction, name).unwrap();
    assert_eq!(pragma("synchronous"), 3);
    assert_eq!(pragma("trusted_schema"), 0);
    assert_eq!(pragma("foreign_keys"), 1);
    assert_eq!(pragma("busy_timeout"), 10);
}

#[test]
fn a_journal_that_was_turned_to_a_log_is_turned_back() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let mode = |sql: &str| -> String {
        let sql = format!("PRAGMA journal_mode{sql}");
        journal.sql().query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(mode(" = wal"), "wal");
    journal.done(&set(at(0), "{}", "2"));
    assert_eq!(mode(""), "delete");
    assert_eq!(journal.find(&Query::default()), [2, 1]);
}

#[test]
fn a_journal_behind_a_link_is_one_with_it() {
    let journal = Journal::new();
    let ongoing = journal.plan(&set(at(0), "{}", "1"));
    let link = journal.path.ancestors().nth(3).unwrap().join("link.db");
    std::os::unix::fs::symlink(&journal.path, &link).unwrap();
    let found = read::get(&link, ongoing.id).unwrap().unwrap();
    assert!(found.is_running);
    let next = write::plan(&link, LIMIT, &set(at(0), "{}", "2")).unwrap();
    assert!(journal.get(next.id).is_running);
    drop(next);
    fs::remove_file(&journal.path).unwrap();
    let planned = write::plan(&link, LIMIT, &set(at(0), "{}", "3"));
    assert!(matches!(planned, Err(JournalError::Unwritable(_))));
}

#[test]
fn what_cannot_be_made_is_said_in_the_systems_words() {
    let journal = Journal::new();
    let file = journal.path.ancestors().nth(3).unwrap().join("file");
    fs::write(&file, "").unwrap();
    let planned = write::plan(&file.join("journal.db"), LIMIT, &set(at(0), "{}", "1"));
    let Err(JournalError::Unwritable(why)) = planned else {
        panic!("{planned:?}");
    };
    assert!(
        why.starts_with("its folder cannot be made: ") && why.contains("os error"),
        "{why}"
    );
    assert_eq!(
        read::find(&file.join("journal.db"), &Query::default()),
        Ok(Vec::new())
    );
}

#[test]
fn a_folder_is_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let found = read::find(folder.path(), &Query::default());
    let said = JournalError::Corrupt("it is not a file".to_owned());
    assert_eq!(found, Err(said.clone()));
    let planned = write::plan(folder.path(), LIMIT, &set(at(0), "{}", "1"));
    assert_eq!(planned.unwrap_err(), said);
}

/// Asks everything of a file; gives what each answer says that is wrong with it.
fn errors(path: &Path) -> Vec<JournalError> {
    vec![
        read::find(path, &Query::default()).unwrap_err(),
        read::get(path, OperationId(1)).unwrap_err(),
        read::contents_of(path, &[ContentHash::of(b"{}")]).unwrap_err(),
        write::plan(path, LIMIT, &set(at(1), "{}", "1")).unwrap_err(),
        write::record(path, OperationId(1), at(1), &[Event::Begun]).unwrap_err(),
        room::prune(path, at(0), at(0)).unwrap_err(),
    ]
}

/// Asks everything of a file, which must stay as it is and alone.
fn is_corrupt_and_kept(path: &Path) {
    let before = (fs::read(path).unwrap(), fs::metadata(path).unwrap().mode());
    for error in errors(path) {
        assert!(matches!(error, JournalError::Corrupt(_)), "{error:?}");
    }
    let after = (fs::read(path).unwrap(), fs::metadata(path).unwrap().mode());
    assert!(before == after, "it was changed");
    let folder = path.parent().unwrap();
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "not alone");
}

#[rstest]
#[case::text(
    "not a database, but a text that is as long as the header of one would be: a hundred bytes and then some"
)]
#[case::short("x")]
#[case::only_the_magic("SQLite format 3\0")]
fn a_file_that_is_no_database_is_kept(#[case] content: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    fs::write(&path, content).unwrap();
    is_corrupt_and_kept(&path);
}

#[rstest]
#[case::rollback("PRAGMA user_version = 1; CREATE TABLE operations (id)")]
#[case::log("PRAGMA journal_mode = wal; CREATE TABLE state (state_id)")]
#[case::of_a_neighbour("PRAGMA application_id = 7; CREATE TABLE a (b)")]
fn a_database_of_another_program_is_kept(#[case] sql: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    is_corrupt_and_kept(&path);
}

#[test]
fn a_log_of_another_program_is_left_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let theirs = Connection::open(&path).unwrap();
    theirs
        .execute_batch("PRAGMA journal_mode = wal; CREATE TABLE a (b); INSERT INTO a VALUES (1)")
        .unwrap();
    let files = || {
        let read = |ending: &str| fs::read(format!("{}{ending}", path.display())).unwrap();
        ["", "-wal", "-shm"].map(read)
    };
    let before = files();
    for error in errors(&path) {
        assert!(matches!(error, JournalError::Corrupt(_)), "{error:?}");
    }
    assert!(before == files(), "it was changed");
}

#[test]
fn a_truncated_journal_is_kept() {
    let journal = Journal::new();
    journal.done(&set(at(0), &large(1, 20_000), "1"));
    let whole = fs::read(&journal.path).unwrap();
    let lengths = [
        1,
        50,
        100,
        511,
        4_096,
        8_192,
        whole.len() - 4_096,
        whole.len() - 1,
    ];
    for length in lengths {
        fs::write(&journal.path, &whole[..length]).unwrap();
        is_corrupt_and_kept(&journal.path);
    }
}

#[test]
fn a_power_cut_while_it_was_made_leaves_an_empty_journal() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    // A rollback journal of a file that was empty, as SQLite writes it before the first page is.
    let mut begun = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    for number in [0_u32, 0, 0, 512, 4_096] {
        begun.extend(number.to_be_bytes());
    }
    begun.resize(512, 0);
    fs::write(&journal.path, vec![0; 8_192]).unwrap();
    fs::write(format!("{}-journal", journal.path.display()), begun).unwrap();
    assert!(journal.find(&Query::default()).is_empty());
    assert_eq!(journal.done(&set(at(0), "{}", "1")), OperationId(1));
    assert_eq!(journal.files(), ["journal.db"]);
}

#[test]
fn damage_to_the_tables_is_said() {
    let journal = Journal::new();
    let id = journal.done(&set(at(0), "{}", "1"));
    for (sql, column) in [
        ("UPDATE operations SET status = 'lost'", "status"),
        ("UPDATE operations SET kind = 'lost'", "kind"),
        ("UPDATE operations SET at = 'lost'", "at"),
        ("UPDATE items SET edit = 'lost'", "edit"),
        ("UPDATE items SET result = 'lost'", "result"),
        (
            "UPDATE sides SET part = 'lost' WHERE side = 'after'",
            "part",
        ),
        ("UPDATE sides SET hash = x'00'", "hash"),
        ("DROP TABLE sides", "sides"),
    ] {
        let kept = fs::read(&journal.path).unwrap();
        journal.sql().execute_batch(sql).unwrap();
        let Err(JournalError::Corrupt(why)) = read::get(&journal.path, id) else {
            panic!("{sql}");
        };
        assert!(why.contains(column), "{sql}: {why}");
        fs::write(&journal.path, kept).unwrap();
    }
}

const LATER: formats::Formats = &[
    FORMATS[0],
    "ALTER TABLE operations ADD COLUMN place TEXT; UPDATE operations SET place = 'here'",
];
const BROKEN: formats::Formats = &[
    FORMATS[0],
    LATER[1],
    "CREATE TABLE a (b); CREATE TABLE a (b)",
];

#[test]
fn an_older_format_is_upgraded_once() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let open = || Database::to_write(&journal.path, LATER).unwrap().unwrap();
    drop(open().begin().unwrap());
    assert_eq!(journal.number("PRAGMA user_version"), 1, "not committed");
    open().begin().unwrap().commit().unwrap();
    assert_eq!(journal.number("PRAGMA user_version"), 2);
    assert_eq!(
        journal.number("SELECT count(*) FROM operations WHERE place = 'here'"),
        1
    );
    open().begin().unwrap().commit().unwrap();
    assert_eq!(journal.number("PRAGMA user_version"), 2);
}

#[test]
fn reading_upgrades_an_older_format() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let mut database = Database::to_read(&journal.path, LATER).unwrap().unwrap();
    let snapshot = database.snapshot().unwrap().unwrap();
    assert_eq!(open::pragma(&snapshot, "user_version"), Ok(2));
}

#[test]
fn an_upgrade_is_done_whole_or_not_at_all() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let mut database = Database::to_write(&journal.path, BROKEN).unwrap().unwrap();
    database.begin().unwrap_err();
    drop(database);
    assert_eq!(journal.number("PRAGMA user_version"), 1);
    assert_eq!(
        journal.number("SELECT count(*) FROM pragma_table_info('operations') WHERE name = 'place'"),
        0
    );
    assert_eq!(journal.find(&Query::default()), [1]);
}

#[test]
fn a_new_file_has_the_newest_format() {
    let journal = Journal::new();
    let mut database = Database::make(&journal.path, LATER).unwrap();
    database.begin().unwrap().commit().unwrap();
    assert_eq!(journal.number("PRAGMA user_version"), 2);
    assert_eq!(journal.number("SELECT count(place) FROM operations"), 0);
}

#[test]
fn a_file_is_made_whole_or_stays_empty() {
    let journal = Journal::new();
    let mut database = Database::make(&journal.path, FORMATS).unwrap();
    drop(database.begin().unwrap());
    drop(database);
    assert_eq!(journal.length(), 0);
    let mut database = Database::make(&journal.path, FORMATS).unwrap();
    let begun = database.begin().unwrap();
    let other = journal.sql().execute_batch("BEGIN IMMEDIATE");
    assert!(other.is_err(), "two make it at once");
    drop(begun);
}

#[test]
fn a_newer_format_is_refused_and_kept() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let later = journal.sql();
    later.execute_batch("PRAGMA user_version = 2").unwrap();
    drop(later);
    let before = fs::read(&journal.path).unwrap();
    for error in errors(&journal.path) {
        let newer = JournalError::Newer { found: 2, known: 1 };
        assert_eq!(error, newer);
    }
    assert!(fs::read(&journal.path).unwrap() == before);
}

#[rstest]
#[case(0)]
#[case(-1)]
fn a_format_that_there_is_none_of_is_corrupt(#[case] format: i64) {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let sql = format!("PRAGMA user_version = {format}");
    journal.sql().execute_batch(&sql).unwrap();
    for error in errors(&journal.path) {
        assert!(matches!(error, JournalError::Corrupt(_)), "{error:?}");
    }
}

#[test]
fn numbers_are_never_given_twice() {
    let journal = Journal::new();
    assert_eq!(journal.done(&set(at(0), "{}", "1")), OperationId(1));
    assert_eq!(journal.done(&set(at(0), "{}", "2")), OperationId(2));
    let sql = "DELETE FROM events; DELETE FROM sides; DELETE FROM items; DELETE FROM operations";
    journal.sql().execute_batch(sql).unwrap();
    assert_eq!(journal.done(&set(at(0), "{}", "3")), OperationId(3));
}

#[test]
fn events_say_how_far_it_came() {
    let journal = Journal::new();
    let clear = |id: &str| item(id, Edit::Clear, Some(state("1", "2")), None);
    let ongoing = journal.plan(&operation(at(0), vec![clear("a"), clear("b")]));
    let id = ongoing.id;
    let status = || {
        let found = journal.get(id);
        (found.status, found.message)
    };
    assert_eq!(status(), (Status::Planned, None));
    journal.record(id, &[Event::Begun]);
    assert_eq!(status(), (Status::Begun, None));
    let message = Some("no room".to_owned());
    let failed = Event::Item {
        number: 2,
        result: ItemResult::Failed,
        message: message.clone(),
    };
    journal.record(id, std::slice::from_ref(&failed));
    assert_eq!(status(), (Status::Begun, None), "of an item only");
    let end = Event::Ended {
        status: Status::Failed,
        message: message.clone(),
    };
    journal.record(id, &[failed, end]);
    assert_eq!(status(), (Status::Failed, message.clone()));
    let items = journal.get(id).items;
    let results = items.into_iter().map(|item| (item.result, item.message));
    assert_eq!(
        results.collect::<Vec<_>>(),
        [(None, None), (Some(ItemResult::Failed), message)]
    );
    journal.record(id, &[ended(Status::Undone)]);
    assert_eq!(status(), (Status::Undone, None));
    let kept = "SELECT group_concat(event || ' ' || at, ',' ORDER BY id) FROM events";
    let kept: String = journal.sql().query_row(kept, [], |row| row.get(0)).unwrap();
    let events: Vec<&str> = kept.split(',').collect();
    assert_eq!(events[0], "planned 2026-03-01T10:20:30.000000001Z");
    assert_eq!(events[1], "begun 2026-03-03T10:20:30.000000001Z");
    let names: Vec<&str> = events.iter().filter_map(|e| e.split(' ').next()).collect();
    assert_eq!(
        names,
        ["planned", "begun", "item", "item", "ended", "ended"]
    );
}

#[test]
fn events_of_what_is_not_there_are_refused_whole() {
    let journal = Journal::new();
    let id = journal.plan(&set(at(0), "{}", "1")).id;
    let record = |id, events: &[Event]| write::record(&journal.path, id, at(1), events);
    let of_item = |number| Event::Item {
        number,
        result: ItemResult::Done,
        message: None,
    };
    for (id, events) in [
        (OperationId(2), vec![Event::Begun]),
        (OperationId(2), vec![]),
        (id, vec![of_item(1), ended(Status::Done), of_item(2)]),
        (id, vec![of_item(0)]),
    ] {
        let recorded = record(id, &events);
        assert!(
            matches!(recorded, Err(JournalError::Corrupt(_))),
            "{events:?}"
        );
    }
    let found = journal.get(id);
    assert_eq!(
        (found.status, found.items[0].result),
        (Status::Planned, None)
    );
    assert_eq!(journal.number("SELECT count(*) FROM events"), 1);
}

#[test]
fn operations_are_found_by_everything_that_can_be_asked() {
    let journal = Journal::new();
    let with = |days, source: &str, user: &str, id: &str| {
        let clear = item(id, Edit::Clear, Some(state("1", "2")), None);
        let mut new = operation(at(days), vec![clear]);
        new.source = SourceKey::new(source);
        new.author.user = user.to_owned();
        new
    };
    journal.done(&with(0, "one", "ada", "a"));
    journal.done(&with(1, "two", "bob", "a"));
    journal.done(&with(2, "three", "ada", "b"));
    drop(journal.plan(&with(3, "one", "bob", "b")));
    let begun = journal.plan(&with(4, "one'\"", "ada", "c"));
    journal.record(begun.id, &[Event::Begun]);
    let keys = |names: &[&str]| names.iter().copied().map(SourceKey::new).collect();
    let asks = |ask: &dyn Fn(&mut Query), ids: &[i64]| {
        let mut query = Query::default();
        ask(&mut query);
        assert_eq!(journal.find(&query), ids, "{query:?}");
    };
    asks(&|_| (), &[5, 4, 3, 2, 1]);
    asks(&|query| query.sources = keys(&["one"]), &[4, 1]);
    asks(
        &|query| query.sources = keys(&["two", "three", "four"]),
        &[3, 2],
    );
    asks(&|query| query.sources = keys(&["one'\""]), &[5]);
    asks(&|query| query.user = Some("ada".to_owned()), &[5, 3, 1]);
    asks(&|query| query.since = Some(at(2)), &[5, 4, 3]);
    asks(&|query| query.state_ids.push(StateId::new("a")), &[2, 1]);
    asks(&|query| query.unfinished = true, &[5, 4]);
    asks(&|query| query.limit = Some(2), &[5, 4]);
    asks(&|query| query.limit = Some(0), &[]);
    asks(&|query| query.limit = Some(usize::MAX), &[5, 4, 3, 2, 1]);
    let all_at_once = |query: &mut Query| {
        *query = Query {
            sources: keys(&["one", "two"]),
            user: Some("bob".to_owned()),
            since: Some(at(1)),
            state_ids: vec![StateId::new("b")],
            unfinished: true,
            limit: Some(1),
        };
    };
    asks(&all_at_once, &[4]);
}

#[test]
fn unfinished_is_what_has_no_final_status() {
    for status in Status::ALL {
        let journal = Journal::new();
        let ongoing = journal.plan(&set(at(0), "{}", "1"));
        journal.record(ongoing.id, &[ended(status)]);
        let query = Query {
            unfinished: true,
            ..Query::default()
        };
        assert_eq!(
            journal.find(&query).is_empty(),
            status.is_final(),
            "{status:?}"
        );
        let pruned = room::prune(&journal.path, at(1), at(400)).unwrap();
        assert_eq!(pruned.operations == 1, status.is_final(), "{status:?}");
    }
}

#[test]
fn bytes_are_kept_once_and_pressed() {
    let journal = Journal::new();
    let long = format!("\"{}\"", "abc".repeat(100_000));
    journal.done(&set(at(0), &long, "1"));
    journal.done(&set(at(0), "1", &long));
    journal.done(&set(at(0), &long, "{}"));
    assert_eq!(journal.number("SELECT count(*) FROM contents"), 3);
    assert_eq!(journal.number("SELECT max(size) FROM contents"), 300_002);
    assert!(journal.length() < 100_000, "{}", journal.length());
    assert_eq!(journal.content(long.as_bytes()), Some(long.clone().into()));
    assert_eq!(journal.content(b"1"), Some(b"1".to_vec()));
    assert_eq!(journal.content(b"2"), None);
}

#[rstest]
#[case::others(
    "UPDATE contents SET (size, zstd) = (SELECT size, zstd FROM contents AS other WHERE other.size = 1) WHERE size = 7"
)]
#[case::no_frame("UPDATE contents SET zstd = x'00010203'")]
#[case::cut_off("UPDATE contents SET zstd = substr(zstd, 1, 5)")]
#[case::longer("UPDATE contents SET size = 6")]
#[case::less_than_none("UPDATE contents SET size = -1")]
fn bytes_that_are_not_those_of_their_hash_are_not_given(#[case] sql: &str) {
    let journal = Journal::new();
    journal.done(&set(at(0), "[1,2,3]", "1"));
    journal.sql().execute(sql, []).unwrap();
    let read = read::contents_of(&journal.path, &[ContentHash::of(b"[1,2,3]")]);
    assert!(matches!(read, Err(JournalError::Corrupt(_))), "{read:?}");
}

#[test]
fn a_null_part_is_neither_empty_nor_no_state() {
    let journal = Journal::new();
    let unreadable = Content::read(Some(b"\xff{".to_vec()));
    let before = State::meltano(Content::Null, unreadable);
    let after = State::meltano(Content::read(Some("")), Content::Null);
    let restore = Edit::Restore {
        state: Some(after.clone()),
    };
    let items = vec![
        item("a", restore, Some(before.clone()), Some(after.clone())),
        item("b", Edit::Restore { state: None }, None, None),
    ];
    let new = operation(at(0), items);
    let ongoing = journal.plan(&new);
    let found = journal.get(ongoing.id);
    assert_eq!(found, as_planned(ongoing.id, &new));
    assert_eq!(
        found.items[0].before,
        Some(vec![
            (Part::Completed, None),
            (Part::Partial, Some(ContentHash::of(b"\xff{")))
        ])
    );
    assert_eq!(found.items[1].before, None);
    assert_eq!(journal.content(b"\xff{"), Some(b"\xff{".to_vec()));
    assert_eq!(journal.content(b""), Some(Vec::new()));
}

#[test]
fn a_sign_is_there_before_the_operation_can_be_seen() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let mut seen = false;
    let ongoing = write::plan_with(&journal.path, LIMIT, &set(at(0), "{}", "2"), &mut |id| {
        assert_eq!(read::get(&journal.path, id).unwrap(), None);
        assert!(sign::is_held(&fs::canonicalize(&journal.path).unwrap(), id));
        seen = true;
    });
    let id = ongoing.unwrap().id;
    assert!(seen);
    assert!(journal.get(id).is_interrupted(), "it was dropped");
    assert_eq!(journal.files(), ["journal.db"]);
}

#[test]
fn an_operation_runs_while_somebody_holds_its_sign() {
    let journal = Journal::new();
    let ongoing = journal.plan(&set(at(0), "{}", "1"));
    let id = ongoing.id;
    assert!(journal.get(id).is_running);
    assert!(journal.get(id).is_running, "looking takes nothing away");
    journal.record(id, &[Event::Begun]);
    assert!(journal.get(id).is_running);
    drop(ongoing);
    assert!(!journal.sign(id).exists());
    assert!(journal.get(id).is_interrupted());
}

#[test]
fn a_sign_that_nobody_holds_says_nothing_and_goes_with_the_end() {
    let journal = Journal::new();
    let id = journal.plan(&set(at(0), "{}", "1")).id;
    fs::write(journal.sign(id), "").unwrap();
    assert!(journal.get(id).is_interrupted());
    journal.record(id, &[Event::Begun]);
    assert!(journal.sign(id).exists());
    journal.record(id, &[ended(Status::Failed)]);
    assert!(!journal.sign(id).exists());
}

#[test]
fn two_who_look_do_not_take_each_other_for_one_who_works() {
    let journal = Journal::new();
    let id = journal.plan(&set(at(0), "{}", "1")).id;
    fs::write(journal.sign(id), "").unwrap();
    let other = fs::File::open(journal.sign(id)).unwrap();
    other.try_lock_shared().unwrap();
    assert!(journal.get(id).is_interrupted());
}

#[test]
fn a_plan_that_fails_leaves_no_sign_and_no_operation() {
    let journal = Journal::new();
    journal.done(&set(at(0), "{}", "1"));
    let reader = journal.sql();
    reader
        .execute_batch("BEGIN; SELECT * FROM operations")
        .unwrap();
    let new = set(at(0), "{}", "2");
    let planned = write::plan(&journal.path, LIMIT, &new);
    assert_eq!(planned.unwrap_err(), JournalError::Locked(0));
    assert!(!journal.sign(OperationId(2)).exists());
    drop(reader);
    assert_eq!(journal.find(&Query::default()), [1]);
    fs::write(journal.sign(OperationId(2)), "of a killed process").unwrap();
    let ongoing = journal.plan(&new);
    assert_eq!(ongoing.id, OperationId(2));
    assert!(journal.get(ongoing.id).is_running);
}

#[test]
fn a_journal_that_another_program_writes_to_is_locked() {
    let journal = Journal::new();
    let id = journal.done(&set(at(0), "{}", "1"));
    let writer = journal.sql();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(journal.find(&Query::default()), [1]);
    let planned = write::plan(&journal.path, LIMIT, &set(at(0), "{}", "2"));
    assert_eq!(planned.unwrap_err(), JournalError::Locked(0));
    let recorded = write::record(&journal.path, id, at(0), &[ended(Status::Undone)]);
    assert_eq!(recorded, Err(JournalError::Locked(0)));
    writer.execute_batch("COMMIT; BEGIN EXCLUSIVE").unwrap();
    let found = read::find(&journal.path, &Query::default());
    assert_eq!(found, Err(JournalError::Locked(0)));
}

#[test]
fn what_sqlite_says_is_told_as_a_situation() {
    use rusqlite::ffi;
    let of = |code| JournalError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
    assert_eq!(of(ffi::SQLITE_FULL), JournalError::DiskFull);
    for code in [
        ffi::SQLITE_BUSY,
        ffi::SQLITE_BUSY_SNAPSHOT,
        ffi::SQLITE_LOCKED,
    ] {
        assert_eq!(of(code), JournalError::Locked(0));
    }
    for code in [
        ffi::SQLITE_READONLY,
        ffi::SQLITE_READONLY_ROLLBACK,
        ffi::SQLITE_CANTOPEN,
        ffi::SQLITE_PERM,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_TOOBIG,
    ] {
        assert!(matches!(of(code), JournalError::Unwritable(_)), "{code}");
    }
    for code in [
        ffi::SQLITE_CORRUPT,
        ffi::SQLITE_NOTADB,
        ffi::SQLITE_IOERR_SHORT_READ,
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
    ] {
        assert!(matches!(of(code), JournalError::Corrupt(_)), "{code}");
    }
    for code in [28, 122] {
        let error = std::io::Error::from_raw_os_error(code);
        assert_eq!(fault::of_file("x", &error), JournalError::DiskFull);
    }
    let error = std::io::Error::from_raw_os_error(30);
    let said = "x: Read-only file system (os error 30)".to_owned();
    assert_eq!(fault::of_file("x", &error), JournalError::Unwritable(said));
}

#[test]
fn at_its_limit_old_bytes_make_room_the_oldest_first() {
    let journal = Journal::new();
    let limit = 800_000;
    let kept = KEPT_FOR_DAYS;
    let plan = |day, seed| {
        let ongoing = write::plan(
            &journal.path,
            limit,
            &set(at(day), "{}", &large(seed, 300_000)),
        );
        ongoing.map(|ongoing| {
            journal.record(ongoing.id, &[ended(Status::Done)]);
            ongoing.id
        })
    };
    let bodies = || -> Vec<bool> {
        let mut found = read::find(&journal.path, &Query::default()).unwrap();
        found.reverse();
        found.into_iter().map(|found| found.has_bodies).collect()
    };
    let full = |planned: Result<OperationId>| {
        let Err(JournalError::AtLimit { size, limit: of }) = planned else {
            panic!("{planned:?}");
        };
        assert!(of == limit && size < limit && size > limit / 2, "{size}");
    };
    // By number, the younger of the two is the first.
    for (day, seed) in [(1, 1), (0, 2), (2, 3), (2, 4)] {
        plan(day, seed).unwrap();
    }
    full(plan(3, 5));
    full(plan(kept, 5));
    assert_eq!(bodies(), [true; 4]);
    plan(kept + 2, 5).unwrap();
    assert_eq!(bodies(), [true, false, true, true, true]);
    plan(kept + 2, 6).unwrap();
    assert_eq!(bodies(), [false, false, true, true, true, true]);
    full(plan(kept + 2, 7));
    assert_eq!(bodies(), [false, false, true, true, true, true]);
    assert!(journal.length() <= limit);
}

#[test]
fn bytes_of_unfinished_operations_are_never_dropped() {
    let journal = Journal::new();
    let limit = 800_000;
    let plan = |day, seed| {
        let new = set(at(day), "{}", &large(seed, 300_000));
        write::plan(&journal.path, limit, &new).map(|ongoing| ongoing.id)
    };
    for seed in 0..4 {
        plan(0, seed).unwrap();
    }
    assert!(matches!(plan(1_000, 9), Err(JournalError::AtLimit { .. })));
    journal.record(OperationId(3), &[Event::Begun]);
    assert!(matches!(plan(1_000, 9), Err(JournalError::AtLimit { .. })));
    let pruned = room::prune(&journal.path, at(1_000), at(2_000)).unwrap();
    assert_eq!(pruned, Pruned::default());
    journal.record(OperationId(3), &[ended(Status::Failed)]);
    plan(1_000, 9).unwrap();
    assert!(!journal.get(OperationId(3)).has_bodies);
    assert!(journal.get(OperationId(4)).has_bodies);
}

#[test]
fn a_journal_never_passes_its_limit() {
    let journal = Journal::new();
    let limit = 600_000;
    let mut refused = 0;
    for number in 0..60_u32 {
        let length = [10, 900, 3_000, 9_000, 50_000][number as usize % 5];
        let items = (0..5).map(|place| {
            let text = large(u64::from(number * 10 + place), length);
            let restore = Edit::Restore { state: None };
            item(
                &format!("dev:{number}-{place}"),
                restore,
                Some(state(&text, "{}")),
                None,
            )
        });
        let new = operation(at(i64::from(number) * 4), items.collect());
        match write::plan(&journal.path, limit, &new) {
            Ok(ongoing) => journal.record(ongoing.id, &[ended(Status::Done)]),
            Err(JournalError::AtLimit { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(journal.length() <= limit, "{number}: {}", journal.length());
    }
    assert!((1..55).contains(&refused), "{refused}");
    assert!(journal.length() > limit / 2);
}

#[test]
fn prune_drops_what_only_old_operations_need() {
    let journal = Journal::new();
    let (shared, first, second) = (large(1, 200_000), large(2, 200_000), large(3, 200_000));
    journal.done(&set(at(0), &shared, &first));
    journal.done(&set(at(1), &first, &second));
    journal.done(&set(at(200), &shared, "7"));
    let length = journal.length();
    let prune = |before, now| room::prune(&journal.path, before, now).unwrap();
    assert_eq!(prune(at(0), at(300)), Pruned::default(), "planned at it");
    assert_eq!(prune(at(300), at(KEPT_FOR_DAYS)), Pruned::default());
    assert_eq!(prune(at(1), at(300)), Pruned::default(), "needed by others");
    assert!(journal.get(OperationId(1)).has_bodies);
    let pruned = prune(at(200), at(300));
    assert_eq!(pruned.operations, 2);
    assert_eq!(pruned.bytes, length - journal.length());
    assert!(pruned.bytes > 200_000, "{pruned:?}");
    let bodies = [1, 2, 3].map(|id| journal.get(OperationId(id)).has_bodies);
    assert_eq!(bodies, [false, false, true]);
    assert_eq!(journal.content(first.as_bytes()), None);
    assert_eq!(
        journal.content(shared.as_bytes()),
        Some(shared.clone().into())
    );
    assert!(!journal.get(OperationId(1)).is_undoable());
    assert_eq!(prune(at(200), at(300)), Pruned::default(), "once");
    let check = "PRAGMA integrity_check";
    let sound: String = journal
        .sql()
        .query_row(check, [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

fn documents() -> impl Strategy<Value = Document> {
    const TEXTS: [&str; 5] = [
        "{}",
        "null",
        "{\"singer_state\": {\"a\": [1, 2.50]}}",
        "\"\u{1f680}\"",
        "NaN",
    ];
    prop_oneof![
        proptest::sample::select(&TEXTS[..]).prop_map(document),
        "[a-z0-9 ]{0,40}".prop_map(|text| document(&format!("\"{text}\""))),
    ]
}

fn contents() -> impl Strategy<Value = Content> {
    prop_oneof![
        Just(Content::Null),
        documents().prop_map(Content::Document),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| Content::read(Some(bytes))),
    ]
}

fn states() -> impl Strategy<Value = Option<State>> {
    proptest::option::of(
        (contents(), contents())
            .prop_map(|(completed, partial)| State::meltano(completed, partial)),
    )
}

fn edits() -> impl Strategy<Value = Edit> {
    let part = proptest::option::of(proptest::sample::select(
        &[Part::Completed, Part::Partial][..],
    ));
    let pointer = proptest::collection::vec("\\PC{0,5}|[~/0-9-]{0,3}", 0..4);
    prop_oneof![
        (documents(), any::<bool>())
            .prop_map(|(document, validate)| Edit::Set { document, validate }),
        (part, pointer, documents()).prop_map(|(part, at, value)| {
            let at = Pointer::from(at);
            Edit::Put { part, at, value }
        }),
        Just(Edit::Clear),
        states().prop_map(|state| Edit::Restore { state }),
    ]
}

fn operations() -> impl Strategy<Value = NewOperation> {
    let items = ("\\PC{0,20}", edits(), states(), states())
        .prop_map(|(id, edit, before, after)| item(&id, edit, before, after));
    let undoes = proptest::option::of((1..i64::MAX, proptest::option::of(any::<u32>())));
    (
        0..200_000_000_000_000_000_i128,
        proptest::sample::select(&OperationKind::ALL[..]),
        (".{0,10}", ".{0,10}", proptest::option::of(".{0,10}")),
        ("\\PC{0,10}", "\\PC{0,10}"),
        undoes,
        proptest::collection::vec(items, 0..4),
    )
        .prop_map(
            |(at, kind, (user, host, reason), (source, name), undoes, items)| NewOperation {
                at: Timestamp::from_nanosecond(at * 10 + 7).unwrap(),
                kind,
                author: Author { user, host },
                reason,
                source: SourceKey::new(source),
                source_name: name,
                undoes: undoes.map(|(operation, item)| Undoes {
                    operation: OperationId(operation),
                    item,
                }),
                items,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_planned_is_read_back(new in proptest::collection::vec(operations(), 1..4)) {
        let journal = Journal::new();
        let ongoing: Vec<Ongoing> = new.iter().map(|new| journal.plan(new)).collect();
        let all = ongoing.iter().zip(&new);
        let mut planned: Vec<Operation> = all.map(|(ongoing, new)| as_planned(ongoing.id, new)).collect();
        planned.reverse();
        prop_assert_eq!(read::find(&journal.path, &Query::default()).unwrap(), planned);
        let states = new.iter().flat_map(|new| &new.items).flat_map(|item| [&item.before, &item.after]);
        for state in states.flatten() {
            for bytes in state.parts().iter().filter_map(|(_, content)| content.bytes()) {
                prop_assert_eq!(journal.content(bytes), Some(bytes.to_vec()));
            }
        }
        for item in new.iter().flat_map(|new| &new.items) {
            if let Edit::Set { document, .. } | Edit::Put { value: document, .. } = &item.edit {
                prop_assert_eq!(journal.content(document.bytes()), Some(document.bytes().to_vec()));
            }
        }
    }
}
