//! Which databases are written to: those whose every table and revision is one that a known Meltano writes.

use rusqlite::Connection;

use super::schema::{self, RunsTable, Schema, StatesTable};
use crate::backend::{Access, Result};

/// The revisions that are written to.
const WRITTEN: [&str; 2] = [
    // Meltano 2.7.1 to 4.0.
    "6828cc5b1a4f",
    // Meltano 4.1.0 and later, 4.4.1 among them.
    "c0efb3c314eb",
];

/// The revisions before them, the oldest first, as Meltano 0.34 to 2.7.0 made them.
const EARLIER: [&str; 14] = [
    "b4c05e463b53",
    "6ef30ab7b8e5",
    "53e97221d99f",
    "a3e2b0a4937d",
    "990c0665f3ce",
    "ceb00d7ff3bd",
    "23ea52e6d784",
    "87d9638f6ac6",
    "367228df6a43",
    "e4fbabc3fed6",
    "d135f52a6f49",
    "13e8639c6d2b",
    "5b43800443d1",
    "f4c225a9492f",
];

/// The name of the constraint that SQLAlchemy 1.3 put on the names of statuses, and that no upgrade takes away.
const STATUS_CHECK: &str = "job_state";

/// The status that it does not know.
const EDITED: &str = "'STATE_EDIT'";

/// Tells whether a database is written to, and if not, what is wrong and what to do.
pub(super) fn of(connection: &Connection, schema: &Schema) -> Result<Access> {
    let revisions = schema::revisions(connection)?;
    let revision = match revisions.as_slice() {
        [revision] => revision.as_str(),
        [] => return Ok(refused(NO_REVISION)),
        several => {
            return Ok(refused(&format!(
                "it is of {} revisions at once, {}, where there must be one; leave the right one in `alembic_version`",
                several.len(),
                several.join(" and ")
            )));
        }
    };
    if EARLIER.contains(&revision) {
        return Ok(refused(&format!(
            "it is of revision {revision}, before states had a table of their own that is written to; upgrade it first (`meltano upgrade database`)"
        )));
    }
    if !WRITTEN.contains(&revision) {
        return Ok(refused(&format!(
            "it is of revision {revision}, which this version of statescope does not know; use a newer one"
        )));
    }
    if let Some(missing) = missing(schema) {
        return Ok(refused(&format!(
            "it is of revision {revision} and has no {missing}, as that revision has; restore it from a backup, or upgrade it again"
        )));
    }
    if schema::sql_of(connection, "runs")?.is_some_and(|sql| forbids_edits(&sql)) {
        return Ok(refused(&format!(
            "its `runs` table has a CHECK, `{STATUS_CHECK}`, from before Meltano knew edits of a state, which refuses the run of every edit; make the table anew without it"
        )));
    }
    Ok(Access::ReadWrite)
}

const NO_REVISION: &str = "it says of no revision that it is of it, so what its tables mean is not known; put the right one into `alembic_version`";

fn refused(why: &str) -> Access {
    Access::ReadOnly(why.to_owned())
}

/// Names what a schema lacks.
fn missing(schema: &Schema) -> Option<&'static str> {
    if schema.states != Some(StatesTable { key: "state_id" }) {
        return Some("`state` table with a `state_id`");
    }
    match schema.runs {
        Some(RunsTable {
            name: "runs",
            key: "job_name",
            has_run_id: true,
            has_trigger: true,
            has_heartbeat: true,
        }) => None,
        _ => Some("`runs` table with all of its columns"),
    }
}

/// Tells whether a table was made with the constraint, and its list lacks the status of an edit.
fn forbids_edits(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    let Some((_, behind)) = sql.split_once(STATUS_CHECK) else {
        return false;
    };
    let behind = behind.trim_start_matches(['"', '`', ']', ' ', '\n', '\t', '\r']);
    let list = behind.strip_prefix("check").map(|list| {
        let end = list.find("))").unwrap_or(list.len());
        list.get(..end).unwrap_or(list)
    });
    list.is_some_and(|list| !list.contains(&EDITED.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::sqlalchemy_1_3("CONSTRAINT job_state CHECK (state IN ('IDLE', 'DEAD'))", true)]
    #[case::quoted("constraint \"job_state\"\n check(state IN ('IDLE'))", true)]
    #[case::knows_edits("CONSTRAINT job_state CHECK (state IN ('IDLE', 'STATE_EDIT'))", false)]
    #[case::edits_elsewhere(
        "CONSTRAINT job_state CHECK (state IN ('IDLE')), CHECK (state <> 'STATE_EDIT')",
        true
    )]
    #[case::another_check("CHECK (payload_flags >= 0)", false)]
    #[case::a_column("job_state VARCHAR", false)]
    fn the_constraint_is_found(#[case] of_table: &str, #[case] forbids: bool) {
        let sql = format!("CREATE TABLE runs (id INTEGER, state VARCHAR(7), {of_table})");
        assert_eq!(forbids_edits(&sql), forbids);
    }
}
