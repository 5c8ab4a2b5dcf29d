//! Short names for the snapshots of one timeline.

use std::collections::HashMap;

use crate::domain::history::{Snapshot, Timeline};

/// Knows which short names mean one snapshot only.
pub(super) struct Names {
    count: HashMap<String, usize>,
}

impl Names {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let mut count = HashMap::new();
        for snapshot in &timeline.snapshots {
            *count.entry(snapshot.id.short()).or_insert(0) += 1;
        }
        Self { count }
    }

    /// Gives the short name where it names this snapshot alone, else the whole ID. It has no control characters.
    pub(super) fn of_snapshot(&self, snapshot: &Snapshot) -> String {
        let short = snapshot.id.short();
        if self.count.get(&short) == Some(&1) {
            crate::report::printable(&short)
        } else {
            snapshot.id.to_string()
        }
    }
}
