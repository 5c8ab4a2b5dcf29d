#!/usr/bin/env python3
"""Makes assets/demo/meltano.sql, the system database of the sample project behind `statescope demo`.

    make_demo.py            writes the file
    make_demo.py --check    says whether the file is what this script makes (exit 1 if not)

The schema is, word for word, the one that Meltano 4.4.1 makes. The rows are written here as Meltano 4.4.1 would have
written them, and `verify` refuses a file in which history and table disagree anywhere but where the story wants it.

Every instant is written relative to ANCHOR and spelled `YYYY-MM-DD`, a `T` or a blank, `HH:MM:SS`, and whatever
follows, because the program moves exactly that spelling (and bare dates, by whole days) to the present when it
starts. Bookmarks come from `moved`, which depends on nothing but its arguments: the file is the same on every machine.
"""

import hashlib
import json
import pickle
import re
import sqlite3
import sys
from datetime import datetime, timedelta
from pathlib import Path

OUTPUT = Path(__file__).resolve().parents[2] / "assets" / "demo" / "meltano.sql"
LIMIT_BYTES = 700_000
ANCHOR = datetime(2026, 11, 30, 4, 30)

REVISION = "c0efb3c314eb"
# `\x20`: Meltano's own text has a blank before these line ends, and editors like to remove one.
SCHEMA = """\
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,\x20
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE "runs" (
	id INTEGER NOT NULL,\x20
	job_name VARCHAR,\x20
	state VARCHAR(7),\x20
	started_at DATETIME,\x20
	ended_at DATETIME,\x20
	payload VARCHAR,\x20
	payload_flags INTEGER, run_id CHAR(32), "trigger" VARCHAR, last_heartbeat_at DATETIME,\x20
	PRIMARY KEY (id)
);
CREATE TABLE plugin_settings (
	label VARCHAR(255),\x20
	description TEXT,\x20
	name VARCHAR(255) NOT NULL,\x20
	namespace VARCHAR(255),\x20
	value BLOB,\x20
	enabled BOOLEAN,\x20
	PRIMARY KEY (name, namespace)
);
CREATE TABLE state (
	state_id VARCHAR(900) NOT NULL,\x20
	partial_state VARCHAR,\x20
	completed_state VARCHAR,\x20
	updated_at DATETIME,\x20
	PRIMARY KEY (state_id),\x20
	UNIQUE (state_id)
);
"""

STATE, INCOMPLETE = 1, 2

DEV_JSONL = "dev:tap-github-to-target-jsonl"
DEV_BIGQUERY = "dev:tap-github-to-target-bigquery"
DEV_CLEARED = "dev:tap-postgres-to-target-jsonl"
DEV_NO_STATE = "dev:tap-postgres-to-target-bigquery"
STAGING_IMPORTED = "staging:tap-github-to-target-jsonl"
STAGING_PARTIAL = "staging:tap-shopify-to-target-bigquery"
PROD_RUNNING = "prod:tap-github-to-target-snowflake"
PROD_FAILING = "prod:tap-github-to-target-bigquery"
PROD_POSTGRES = "prod:tap-postgres-to-target-snowflake"
PROD_SUFFIX = "prod:tap-shopify-to-target-bigquery:eu"
PROD_WIDE = "prod:tap-shopify-to-target-snowflake"
NAMED = "Nachtabgleich – Größe 日本語 🚀"

# In the order of the rows of `state`, which is the order of every list: what explains itself comes first.
STORY = {
    DEV_JSONL: "a fortnight of ordinary runs; one failed half-way and kept what it had, one received no state",
    PROD_RUNNING: "running now, its first states already written",
    PROD_FAILING: "failing for five hours, and `issues` has not moved for 17 days although the runs succeeded",
    PROD_POSTGRES: "log positions: the bookmarks are integers",
    DEV_BIGQUERY: "yesterday somebody moved the bookmark of acme/web back by hand",
    STAGING_IMPORTED: "imported: a state, and no run that explains it",
    STAGING_PARTIAL: "two incomplete runs are waiting in the partial part",
    PROD_SUFFIX: "a state ID with a suffix",
    PROD_WIDE: "400 partitions",
    NAMED: "named by hand with --state-id; one failure, with the long message of `meltano el`",
    DEV_CLEARED: "cleared: runs, and no state any more",
    DEV_NO_STATE: "runs that never received a state",
}


def noise(key, number):
    """A fraction in [0, 1) that depends on nothing but its arguments."""
    digest = hashlib.sha256(f"{key}:{number}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def moved(key, every, at):
    """The last time before `at` that something happened which happens about once in `every`."""
    origin = ANCHOR - timedelta(days=120)
    number = (at - origin) // every
    while True:
        happened = origin + every * (number + noise(key, number))
        if happened <= at:
            return happened
        number -= 1


def counter(last, per_hour, at):
    """An ID or a log position that grew by about `per_hour` and is `last` at the anchor."""
    return last - round((ANCHOR - at) / timedelta(hours=1) * per_hour)


def zulu(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def offset(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S+00:00")


def fine(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def naive(at):
    """As SQLAlchemy writes a DATETIME in SQLite."""
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def singer(bookmarks, **beside):
    return {"singer_state": {"bookmarks": bookmarks, **beside}}


def stream(key, value):
    return {"replication_key": key, "replication_key_value": value}


def partition(context, key, value):
    return {"context": context, **stream(key, value)}


class History:
    """The rows of `runs`, and the `state` table as Meltano keeps it while they happen."""

    def __init__(self):
        self.rows = []
        self.states = {}

    def run(self, job, started, minutes, state=None, *, flags=STATE, error=None, trigger="schedule"):
        """A run that ended, with the last state that it received, if any."""
        noisy = noise(job, naive(started))
        started += timedelta(seconds=2 + 7 * noisy, microseconds=int(noisy * 1e9) % 1_000_000)
        ended = started + timedelta(minutes=minutes * (0.85 + 0.3 * noisy))
        payload = dict(state or {})
        if state is not None:
            self._write(job, state, flags, ended - timedelta(seconds=1.4 + noisy))
        if error is not None:
            payload["error"] = error
        status = "SUCCESS" if error is None else "FAIL"
        beat = ended - timedelta(seconds=noisy)
        self._row(job, status, started, ended, payload, flags if state is not None else 0, trigger, beat)

    def running(self, job, started, state, wrote, beat):
        """A run that has not ended, and the state that it has received so far."""
        self._write(job, state, STATE, wrote)
        self._row(job, "RUNNING", started, None, state, STATE, "schedule", beat)

    def edit(self, job, at, state):
        """`meltano state set`."""
        self._row(job, "STATE_EDIT", at, at, state, STATE, "cli", None)
        self._write(job, state, STATE, at + timedelta(milliseconds=8))

    def imported(self, job, state):
        """`meltano state import`: no run, and no time."""
        self.states[job] = ({}, state, None)

    def cleared(self, job):
        """`meltano state clear`: no run either."""
        del self.states[job]

    def _write(self, job, state, flags, at):
        partial, completed, _ = self.states.get(job, ({}, {}, None))
        first = job not in self.states
        if flags == STATE:
            partial, completed = {}, state
        else:
            partial = merge(state, partial)
        self.states[job] = (partial, completed, None if first else at)

    def _row(self, job, status, started, ended, payload, flags, trigger, beat):
        run_id = uuid7(started, job)
        times = [None if at is None else naive(at) for at in (started, ended, beat)]
        self.rows.append((job, status, times[0], times[1], json.dumps(payload), flags, run_id, trigger, times[2]))


def merge(source, target):
    """Merges as `meltano.core.utils.merge` of 4.4.1 does: objects by key, anything else replaces."""
    merged = dict(target)
    for key, value in source.items():
        merged[key] = merge(value, merged.get(key, {})) if isinstance(value, dict) else value
    return merged


def uuid7(at, key):
    milliseconds = (at - datetime(1970, 1, 1)) // timedelta(milliseconds=1)
    random = hashlib.sha256(f"{key}:{at}".encode()).hexdigest()
    return f"{milliseconds:012x}7{random[:3]}{'89ab'[int(random[3], 16) % 4]}{random[4:19]}"


REPOSITORIES = {  # one commit in about so many hours
    "api": 1, "web": 2, "ingest": 4, "billing": 6, "mobile": 9, "search": 14, "sdk-python": 24, "sdk-js": 30,
    "infra": 36, "docs": 48, "design-system": 110, "status-page": 400,
}  # fmt: skip


def commits(repositories, at_of):
    """The `commits` stream, with each repository read at the instant that `at_of` gives for it."""
    partitions = []
    for name in repositories:
        last = moved(name, timedelta(hours=REPOSITORIES[name]), at_of(name))
        partitions.append(partition({"org": "acme", "repo": name}, "updated_at", zulu(last)))
    return {"partitions": partitions}


def every(first, step, count):
    return [first + step * number for number in range(count)]


def github(repositories, at, issues_at=None):
    issues = moved("issues", timedelta(minutes=50), issues_at or at)
    releases = moved("releases", timedelta(hours=70), at)
    return {
        "commits": commits(repositories, lambda _: at),
        "issues": {"since": zulu(issues)},
        "releases": stream("published_at", zulu(releases)),
        "events": stream("id", counter(8_813_021, 28.2, at)),
    }


def ordinary(history):
    starts = every(datetime(2026, 11, 16, 4), timedelta(hours=12), 29)
    failed, empty = datetime(2026, 11, 23, 16), datetime(2026, 11, 27, 16)
    repositories = list(REPOSITORIES)
    for start in starts:
        if start == failed:
            stopped_at = github(repositories, start - timedelta(hours=12))
            read = set(repositories[:5])
            stopped_at["commits"] = commits(
                repositories, lambda name: start if name in read else start - timedelta(hours=12)
            )
            stopped_at["commits"]["partitions"][5]["progress_markers"] = {
                "Note": "Progress is not resumable if interrupted.",
                **stream("updated_at", zulu(start - timedelta(hours=3, minutes=11, seconds=40))),
            }
            history.run(DEV_JSONL, start, 5, singer(stopped_at), error="Extractor failed")
            retry = start + timedelta(hours=2, minutes=12)
            history.run(DEV_JSONL, retry, 14, singer(github(repositories, retry)), trigger="cli")
        elif start == empty:
            history.run(DEV_JSONL, start, 2)
        else:
            history.run(DEV_JSONL, start, 12, singer(github(repositories, start)))


def running(history):
    repositories = ["api", "web", "ingest", "billing"]
    step = timedelta(hours=6)
    starts = every(datetime(2026, 11, 23, 10, 20), step, 27)

    def bookmarks(at):
        return {
            **github(repositories, at),
            "pull_requests": stream("updated_at", zulu(moved("pulls", timedelta(minutes=95), at))),
        }

    for start in starts:
        history.run(PROD_RUNNING, start, 68, singer(bookmarks(start)))
    start = starts[-1] + step
    so_far = bookmarks(start)
    for name in ("releases", "pull_requests", "events"):
        so_far[name] = bookmarks(starts[-1])[name]
    history.running(
        PROD_RUNNING,
        start + timedelta(seconds=4, microseconds=118_204),
        singer(so_far),
        wrote=start + timedelta(minutes=6, seconds=31, microseconds=640_118),
        # A run is taken for dead five minutes after its last heartbeat. This one lies ahead, so that the run stays alive
        # for as long as somebody looks at the demo.
        beat=ANCHOR + timedelta(minutes=25, seconds=11, microseconds=512_907),
    )


def failing(history):
    repositories = ["api", "web", "mobile"]
    stuck = datetime(2026, 11, 12, 23, 30)
    for start in every(datetime(2026, 11, 8, 11, 30), timedelta(hours=12), 43):
        history.run(PROD_FAILING, start, 9, singer(github(repositories, start, min(start, stuck))))
    start = datetime(2026, 11, 29, 23, 30)
    history.run(PROD_FAILING, start, 7, singer(github(repositories, start, stuck)), error="Loader failed")
    for start in every(start + timedelta(hours=1), timedelta(hours=1), 4):
        history.run(PROD_FAILING, start, 1, error="Loader failed")


def postgres(at, scale=1):
    version = 1_764_028_800_417
    return {
        "public-orders": {
            "last_replication_method": "LOG_BASED",
            "lsn": counter(412_337_184_656, 61_442_176.3 / scale, at),
            "version": version,
            "xmin": None,
        },
        "public-order_lines": {
            "last_replication_method": "LOG_BASED",
            "lsn": counter(412_337_190_112, 61_442_176.3 / scale, at),
            "version": version + 212,
            "xmin": None,
        },
        "public-customers": {
            "last_replication_method": "INCREMENTAL",
            "replication_key": "updated_at",
            "version": version + 509,
            "replication_key_value": fine(moved("customers", timedelta(minutes=11), at)),
        },
    }


def log_positions(history):
    for start in every(datetime(2026, 11, 29, 5, 5), timedelta(hours=1), 24):
        history.run(PROD_POSTGRES, start, 3, singer(postgres(start), currently_syncing=None))


def moved_back(history):
    repositories = ["api", "web", "docs"]
    starts = every(datetime(2026, 11, 20, 6), timedelta(days=1), 10)
    for start in starts:
        history.run(DEV_BIGQUERY, start, 6, singer(github(repositories, start)))
    bookmarks = github(repositories, starts[-1])
    bookmarks["commits"]["partitions"][1]["replication_key_value"] = zulu(datetime(2026, 11, 12))
    history.edit(DEV_BIGQUERY, datetime(2026, 11, 29, 17, 40, 22, 904_115), singer(bookmarks))


def shopify(at, names=("orders", "customers", "products", "refunds")):
    hours = {"orders": 0.2, "customers": 1.5, "products": 20, "refunds": 31}
    return {
        name: stream("updated_at", offset(moved(f"shop {name}", timedelta(hours=hours[name]), at))) for name in names
    }


def waiting(history):
    for start in every(datetime(2026, 11, 20, 2), timedelta(days=1), 8):
        history.run(STAGING_PARTIAL, start, 8, singer(shopify(start)))
    for start, names in (
        (datetime(2026, 11, 28, 2), ["orders"]),
        (datetime(2026, 11, 29, 2), ["orders", "refunds"]),
    ):
        history.run(STAGING_PARTIAL, start, 3, singer(shopify(start, names)), flags=INCOMPLETE, trigger="cli")


def suffixed(history):
    for start in every(datetime(2026, 11, 26, 8, 10), timedelta(hours=4), 24):
        history.run(PROD_SUFFIX, start, 4, singer(shopify(start)))


def wide(history):
    for start in every(datetime(2026, 11, 25, 1, 15), timedelta(days=1), 6):
        levels = []
        for number in range(400):
            location = 61_000_000_000 + number * 7_919
            busy = timedelta(hours=3 + 90 * noise("location", number) ** 3)
            last = moved(f"location {location}", busy, start)
            levels.append(partition({"location_id": location}, "updated_at", offset(last)))
        bookmarks = {"inventory_levels": {"partitions": levels}, **shopify(start, ["products"])}
        history.run(PROD_WIDE, start, 33, singer(bookmarks))


ELT_ERROR = (
    "ELT could not be completed: Loader failed.\n"
    "For more detailed log messages re-run the command using 'meltano --log-level=debug ...' CLI flag.\n"
    "Note that you can also check the generated log file at "
    "'/srv/warehouse/.meltano/logs/elt/nachtabgleich/elt.log'.\n"
    "For more information on debugging and logging: "
    "https://docs.meltano.com/reference/command-line-interface#debugging"
)


def named(history):
    def bookmarks(at):
        offices = [("Zürich", 7), ("東京", 11), ("São Paulo", 26)]
        return {
            "größen": {
                "partitions": [
                    partition({"büro": office}, "geändert_am", zulu(moved(office, timedelta(hours=hours), at)))
                    for office, hours in offices
                ]
            },
            "注文": stream("更新日時", zulu(moved("注文", timedelta(hours=2), at))),
            "notes": {"cursor": "☃ next→", "since": moved("notes", timedelta(days=2), at).strftime("%Y-%m-%d")},
        }

    for number, start in enumerate(every(datetime(2026, 11, 24, 0, 30), timedelta(days=1), 7)):
        error = ELT_ERROR if number == 3 else None
        history.run(NAMED, start, 5, singer(bookmarks(start)), error=error, trigger="cli")


def gone(history):
    for start in every(datetime(2026, 11, 21, 9), timedelta(hours=17), 5):
        history.run(DEV_CLEARED, start, 2, singer(postgres(start, 9), currently_syncing=None), trigger="cli")
    history.cleared(DEV_CLEARED)


def without_state(history):
    history.run(DEV_NO_STATE, datetime(2026, 11, 28, 10, 2), 1, error="Extractor failed", trigger="cli")
    history.run(DEV_NO_STATE, datetime(2026, 11, 28, 10, 9), 2, trigger="cli")


def imported(history):
    at = datetime(2026, 10, 21, 3, 58)
    history.imported(STAGING_IMPORTED, singer(github(["api", "web", "ingest", "billing"], at)))


def tell():
    history = History()
    for part in (imported, ordinary, running, failing, log_positions, moved_back, waiting, suffixed, wide, named, gone):
        part(history)
    without_state(history)
    history.rows.sort(key=lambda row: row[2])
    return history


def quote(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return "'" + value.replace("'", "''") + "'"


def insert(table, values):
    return f"INSERT INTO {table} VALUES ({', '.join(map(quote, values))});\n"


def script(history):
    text = [
        f"-- anchor: {zulu(ANCHOR)}\n",
        "-- The system database of the sample project, at the schema of Meltano 4.4.1.\n",
        "-- Made by tests/support/make_demo.py; edit that. What there is to see:\n",
        *(f"--   {job}: {what}\n" for job, what in STORY.items()),
        SCHEMA,
        insert("alembic_version", [REVISION]),
        insert(
            "plugin_settings",
            [None, None, "user_agent", "extractors.tap-github.default", pickle.dumps("acme-warehouse", protocol=5), 1],
        ),
    ]
    text += [insert("runs", [number, *row]) for number, row in enumerate(history.rows, start=1)]
    for job in filter(history.states.__contains__, STORY):
        partial, completed, updated = history.states[job]
        updated = None if updated is None else naive(updated)
        text.append(insert("state", [job, json.dumps(partial), json.dumps(completed), updated]))
    return "".join(text)


def folded(rows):
    """What the runs of one job say that its state is: (partial, completed), or None when none received a state."""
    state = None
    for payload, flags in rows:
        document = {key: value for key, value in json.loads(payload).items() if key != "error"}
        partial, completed = state or ({}, {})
        if flags == STATE:
            state = ({}, document)
        elif flags == INCOMPLETE:
            state = (merge(document, partial), completed)
    return state


def verify(text):
    """Loads the text as the program does and raises AssertionError where the story does not hold."""
    assert len(text.encode()) < LIMIT_BYTES, f"{len(text.encode())} bytes"
    assert not re.search(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?!:\d\d)", text), "a time without seconds would not be moved"
    database = sqlite3.connect(":memory:")
    database.executescript(text)
    table = {
        job: (json.loads(partial), json.loads(completed))
        for job, partial, completed in database.execute("SELECT state_id, partial_state, completed_state FROM state")
    }
    jobs = {job for (job,) in database.execute("SELECT DISTINCT job_name FROM runs")}
    assert jobs | set(table) == set(STORY), jobs ^ set(STORY)
    for job in jobs:
        rows = database.execute(
            "SELECT payload, payload_flags FROM runs WHERE job_name = ? ORDER BY ended_at IS NULL, ended_at, id", [job]
        )
        expected = None if job == DEV_CLEARED else folded(rows)
        assert table.get(job) == expected, f"{job}: the table does not hold what its runs say"
    assert STAGING_IMPORTED in table and STAGING_IMPORTED not in jobs
    assert table[STAGING_PARTIAL][0] and table[STAGING_PARTIAL][1]
    future = database.execute(
        "SELECT job_name FROM runs WHERE max(started_at, coalesce(ended_at, '')) > ?", [naive(ANCHOR)]
    ).fetchall()
    assert not future, f"not over at the anchor: {future}"


def main():
    text = script(tell())
    verify(text)
    if sys.argv[1:] == ["--check"]:
        if not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT.name} is not what make_demo.py makes: run it and commit the result")
    else:
        OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
