//! What is on the screen, cell by cell, at the sizes that matter.

use insta::assert_snapshot;
use ratatui::style::{Color, Modifier};

use super::support::{Known, Stage, denied, github, jobs, text};
use crate::domain::history::RunStatus;
use crate::domain::id::StateId;
use crate::domain::ui::Theme;
use crate::tui::Message;
use crate::tui::view::render;

#[test]
fn loading() {
    let stage = Stage::silent(60, 15, vec![Ok(vec![])]);
    assert_snapshot!(stage.screen(), @"
     statescope ▸ ◐ meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 0 … ────────────────────────────────────────────────┐
    │                                                          │
    │ Reading meltano.db …                                     │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    └──────────────────────────────────────────────────────────┘

     : commands   ? help   q quit
    ");
}

#[test]
fn empty() {
    assert_snapshot!(Stage::of(80, 20, vec![]).screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 0 ─────────────────────────┐┌ Job ──────────────────────────────────────┐
    │                                 ││ A job's timeline and state appear here.   │
    │ No jobs yet.                    ││                                           │
    │ The first `meltano run` of this ││                                           │
    │ project makes one.              ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘

     : commands   ? help   q quit
    ");
}

#[test]
fn a_source_that_cannot_be_read() {
    let mut stage = Stage::silent(60, 15, vec![Err(denied())]);
    stage.answer();
    assert_snapshot!(stage.screen(), @"
     statescope ▸ ✗ meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 0 ──────────────────────────────────────────────────┐
    │                                                          │
    │ cannot read sqlite:///old.db                             │
    │ why: permission denied                                   │
    │ try: run as a user who may read it, or copy it           │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    └──────────────────────────────────────────────────────────┘

     r again   : commands   ? help   q quit
    ");
}

#[test]
fn one_source_of_three_that_cannot_be_read() {
    let second = vec![Known::new("staging:tap-github-to-target-jsonl").holds("{}")];
    let mut stage = Stage::silent(120, 20, vec![Ok(jobs()), Ok(second), Err(denied())]);
    stage.answer();
    assert_snapshot!(stage.screen(), @"
     statescope ▸ ● meltano.db sqlite  ● staging.db sqlite  ✗ old.db sqlite                                  read-only  UTC
    ┌ Jobs 7 ─────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────┐
    │✗ old.db: permission denied                      ││  ● ● · ◆ ●[○]                                        6 of 6 · now │
    │   state ID                        run bookmark  ││ now · as the last run left it                                     │
    │▸● dev:tap-github…jsonl            1 h      2 h  │├ [State] JSON  Diff  ──────────────────────────────────────────────┤
    │ ◐ prod:tap-github…snowflake       now     25 h  ││ ▾ bookmarks                                             3 streams │
    │ ✗ prod:tap-shopify…bigquery:eu    5 h        – !││   ▾ commits                                          2 partitions │
    │ ◐ prod:tap-killed…bigquery      stale        –  ││     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z           2 h │
    │ ○ Nachtabgleich Größe 日本語 🚀     –        –  ││     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z          18 d │
    │ ∅ dev:tap-postgres…jsonl          5 d        –  ││   ▸ issues         since       2026-11-30T03:50:00Z           2 h │
    │ ○ staging:tap-github…jsonl          –        –  ││   ▸ events         id          8812331                            │
    │                                                 ││                                                                   │
    │                                                 ││                                                                   │
    │                                                 ││                                                                   │
    │                                                 ││                                                                   │
    │                                                 ││                                                                   │
    │                                                 ││                                                                   │
    └─────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B  in meltano.db
     Enter open   h earlier   l later   d diff   v view   m mark   y copy   / filter   r again   : commands   ? help
    ");
}

#[test]
fn jobs_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("Tab j j").screen(), @"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ● ● · ◆ ●[○]                                                    6 of 6 · now │
    │▸● dev:tap-github-to-target-jsonl          1 h      2 h  ││ now · as the last run left it                                                 │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  │├ [State] JSON  Diff  ──────────────────────────────────────────────────────────┤
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││ ▾ bookmarks                                                         3 streams │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  ││   ▾ commits                                                      2 partitions │
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z                       2 h │
    │ ∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z                      18 d │
    │                                                         ││   ▸ issues         since       2026-11-30T03:50:00Z                       2 h │
    │                                                         ││   ▸ events         id          8812331                                        │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions/0  {3 keys}
     Enter open   h earlier   l later   < changed   d diff   v view   m mark   y copy   / search   Esc back   : commands   ? help   q quit
    ");
}

#[test]
fn jobs_at_80() {
    assert_snapshot!(Stage::of(80, 24, jobs()).screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ● ● · ◆ ●[○]                6 of 6 · now │
    │▸● dev:tap-github…jsonl     1 h  ││ now · as the last run left it             │
    │ ◐ prod:…github…snowflake   now  │├ [State] JSON  Diff  ──────────────────────┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ ▾ bookmarks                     3 streams │
    │ ◐ prod:…killed…bigquery  stale  ││  ▾ commits                   2 partitions │
    │ ○ Nachtabgleich …本語 🚀     –  ││   ▸ {acme, api}  2026-11-30T03:59:58Z 2 h │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││   ▸ {acme, web}  2026-11-12T00:00:00Z     │
    │                                 ││  ▸ issues        2026-11-30T03:50:00Z 2 h │
    │                                 ││  ▸ events        8812331                  │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn jobs_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("j").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 6 ──────────────────────────────────────────────────┐
    │   state ID                                 run bookmark  │
    │ ● dev:tap-github-to-target-jsonl           1 h      2 h  │
    │▸◐ prod:tap-github-to-target-snowflake      now     25 h  │
    │ ✗ prod:tap-shopify-to-target-bigquery:eu   5 h        – !│
    │ ◐ prod:tap-killed-to-target-bigquery     stale        –  │
    │ ○ Nachtabgleich Größe 日本語 🚀              –        –  │
    │ ∅ dev:tap-postgres-to-target-jsonl         5 d        –  │
    │                                                          │
    │                                                          │
    │                                                          │
    └──────────────────────────────────────────────────────────┘
     prod:tap-github-to-target-snowflake  3 streams · 390 B
     Enter open   d diff   / filter   ? help
    ");
}

#[test]
fn a_state_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("Enter j j").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  2 of 2
    ┌ dev:tap-github-to-target-jsonl ──────────────────────────┐
    │  ● ● · ◆ ●[○]                               6 of 6 · now │
    │ now · as the last run left it                            │
    ├ [State] JSON  Diff  ─────────────────────────────────────┤
    │ ▾ bookmarks                                    3 streams │
    │   ▾ commits                                 2 partitions │
    │     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z  2 h │
    │     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z 18 d │
    │   ▸ issues         since       2026-11-30T03:50:00Z  2 h │
    │   ▸ events         id          8812331                   │
    │                                                          │
    └──────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions/0  {3 keys}
     Enter open   d diff   / search   ? help
    ");
}

#[test]
fn jobs_at_40() {
    assert_snapshot!(Stage::of(40, 10, jobs()).screen(), @"
     statescope ▸ ● meltano.db sqli… 1 of 2
    Jobs 6
    ▸● dev:tap-github…jsonl            1 h
     ◐ prod:tap-github…snowflake       now
     ✗ prod:tap-shopify…bigquery:eu    5 h !
     ◐ prod:tap-killed…bigquery      stale
     ○ Nachtabgleich Größe 日本語 🚀     –
     ∅ dev:tap-postgres…jsonl          5 d
     dev:tap-github-to-target-jsonl  3 stre…
     Enter open   / filter   ? help
    ");
}

#[test]
fn a_state_at_40() {
    let mut stage = Stage::of(40, 10, jobs());
    assert_snapshot!(stage.press("Enter j j").screen(), @"
    statescope ▸ ● meltano.db sqli… 2 of 2
    dev:tap-github-to-target-jsonl
     ● ● · ◆ ●[○]             6 of 6 · now
    now · as the last run left it
    [State] JSON  Diff
    ▾ bookmarks                  3 streams
     ▾ commits                2 partitions
      ▸ {acme, api}  2026-11-30T03:59:58Z
    /singer_state/boo…rtitions/0  {3 keys}
    Enter open   / search   ? help
    ");
}

#[test]
fn too_small() {
    assert_snapshot!(Stage::of(20, 5, jobs()).screen(), @"
    statescope needs 24
    columns and 6 rows;
    q leaves
    ");
}

#[test]
fn a_diff_with_a_back_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("h d Tab n").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ● ● · ◆[●]○                                             5 of 6 · today 04:12 │
    │▸● dev:tap-github-to-target-jsonl          1 h      2 h  ││ succeeded · ◀ 1 back · 2 streams moved · 12 m 3 s            run 01a22ebf41c2 │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  │├  State  JSON [Diff] ─────────────────────────── yesterday 17:40 → today 04:12 ┤
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││ ◀ 1 back · 2 changed · 7 the same                                             │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  ││   commits                                                                     │
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││     {acme, api}  updated_at                                       + 23 h 59 m │
    │ ∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││       2026-11-29T04:00:12Z → 2026-11-30T03:59:58Z                             │
    │                                                         ││     {acme, web}  updated_at                                   ◀ back 17 d 4 h │
    │                                                         ││       2026-11-29T04:01:00Z → 2026-11-12T00:00:00Z                             │
    │                                                         ││   issues  since                                                         + 1 d │
    │                                                         ││     2026-11-29T03:50:00Z → 2026-11-30T03:50:00Z                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions/1/replication_key_value  "2026-11-29T04:01:00Z" → "2026-11-12T00:00:00Z"
     n next   h earlier   l later   < changed   d diff   v view   m mark   y copy   / filter   Esc back   : commands   ? help   q quit
    "#);
}

#[test]
fn a_diff_with_a_back_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("h d").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ● ● · ◆[●]○         5 of 6 · today 04:12 │
    │▸● dev:tap-github…jsonl     1 h  ││ succeeded · ◀ 1 back · 2 streams moved ·… │
    │ ◐ prod:…github…snowflake   now  │├ [Diff] ──── yesterday 17:40 → today 04:12 ┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ ◀ 1 back · 2 changed · 7 the same         │
    │ ◐ prod:…killed…bigquery  stale  ││   commits                                 │
    │ ○ Nachtabgleich …本語 🚀     –  ││     {acme, api}  updated_at   + 23 h 59 m │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││     2026-11-29T04… → 2026-11-30T03:59:58Z │
    │                                 ││     {acme, web}  updated… ◀ back 17 d 4 h │
    │                                 ││     2026-11-29T04… → 2026-11-12T00:00:00Z │
    │                                 ││   issues  since                     + 1 d │
    │                                 ││     2026-11-29T03… → 2026-11-30T03:50:00Z │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn a_diff_with_a_back_at_40() {
    let mut stage = Stage::of(40, 10, jobs());
    assert_snapshot!(stage.press("h d Tab n").screen(), @r#"
    statescope ▸ ● meltano.db sqli… 2 of 2
    dev:tap-github-to-target-jsonl
     ● ● · ◆[●]○      5 of 6 · today 04:12
    succeeded · ◀ 1 back · 2 streams move…
    [Diff]   yesterday 17:40 → today 04:12
    ◀ 1 back · 2 changed · 7 the same
        {acme, web}  upda… ◀ back 17 d 4 h
        2026-11-29… → 2026-11-12T00:00:00Z
    /singer_st…_value  "2026-11-29T04:01:0…
    n next   d diff   / filter   ? help
    "#);
}

#[test]
fn every_kind_of_change_in_one_row_each() {
    let before = r#"{"singer_state": {"bookmarks": {"commits": {"partitions": [{"context": {"org": "acme", "repo": "old"}, "since": "2026-11-01"}, {"context": {"org": "acme", "repo": "web"}, "since": "2026-11-29T04:00:00Z"}]}, "gone": {"id": 1}, "same": {"id": 5}, "spelled": {"since": "2026-11-29T04:00:00Z"}, "moved": {"id": 8812331}}, "currently_syncing": "commits"}}"#;
    let after = r#"{"singer_state": {"bookmarks": {"commits": {"partitions": [{"context": {"org": "acme", "repo": "web"}, "since": "2026-11-12T00:00:00Z"}]}, "same": {"id": 5}, "spelled": {"since": "2026-11-29T04:00:00+00:00"}, "moved": {"id": 8813007}, "releases": {"since": "2026-11-30T00:00:00Z"}}, "currently_syncing": null}}"#;
    let job = Known::new("dev:tap-github-to-target-jsonl")
        .ran(RunStatus::Success, "2026-11-29 04:00:00", Some(before))
        .ran(RunStatus::Success, "2026-11-30 04:00:00", Some(after))
        .holds(after);
    let mut stage = Stage::of(160, 24, vec![job]);
    assert_snapshot!(stage.press("h d Tab").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                                                                                                read-only  UTC
    ┌ Jobs 1 ────────────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ────────────────────────────────────────────────────────────┐
    │   state ID                                       run bookmark  ││  ●[●]○                                                                2 of 3 · today 04:00 │
    │▸● dev:tap-github-to-target-jsonl                 2 h      6 h  ││ succeeded · ◀ 1 back · 4 streams moved · 12 m 3 s                         run 01a22ebf41c2 │
    │                                                                │├  State  JSON [Diff] ──────────────────────────────────────── yesterday 04:00 → today 04:00 ┤
    │                                                                ││ ◀ 1 back · 2 changed · 1 added · 2 removed · 1 respelled · 3 the same                      │
    │                                                                ││   commits                                                                                  │
    │                                                                ││ -   {acme, old}               whole partition · since 2026-11-01                           │
    │                                                                ││     {acme, web}     since     2026-11-29T04:00:00Z → 2026-11-12T00:00:00Z  ◀ back 17 d 4 h │
    │                                                                ││ - gone                        whole stream · id 1                                          │
    │                                                                ││   moved             id        8812331 → 8813007                                      + 676 │
    │                                                                ││ + releases                    whole stream · since 2026-11-30T00:00:00Z                    │
    │                                                                ││   currently_syncing           commits → null                                               │
    │                                                                ││   respelled: the same instants and numbers, written another way                            │
    │                                                                ││   spelled           since     2026-11-29T04:00:00Z → 2026-11-29T04:00:00+00:00             │
    │                                                                ││                                                                                            │
    │                                                                ││                                                                                            │
    │                                                                ││                                                                                            │
    │                                                                ││                                                                                            │
    │                                                                ││                                                                                            │
    │                                                                ││                                                                                            │
    └────────────────────────────────────────────────────────────────┘└────────────────────────────────────────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions/0  {"context": {"org": "acme", "repo": "old"}, "since": "2026-11-01"}
     n next   h earlier   l later   < changed   d diff   v view   m mark   y copy   / filter   Esc back   : commands   ? help   q quit
    "#);
}

#[test]
fn the_first_run_is_compared_with_nothing() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("h h h h h d").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││ [●]● · ◆ ● ○        1 of 6 · 28 Nov 04:12 │
    │▸● dev:tap-github…jsonl     1 h  ││ succeeded · 3 streams moved · 12 m 3 s    │
    │ ◐ prod:…github…snowflake   now  │├ [Diff] ─────────── nothing → 28 Nov 04:12 ┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ 3 added                                   │
    │ ◐ prod:…killed…bigquery  stale  ││ + commits                                 │
    │ ○ Nachtabgleich …本語 🚀     –  ││     whole stream · 2 partitions           │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││ + issues                                  │
    │                                 ││     whole stream · since 2026-11-28T03:5… │
    │                                 ││ + events                                  │
    │                                 ││     whole stream · id 8812331             │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn wide_characters() {
    let mut stage = Stage::of(80, 20, jobs());
    assert_snapshot!(stage.press("j j j j").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ Nachtabgleich Größe 日本語 🚀 ────────────┐
    │   state ID                 run  ││ [○]                          1 of 1 · now │
    │ ● dev:tap-github…jsonl     1 h  ││ now · no run of it is known               │
    │ ◐ prod:…github…snowflake   now  │├ [State] JSON  Diff  ──────────────────────┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ ▾ bookmarks                      1 stream │
    │ ◐ prod:…killed…bigquery  stale  ││  ▸ größe 日本語  7                        │
    │▸○ Nachtabgleich …本語 🚀     –  ││                                           │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     Nachtabgleich Größe 日本語 🚀  1 stream · 67 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn values_with_escape_sequences() {
    let evil = Known::new("evil\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}").holds(
        "{\"singer_state\": {\"bookmarks\": {\"a\\u001b[31m\": {\"k\": \"v\\u001b[31m\\n\\u009b2J\"}, \"\u{85}\u{200b}\": 1}}}",
    );
    let stage = Stage::of(80, 20, vec![evil]);
    assert_snapshot!(stage.screen(), @r"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 1 ─────────────────────────┐┌ evil\x1b[2J\x1b]0;title\x07\u{202e} ──────┐
    │   state ID                 run  ││ [○]                          1 of 1 · now │
    │▸○ evil\x1b[2J…\u{202e}       –  ││ now · no run of it is known               │
    │                                 │├ [State] JSON  Diff  ──────────────────────┤
    │                                 ││ ▾ bookmarks                     2 streams │
    │                                 ││  ▸ a\x1b[31m     v\x1b[31m\n\x9b2J        │
    │                                 ││    \x85\u{200b}  1                        │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     evil\x1b[2J\x1b]0;title\x07\u{202e}  2 streams · 94 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn a_hundred_thousand_jobs() {
    let job = Known::new("x").holds("{}").job();
    let mut stage = Stage::silent(80, 20, vec![Ok(vec![])]);
    let [crate::tui::Effect::List { ticket, .. }] = stage.asked()[..] else {
        panic!("one source is listed");
    };
    for chunk in 0..100 {
        let jobs = (0..1_000).map(|n| crate::domain::job::Job {
            id: StateId::new(format!("prod:tap-{}-to-target-x", chunk * 1_000 + n)),
            ..job.clone()
        });
        stage.send(crate::tui::Message::Jobs {
            source: 0,
            ticket,
            generation: 0,
            jobs: jobs.collect(),
        });
    }
    assert_snapshot!(stage.press_only("G k k").screen(), @"
     statescope ▸ ◐ meltano.db sqlite                                read-only  UTC
    ┌ Jobs 100 000 … ─────────────────┐┌ prod:tap-99997-to-target-x … ─────────────┐
    │   state ID                 run  ││ Reading …                                 │
    │ ○ prod:tap-99986…x           –  ││                                           │
    │ ○ prod:tap-99987…x           –  ││                                           │
    │ ○ prod:tap-99988…x           –  ││                                           │
    │ ○ prod:tap-99989…x           –  ││                                           │
    │ ○ prod:tap-99990…x           –  ││                                           │
    │ ○ prod:tap-99991…x           –  ││                                           │
    │ ○ prod:tap-99992…x           –  ││                                           │
    │ ○ prod:tap-99993…x           –  ││                                           │
    │ ○ prod:tap-99994…x           –  ││                                           │
    │ ○ prod:tap-99995…x           –  ││                                           │
    │ ○ prod:tap-99996…x           –  ││                                           │
    │▸○ prod:tap-99997…x           –  ││                                           │
    │ ○ prod:tap-99998…x           –  ││                                           │
    │ ○ prod:tap-99999…x           –  ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     prod:tap-99997-to-target-x  0 streams · 4 B
     Enter open   / filter   s sort   : commands   ? help   q quit
    ");
}

#[test]
fn a_filter_with_a_result() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("/").type_text("snow").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 1 of 6 ─────────────────────────────────────────────┐
    │/ snow                                                    │
    │   state ID                                 run bookmark  │
    │▸◐ prod:tap-github-to-target-snowflake      now     25 h  │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    └──────────────────────────────────────────────────────────┘
     prod:tap-github-to-target-snowflake  3 streams · 390 B
     Enter keep   Esc drop   Down next   Up previous
    ");
}

#[test]
fn a_filter_without_a_result() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("/").type_text("nothing like it").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 0 of 6 ─────────────────────────────────────────────┐
    │/ nothing like it                                         │
    │                                                          │
    │ No job matches.                                          │
    │ Esc drops the filter.                                    │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    │                                                          │
    └──────────────────────────────────────────────────────────┘

     Enter keep   Esc drop   Down next   Up previous
    ");
}

#[test]
fn a_long_filter_shows_what_is_around_the_cursor() {
    let mut stage = Stage::of(40, 10, jobs());
    stage
        .press("/")
        .type_text("日本語 and so many more characters that they do not fit");
    let mut buffer = stage.buffer();
    let cursor = render(&stage.model, &mut buffer).unwrap();
    assert_eq!((cursor.x, cursor.y), (39, 2));
    assert_snapshot!(text(&buffer), @"
     statescope ▸ ● meltano.db sqli… 1 of 2
    Jobs 0 of 6
    / …more characters that they do not fit
     No job matches.
     Esc drops the filter.




     Enter keep   Esc drop   Down next
    ");
}

#[test]
fn help_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("?").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ┌ Keys ────────────────────────────────────────── 1–19 of 78 ┐────────┐
    │   state│everywhere                                                  │6 · now │
    │▸● dev:t│  h  Left          the snapshot before                      │        │
    │ ◐ prod:│  l  Right         the snapshot after                       │────────┤
    │ ✗ prod:│  d                what the snapshot changed, or its state  │streams │
    │ ◐ prod:│  v                state, JSON, diff in turn                │titions │
    │ ○ Nacht│  m                mark the snapshot to compare others with…│58Z 2 h │
    │ ∅ dev:t│  y                copy the value, its path, the document, …│00Z     │
    │        │  j  Down          down                                     │00Z 2 h │
    │        │  k  Up            up                                       │        │
    │        │  Ctrl-d           half a page down                         │        │
    │        │  Ctrl-u           half a page up                           │        │
    │        │  PgDn  Ctrl-f     a page down                              │        │
    │        │  PgUp  Ctrl-b     a page up                                │        │
    │        │  g  Home          the first line                           │        │
    │        │  G  End           the last line                            │        │
    │        │  Tab  Shift-Tab   the other pane                           │        │
    │        │  r                read everything again                    │        │
    │        │  :                any command by its name                  │        │
    │        │  :messages        everything that was said                 │        │
    └────────└────────────────────────────────────────────────────────────┘────────┘

     Esc close
    ");
}

#[test]
fn help_scrolls_at_40() {
    let mut stage = Stage::of(40, 10, jobs());
    assert_snapshot!(stage.press("? G").screen(), @"
     statescope ▸ ● meltano.db sqli… 1 of 2
    ┌ Keys ─────────────────── 74–78 of 78 ┐
    │  ∅            no state: cleared, del…│
    │  ◆            an edit by hand        │
    │  ◀            a bookmark went back   │
    │  *            marked: others are com…│
    │  !            something is wrong wit…│
    └──────────────────────────────────────┘

     Esc close
    ");
}

#[test]
fn a_state_that_cannot_be_read() {
    let job = Known::new("broken")
        .holds_parts(r#"{"singer_state": {}}"#, "{\"singer_state\": \u{1b}[31m");
    assert_snapshot!(Stage::of(80, 20, vec![job]).screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 1 ─────────────────────────┐┌ broken ───────────────────────────────────┐
    │   state ID                 run  ││ [○]                          1 of 1 · now │
    │▸○ broken                     – !││ now · no run of it is known               │
    │                                 │├ [State] JSON  Diff  ──────────────────────┤
    │                                 ││ There is no effective state: the partial  │
    │                                 ││ part is not JSON: line 1, column 18:      │
    │                                 ││ expected a value, found '\u{1b}'.         │
    │                                 ││                                           │
    │                                 ││ completed, as stored                      │
    │                                 ││ {"singer_state": {}}                      │
    │                                 ││                                           │
    │                                 ││ partial, as stored                        │
    │                                 ││ {"singer_state": \x1b[31m                 │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     broken  ! the partial part is not JSON: line 1, column 18: expected a value, f…
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    "#);
}

#[test]
fn parts_that_cannot_be_merged() {
    let mut stage = Stage::of(80, 20, jobs());
    assert_snapshot!(stage.press("j j").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ prod:tap-shopify-to-target-bigquery:eu ───┐
    │   state ID                 run  ││  ✗[○]                        2 of 2 · now │
    │ ● dev:tap-github…jsonl     1 h  ││ now                                       │
    │ ◐ prod:…github…snowflake   now  ││ ! now is not what the runs left, and no   │
    │▸✗ prod:tap-shop…query:eu   5 h !││   clear, import or upgrade explains it    │
    │ ◐ prod:…killed…bigquery  stale  │├ [State] JSON  Diff  ──────────────────────┤
    │ ○ Nachtabgleich …本語 🚀     –  ││ There is no effective state: partial      │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││ cannot be merged onto completed at        │
    │                                 ││ /singer_state/bookmarks/a: an object over │
    │                                 ││ a value that is not an object.            │
    │                                 ││                                           │
    │                                 ││ completed, as stored                      │
    │                                 ││ {"singer_state": {"bookmarks": {"a": 1}}} │
    │                                 ││                                           │
    │                                 ││ partial, as stored                        │
    │                                 ││ {"singer_state": {"bookmarks": {"a": {"x" │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     prod:tap-shopify-to-target-bigquery:eu  ! partial cannot be merged onto comple…
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    "#);
}

#[test]
fn a_job_that_is_gone() {
    let mut stage = Stage::of(80, 20, jobs());
    assert_snapshot!(stage.press("G").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-postgres-to-target-jsonl ─────────┐
    │   state ID                 run  ││  ●[∅]                        2 of 2 · now │
    │ ● dev:tap-github…jsonl     1 h  ││ now · no state                            │
    │ ◐ prod:…github…snowflake   now  ││ ! runs left a state, the source has none: │
    │ ✗ prod:tap-shop…query:eu   5 h !││   it was cleared (a clear leaves no run)  │
    │ ◐ prod:…killed…bigquery  stale  │├ [State] JSON  Diff  ──────────────────────┤
    │ ○ Nachtabgleich …本語 🚀     –  ││ The source holds no state for this job:   │
    │▸∅ dev:tap-postgres…jsonl   5 d  ││ its next run reads everything.            │
    │                                 ││ The last known one is snapshot 1: h goes  │
    │                                 ││ there.                                    │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-postgres-to-target-jsonl  no state
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn a_job_that_died() {
    let mut stage = Stage::of(100, 20, jobs());
    assert_snapshot!(stage.press("j j j h").screen(), @"
     statescope ▸ ● meltano.db sqlite                                                    read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────┐┌ prod:tap-killed-to-target-bigquery ───────────────────┐
    │   state ID                run bookmark  ││ [◐]○                            1 of 2 · 27 Nov 01:00 │
    │ ● dev:tap-github…jsonl    1 h      2 h  ││ stale: no sign of life for 3 d · left no state        │
    │ ◐ prod:tap-git…nowflake   now     25 h  │├ [State] JSON  Diff  ──────────────────────────────────┤
    │ ✗ prod:tap-sho…query:eu   5 h        – !││ No run had left a state yet.                          │
    │▸◐ prod:…killed…bigquery stale        –  ││                                                       │
    │ ○ Nachtabgleich…本語 🚀     –        –  ││                                                       │
    │ ∅ dev:…postgres…jsonl     5 d        –  ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    │                                         ││                                                       │
    └─────────────────────────────────────────┘└───────────────────────────────────────────────────────┘
     prod:tap-killed-to-target-bigquery  0 streams · 22 B
     Enter open   h earlier   l later   d diff   v view   m mark   / filter   : commands   ? help
    ");
}

#[test]
fn a_run_that_failed_says_why() {
    let held = github("2026-11-28", "2026-11-28", "2026-11-28");
    let failed = format!(
        r#"{{"error": "Loader failed\nTraceback \u001b[31m", {}"#,
        &held[1..]
    );
    let job = Known::new("dev:tap-github-to-target-jsonl")
        .ran(RunStatus::Fail, "2026-11-29 04:00:00", Some(&failed))
        .holds(&held);
    let mut stage = Stage::of(80, 20, vec![job]);
    assert_snapshot!(stage.press("h").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 1 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││ [✗]○             1 of 2 · yesterday 04:00 │
    │▸✗ dev:tap-github…jsonl    26 h  ││ failed · 3 streams moved · 12 m 3 s       │
    │                                 ││ ! Loader failed                           │
    │                                 │├ [State] JSON  Diff  ──────────────────────┤
    │                                 ││ ▾ bookmarks                     3 streams │
    │                                 ││  ▾ commits                   2 partitions │
    │                                 ││   ▸ {acme, api}  2026-11-28           2 d │
    │                                 ││   ▸ {acme, web}  2026-11-28           2 d │
    │                                 ││  ▸ issues        2026-11-28           2 d │
    │                                 ││  ▸ events        8812331                  │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 360 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn a_job_that_cannot_be_read() {
    let mut stage = Stage::silent(80, 20, vec![Ok(jobs())]);
    let asked = stage.asked();
    stage.later(asked);
    stage.answer_but_loads(&denied());
    assert_snapshot!(stage.screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││ cannot read sqlite:///old.db              │
    │▸● dev:tap-github…jsonl     1 h  ││ why: permission denied                    │
    │ ◐ prod:…github…snowflake   now  ││ try: run as a user who may read it, or    │
    │ ✗ prod:tap-shop…query:eu   5 h !││ copy it                                   │
    │ ◐ prod:…killed…bigquery  stale  ││                                           │
    │ ○ Nachtabgleich …本語 🚀     –  ││                                           │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   / filter   s sort   : commands   ? help   q quit
    ");
}

#[test]
fn two_hundred_thousand_partitions() {
    let each: Vec<_> = (0..200_000)
        .map(|n| format!(r#"{{"context": {{"repo": "{n}"}}, "since": "2026-11-30T00:00:00Z"}}"#))
        .collect();
    let held = format!(
        r#"{{"singer_state": {{"bookmarks": {{"commits": {{"partitions": [{}]}}}}}}}}"#,
        each.join(", ")
    );
    let mut stage = Stage::of(80, 20, vec![Known::new("big").holds(&held)]);
    assert_snapshot!(stage.press("Tab j Enter G k").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 1 ─────────────────────────┐┌ big ──────────────────────────────────────┐
    │   state ID                 run  ││ [○]                          1 of 1 · now │
    │▸○ big                        –  ││ now · no run of it is known               │
    │                                 │├ [State] JSON  Diff  ──────────────────────┤
    │                                 ││   ▸ {199988}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199989}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199990}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199991}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199992}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199993}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199994}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199995}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199996}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199997}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199998}  2026-11-30T00:00:00Z    6 h │
    │                                 ││   ▸ {199999}  2026-11-30T00:00:00Z    6 h │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions/199998  {2 keys}
     Enter open   h earlier   l later   d diff   / search   ? help
    ");
}

#[test]
fn the_cursor_is_reversed_where_the_keys_go_and_bold_elsewhere() {
    let mut stage = Stage::of(80, 24, jobs());
    let look = |stage: &Stage, x: u16, y: u16| stage.buffer()[(x, y)].modifier;
    assert!(look(&stage, 4, 3).contains(Modifier::REVERSED));
    assert!(look(&stage, 40, 5).contains(Modifier::BOLD));
    stage.press("Tab");
    assert!(!look(&stage, 4, 3).contains(Modifier::REVERSED));
    assert!(look(&stage, 4, 3).contains(Modifier::BOLD));
    assert!(look(&stage, 40, 5).contains(Modifier::REVERSED));
}

#[test]
fn colour_only_repeats_what_is_written() {
    let mut stage = Stage::of(140, 45, jobs());
    stage.press("h d");
    let colored = stage.buffer();
    assert!(colored.content.iter().any(|cell| cell.fg == Color::Red));
    stage.model.theme = Theme::Plain;
    let plain = stage.buffer();
    assert!(
        plain
            .content
            .iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
    assert_eq!(text(&plain), text(&colored));
}

#[test]
fn an_operation_that_was_cut_short_is_told_above_the_jobs() {
    let warning = "operation 214 (put dev:tap-github-to-target-jsonl) was cut short, and the source holds \
                   what was wanted; finish it: `statescope operations --again 214`; take it back: `statescope undo 214`";
    let mut stage = Stage::of(60, 15, jobs());
    let ticket = stage.model.sources[0].ticket;
    let warned = |ticket| Message::Warned {
        source: 0,
        ticket,
        warnings: vec![warning.to_owned()],
    };
    assert_eq!(stage.send(warned(ticket)), []);
    assert_snapshot!(stage.screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 6 ──────────────────────────────────────────────────┐
    │! operation 214 (put dev:tap-github-to-target-jsonl) was  │
    │  cut short, and the source holds what was wanted; finish │
    │  it: `statescope operations --again 214`; take it back:  │
    │  `statescope undo 214`                                   │
    │   state ID                                 run bookmark  │
    │▸● dev:tap-github-to-target-jsonl           1 h      2 h  │
    │ ◐ prod:tap-github-to-target-snowflake      now     25 h  │
    │ ✗ prod:tap-shopify-to-target-bigquery:eu   5 h        – !│
    │ ◐ prod:tap-killed-to-target-bigquery     stale        –  │
    │ ○ Nachtabgleich Größe 日本語 🚀              –        –  │
    └──────────────────────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   d diff   / filter   ? help
    ");
    stage.press("R");
    assert_eq!(stage.send(warned(ticket)), []);
}

#[test]
fn a_state_as_json_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("Tab v j").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ● ● · ◆ ●[○]                6 of 6 · now │
    │▸● dev:tap-github…jsonl     1 h  ││ now · as the last run left it             │
    │ ◐ prod:…github…snowflake   now  │├  State [JSON] Diff  ──────────────────────┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ {                                         │
    │ ◐ prod:…killed…bigquery  stale  ││  "singer_state": {                        │
    │ ○ Nachtabgleich …本語 🚀     –  ││   "bookmarks": {                          │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││    "commits": {                           │
    │                                 ││     "partitions": [                       │
    │                                 ││      {                                    │
    │                                 ││       "context": {                        │
    │                                 ││        "org": "acme",                     │
    │                                 ││        "repo": "api"                      │
    │                                 ││       },                                  │
    │                                 ││       "replication_key": "updated_at",    │
    │                                 ││       "replication_key_value": "2026-11-… │
    │                                 ││      },                                   │
    │                                 ││      {                                    │
    │                                 ││       "context": {                        │
    │                                 ││        "org": "acme",                     │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     /singer_state/bookmarks/commits  {1 key}
     h earlier   l later   < changed   d diff   v view   m mark   / search   ? help
    "#);
}

#[test]
fn a_state_as_json_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("v").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ● ● · ◆ ●[○]                                                    6 of 6 · now │
    │▸● dev:tap-github-to-target-jsonl          1 h      2 h  ││ now · as the last run left it                                                 │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  │├  State [JSON] Diff  ──────────────────────────────────────────────────────────┤
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││ {                                                                             │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  ││   "singer_state": {                                                           │
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││     "bookmarks": {                                                            │
    │ ∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││       "commits": {                                                            │
    │                                                         ││         "partitions": [                                                       │
    │                                                         ││           {                                                                   │
    │                                                         ││             "context": {                                                      │
    │                                                         ││               "org": "acme",                                                  │
    │                                                         ││               "repo": "api"                                                   │
    │                                                         ││             },                                                                │
    │                                                         ││             "replication_key": "updated_at",                                  │
    │                                                         ││             "replication_key_value": "2026-11-30T03:59:58Z"                   │
    │                                                         ││           },                                                                  │
    │                                                         ││           {                                                                   │
    │                                                         ││             "context": {                                                      │
    │                                                         ││               "org": "acme",                                                  │
    │                                                         ││               "repo": "web"                                                   │
    │                                                         ││             },                                                                │
    │                                                         ││             "replication_key": "updated_at",                                  │
    │                                                         ││             "replication_key_value": "2026-11-12T00:00:00Z"                   │
    │                                                         ││           }                                                                   │
    │                                                         ││         ]                                                                     │
    │                                                         ││       },                                                                      │
    │                                                         ││       "issues": {                                                             │
    │                                                         ││         "since": "2026-11-30T03:50:00Z"                                       │
    │                                                         ││       },                                                                      │
    │                                                         ││       "events": {                                                             │
    │                                                         ││         "id": 8812331                                                         │
    │                                                         ││       }                                                                       │
    │                                                         ││     }                                                                         │
    │                                                         ││   }                                                                           │
    │                                                         ││ }                                                                             │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   m mark   y copy   / filter   s sort   : commands   ? help   q quit
    "#);
}

#[test]
fn a_state_as_json_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("Enter v G").screen(), @r#"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  2 of 2
    ┌ dev:tap-github-to-target-jsonl ──────────────────────────┐
    │  ● ● · ◆ ●[○]                               6 of 6 · now │
    │ now · as the last run left it                            │
    ├  State [JSON] Diff  ─────────────────────────────────────┤
    │       },                                                 │
    │       "events": {                                        │
    │         "id": 8812331                                    │
    │       }                                                  │
    │     }                                                    │
    │   }                                                      │
    │ }                                                        │
    └──────────────────────────────────────────────────────────┘
       {1 key}
     h earlier   l later   d diff   / search   ? help
    "#);
}

#[test]
fn json_keeps_values_as_they_are_stored() {
    let odd = Known::new("odd").holds(
        "{\"größe 日本語\": [1E5, NaN, -0.0, \"\u{85}\u{200b}\\u001b[31m\"], \"a\": 1, \"a\": 123456789012345678901234567890123456789012345678901234567890, \"日本語日本語日本語日本語日本語日本語\": {}}",
    );
    let mut stage = Stage::of(80, 20, vec![odd]);
    assert_snapshot!(stage.press("v").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 1 ─────────────────────────┐┌ odd ──────────────────────────────────────┐
    │   state ID                 run  ││ [○]                          1 of 1 · now │
    │▸○ odd                        – !││ now · no run of it is known               │
    │                                 │├  State [JSON] Diff  ──────────────────────┤
    │                                 ││ {                                         │
    │                                 ││  "größe 日本語": [                        │
    │                                 ││   1E5,                                    │
    │                                 ││   NaN,                                    │
    │                                 ││   -0.0,                                   │
    │                                 ││   "\x85\u{200b}\u001b[31m"                │
    │                                 ││  ],                                       │
    │                                 ││  "a": 1,  a later key hides it            │
    │                                 ││  "a": 1234567890123456789012345678901234… │
    │                                 ││  "日本語日本語日本語日本語日本語日本語":… │
    │                                 ││ }                                         │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     odd  ! the completed part has a key twice at /a; the last one counts  0 stream…
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    "#);
}

#[test]
fn a_search_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("Tab / 2 0 2 6 Enter n").screen(), @r#"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ● ● · ◆ ●[○]                6 of 6 · now │
    │▸● dev:tap-github…jsonl     1 h  ││ now · as the last run left it             │
    │ ◐ prod:…github…snowflake   now  │├ [State] JSON  Diff  ──────────────────────┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ / 2026                             2 of 3 │
    │ ◐ prod:…killed…bigquery  stale  ││ ▾ bookmarks                     3 streams │
    │ ○ Nachtabgleich …本語 🚀     –  ││  ▾ commits                   2 partitions │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││   ▾ {acme, api}                    3 keys │
    │                                 ││    ▸ context                       2 keys │
    │                                 ││      replication_k…  updated_at           │
    │                                 ││      replication_k…  2026-11-30T03:59:58Z │
    │                                 ││   ▾ {acme, web}                    3 keys │
    │                                 ││    ▸ context                       2 keys │
    │                                 ││      replication_k…  updated_at           │
    │                                 ││      replication_k…  2026-11-12T00:00:00Z │
    │                                 ││  ▸ issues            2026-11-30T03:50:00Z │
    │                                 ││  ▸ events            8812331              │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     /singer_state/bookmarks/commits/…replication_key_value  "2026-11-12T00:00:00Z"
     Enter open   h earlier   l later   d diff   / search   n next   ? help
    "#);
}

#[test]
fn a_search_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("Tab v / c o m m i t s").screen(), @r#"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  2 of 2
    ┌ dev:tap-github-to-target-jsonl ──────────────────────────┐
    │  ● ● · ◆ ●[○]                               6 of 6 · now │
    │ now · as the last run left it                            │
    ├  State [JSON] Diff  ─────────────────────────────────────┤
    │ / commits                                         1 of 1 │
    │ {                                                        │
    │   "singer_state": {                                      │
    │     "bookmarks": {                                       │
    │       "commits": {                                       │
    │         "partitions": [                                  │
    │           {                                              │
    └──────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits  {1 key}
     Enter keep   Esc drop   Down next   Up previous
    "#);
}

#[test]
fn a_search_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("Tab / n o n e").screen(), @"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ● ● · ◆ ●[○]                                                    6 of 6 · now │
    │▸● dev:tap-github-to-target-jsonl          1 h      2 h  ││ now · as the last run left it                                                 │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  │├ [State] JSON  Diff  ──────────────────────────────────────────────────────────┤
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││ / none                                                              not found │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  ││ ▾ bookmarks                                                         3 streams │
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││   ▾ commits                                                      2 partitions │
    │ ∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z                       2 h │
    │                                                         ││     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z                      18 d │
    │                                                         ││   ▸ issues         since       2026-11-30T03:50:00Z                       2 h │
    │                                                         ││   ▸ events         id          8812331                                        │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     /singer_state/bookmarks/commits/partitions  [2 items]
     Enter keep   Esc drop   Down next   Up previous
    ");
}

#[test]
fn what_was_searched_stands_out_by_more_than_colour() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("Tab / 2 0 2 6 Enter g");
    stage.model.theme = Theme::Plain;
    let screen = stage.screen();
    let row = screen
        .lines()
        .position(|line| line.contains("2026-11-30T03:50"))
        .unwrap();
    let line = screen.lines().nth(row).unwrap();
    let column = line.chars().position(|c| c == '2').unwrap();
    let look = |x: usize| {
        stage.buffer()[(u16::try_from(x).unwrap(), u16::try_from(row).unwrap())].modifier
    };
    assert!(look(column + 3).contains(Modifier::REVERSED));
    assert!(!look(column + 4).contains(Modifier::REVERSED));
}

#[test]
fn a_mark_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("h h h h m l l").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ─────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ●*● ·[◆]● ○     4 of 6 · yesterday 17:40 │
    │▸●*dev:tap-github…jsonl     1 h  ││ edited by hand                            │
    │ ◐ prod:…github…snowflake   now  │├ [State] JSON  Diff  ─── * yesterday 04:12 ┤
    │ ✗ prod:tap-shop…query:eu   5 h !││ ▾ bookmarks                     3 streams │
    │ ◐ prod:…killed…bigquery  stale  ││  ▾ commits                   2 partitions │
    │ ○ Nachtabgleich …本語 🚀     –  ││   ▸ {acme, api}  2026-11-29T04:00:12Z     │
    │ ∅ dev:tap-postgres…jsonl   5 d  ││   ▸ {acme, web}  2026-11-29T04:01:00Z     │
    │                                 ││  ▸ issues        2026-11-29T03:50:00Z     │
    │                                 ││  ▸ events        8812331                  │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn a_mark_of_another_job_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("m d j j j j j").screen(), @"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-postgres-to-target-jsonl ─────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ●[∅]                                                            2 of 2 · now │
    │ ●*dev:tap-github-to-target-jsonl          1 h      2 h  ││ now · no state                                                                │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  ││ ! runs left a state, the source has none: it was cleared (a clear leaves no   │
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││   run)                                                                        │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  │├  State  JSON [Diff] ──────────────────────── * dev:tap-github…jsonl now → now ┤
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││ 3 removed                                                                     │
    │▸∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││ - commits                                                                     │
    │                                                         ││     whole stream · 2 partitions                                               │
    │                                                         ││ - issues                                                                      │
    │                                                         ││     whole stream · since 2026-11-30T03:50:00Z                                 │
    │                                                         ││ - events                                                                      │
    │                                                         ││     whole stream · id 8812331                                                 │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     dev:tap-postgres-to-target-jsonl  no state
     Enter open   h earlier   l later   d diff   v view   m mark   y copy   / filter   s sort   : commands   ? help   q quit
    ");
}

#[test]
fn a_mark_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("h h h h h m Tab l d").screen(), @r#"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  2 of 2
    ┌ dev:tap-github-to-target-jsonl ──────────────────────────┐
    │ *●[●]· ◆ ● ○                    2 of 6 · yesterday 04:12 │
    │ succeeded · 12 m 3 s                    run 01a22ebf41c2 │
    ├  State  JSON [Diff] ─── * 28 Nov 04:12 → yesterday 04:12 ┤
    │ 3 changed · 7 the same                                   │
    │   commits                                                │
    │     {acme, api}  updated_at                        + 1 d │
    │       2026-11-28T03:59:58Z → 2026-11-29T04:00:12Z        │
    │     {acme, web}  updated_at                        + 1 d │
    │       2026-11-28T04:00:31Z → 2026-11-29T04:01:00Z        │
    │   issues  since                                    + 1 d │
    └──────────────────────────────────────────────────────────┘
     /singer_state/bo…_key_value  "2026-11-28T03:59:58Z" → "202…
     n next   h earlier   l later   d diff   / filter   ? help
    "#);
}

#[test]
fn groups_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press("S s s").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 by run, per environment ─┐┌ dev:tap-github-to-target-jsonl ───────────┐
    │   state ID                 run  ││  ● ● · ◆ ●[○]                6 of 6 · now │
    │ dev 2                           ││ now · as the last run left it             │
    │▸● dev:tap-github…jsonl     1 h  │├ [State] JSON  Diff  ──────────────────────┤
    │ ∅ dev:tap-postgres…jsonl   5 d  ││ ▾ bookmarks                     3 streams │
    │ prod 3                          ││  ▾ commits                   2 partitions │
    │ ◐ prod:…github…snowflake   now  ││   ▸ {acme, api}  2026-11-30T03:59:58Z 2 h │
    │ ✗ prod:tap-shop…query:eu   5 h !││   ▸ {acme, web}  2026-11-12T00:00:00Z     │
    │ ◐ prod:…killed…bigquery  stale  ││  ▸ issues        2026-11-30T03:50:00Z 2 h │
    │ no environment 1                ││  ▸ events        8812331                  │
    │ ○ Nachtabgleich …本語 🚀     –  ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    │                                 ││                                           │
    └─────────────────────────────────┘└───────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn groups_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press("s s s s s S j").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Jobs 6 by finding, per environment ──────────────────────┐
    │   state ID                                 run bookmark  │
    │ dev 2                                                    │
    │ ● dev:tap-github-to-target-jsonl           1 h      2 h  │
    │▸∅ dev:tap-postgres-to-target-jsonl         5 d        –  │
    │ prod 3                                                   │
    │ ✗ prod:tap-shopify-to-target-bigquery:eu   5 h        – !│
    │ ◐ prod:tap-github-to-target-snowflake      now     25 h  │
    │ ◐ prod:tap-killed-to-target-bigquery     stale        –  │
    │ no environment 1                                         │
    │ ○ Nachtabgleich Größe 日本語 🚀              –        –  │
    └──────────────────────────────────────────────────────────┘
     dev:tap-postgres-to-target-jsonl  no state
     Enter open   d diff   / filter   ? help
    ");
}

#[test]
fn groups_by_source_at_140() {
    let second = vec![Known::new("staging:tap-github-to-target-jsonl").holds("{}")];
    let mut stage = Stage::silent(140, 45, vec![Ok(jobs()), Ok(second)]);
    stage.answer();
    assert_snapshot!(stage.press("S S s").screen(), @"
     statescope ▸ ● meltano.db sqlite  ● staging.db sqlite                                                                       read-only  UTC
    ┌ Jobs 7 by ID, per source ───────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                  source        run bookmark  ││  ● ● · ◆ ●[○]                                                    6 of 6 · now │
    │ meltano.db 6                                            ││ now · as the last run left it                                                 │
    │ ○ Nachtabgleich G…日本語 🚀 meltano.db      –        –  │├ [State] JSON  Diff  ──────────────────────────────────────────────────────────┤
    │▸● dev:tap-github…jsonl      meltano.db    1 h      2 h  ││ ▾ bookmarks                                                         3 streams │
    │ ∅ dev:tap-postgres…jsonl    meltano.db    5 d        –  ││   ▾ commits                                                      2 partitions │
    │ ◐ prod:tap-github…snowflake meltano.db    now     25 h  ││     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z                       2 h │
    │ ◐ prod:tap-killed…bigquery  meltano.db  stale        –  ││     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z                      18 d │
    │ ✗ prod:…shopify…bigquery:eu meltano.db    5 h        – !││   ▸ issues         since       2026-11-30T03:50:00Z                       2 h │
    │ staging.db 1                                            ││   ▸ events         id          8812331                                        │
    │ ○ staging:tap-github…jsonl  staging.db      –        –  ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘
     dev:tap-github-to-target-jsonl  3 streams · 390 B  in meltano.db
     Enter open   h earlier   l later   d diff   v view   m mark   y copy   / filter   s sort   : commands   ? help   q quit
    ");
}

#[test]
fn copy_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    let screen = stage.press("Tab j j y").screen();
    let last: Vec<_> = screen.lines().rev().take(2).collect();
    assert_snapshot!(last.join("\n"), @"
    y value   p pointer   j jq path   d document   i ID   Esc nothing
    copy what?  /singer_state/bookmarks/commits/partitions/0  {3 keys}
    ");
}

#[test]
fn copied_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    let screen = stage.press("Tab j j y p").screen();
    let last: Vec<_> = screen.lines().rev().take(2).collect();
    assert_snapshot!(last.join("\n"), @"
    Enter open   d diff   / search   ? help
    Copied the JSON Pointer (44 B), if the terminal allows it.
    ");
}

#[test]
fn copied_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    let screen = stage.press("y d").screen();
    let last: Vec<_> = screen.lines().rev().take(2).collect();
    assert_snapshot!(last.join("\n"), @"
    Enter open   h earlier   l later   d diff   v view   m mark   y copy   / filter   s sort   : commands   ? help   q quit
    Copied the document (388 B), if the terminal allows it.
    ");
}

#[test]
fn the_palette_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_snapshot!(stage.press(": m e s").screen(), @"
     statescope ▸ ● meltano.db sqlite                                read-only  UTC
    ┌ Jobs 6 ┌ Commands ──────────────────────────────────────────────────┐────────┐
    │   state│: mes                                                       │6 · now │
    │▸● dev:t│ messages           everything that was said                │        │
    │ ◐ prod:│ mark               mark the snapshot to compare ot…      m │────────┤
    │ ✗ prod:│ mouse              listen to the mouse, or leave i…        │streams │
    │ ◐ prod:│ group              group by environment, source in…      S │titions │
    │ ○ Nacht│                                                            │58Z 2 h │
    │ ∅ dev:t│                                                            │00Z     │
    │        │                                                            │00Z 2 h │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    │        │                                                            │        │
    └────────└────────────────────────────────────────────────────────────┘────────┘

     Enter do it   Esc nothing   Down next   Up previous
    ");
}

#[test]
fn the_palette_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    assert_snapshot!(stage.press(":").screen(), @"
     statescope ▸ ● meltano.db sqlite    read-only  UTC  1 of 2
    ┌ Commands ────────────────────────────────────────────────┐
    │:                                                         │
    │ open               go into the job                 Enter │
    │ earlier            the snapshot before                 h │
    │ later              the snapshot after                  l │
    │ diff               what the snapshot changed, or…      d │
    │ view               state, JSON, diff in turn           v │
    │ mark               mark the snapshot to compare …      m │
    │ filter             filter the jobs                     / │
    │ sort               sort by ID, run, bookmark, si…      s │
    │ group              group by environment, source …      S │
    └──────────────────────────────────────────────────────────┘

     Enter do it   Esc nothing   Down next   Up previous
    ");
}

#[test]
fn messages_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    assert_snapshot!(stage.press("m m y d : m e s Enter").screen(), @"
     statescope ▸ ● meltano.db sqlite                                                                                            read-only  UTC
    ┌ Jobs 6 ─────────────────────────────────────────────────┐┌ dev:tap-github-to-target-jsonl ───────────────────────────────────────────────┐
    │   state ID                                run bookmark  ││  ● ● · ◆ ●[○]                                                    6 of 6 · now │
    │▸● dev:tap-github-to-target-jsonl          1 h      2 h  ││ now · as the last run left it                                                 │
    │ ◐ prod:tap-github-to-target-snowflake     now     25 h  │├ [State] JSON  Diff  ──────────────────────────────────────────────────────────┤
    │ ✗ prod:tap-shopify…bigquery:eu            5 h        – !││ ▾ bookmarks                                                         3 streams │
    │ ◐ prod:tap-killed-to-target-bigquery    stale        –  ││   ▾ commits                                                      2 partitions │
    │ ○ Nachtabgleich Größe 日本語 🚀             –        –  ││     ▸ {acme, api}  updated_at  2026-11-30T03:59:58Z                       2 h │
    │ ∅ dev:tap-postgres-to-target-jsonl        5 d        –  ││     ▸ {acme, web}  updated_at  2026-11-12T00:00:00Z                      18 d │
    │                                                         ││   ▸ issues         since       2026-11-30T03:50:00Z                       2 h │
    │                                                         ││   ▸ events         id          8812331                                        │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                      ┌ Messages ──────────────────────────────────────────────────┐                                      │
    │                                      │ 06:00   Copied the document (388 B), if the terminal       │                                      │
    │                                      │         allows it.                                         │                                      │
    │                                      │ 06:00   The mark is cleared; the diff compares with the    │                                      │
    │                                      │         snapshot before again.                             │                                      │
    │                                      │ 06:00   Marked now of dev:tap-github-to-target-jsonl; d    │                                      │
    │                                      │         compares with it, m here clears it.                │                                      │
    │                                      └────────────────────────────────────────────────────────────┘                                      │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    │                                                         ││                                                                               │
    └─────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────────┘

     Esc close
    ");
}

#[test]
fn ascii_at_80() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.model.ascii = true;
    stage.press("h d");
    assert!(stage.screen().is_ascii());
    assert_snapshot!(stage.screen(), @"
     statescope > @ meltano.db sqlite                                read-only  UTC
    + Jobs 6 -------------------------++ dev:tap-github-to-target-jsonl -----------+
    |   state ID                 run  ||  @ @ . #[@]o         5 of 6 . today 04:12 |
    |>@ dev:tap-github~jsonl     1 h  || succeeded . < 1 back . 2 streams moved .~ |
    | % prod:~github~snowflake   now  |+ [Diff] ---- yesterday 17:40 > today 04:12 +
    | x prod:tap-shop~query:eu   5 h !|| < 1 back . 2 changed . 7 the same         |
    | % prod:~killed~bigquery  stale  ||   commits                                 |
    | o Nachtabgleich ~? ?  ?      -  ||     {acme, api}  updated_at   + 23 h 59 m |
    | 0 dev:tap-postgres~jsonl   5 d  ||     2026-11-29T04~ > 2026-11-30T03:59:58Z |
    |                                 ||     {acme, web}  updated~ < back 17 d 4 h |
    |                                 ||     2026-11-29T04~ > 2026-11-12T00:00:00Z |
    |                                 ||   issues  since                     + 1 d |
    |                                 ||     2026-11-29T03~ > 2026-11-30T03:50:00Z |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    |                                 ||                                           |
    +---------------------------------++-------------------------------------------+
     dev:tap-github-to-target-jsonl  3 streams . 390 B
     Enter open   h earlier   l later   d diff   v view   / filter   ? help
    ");
}

#[test]
fn ascii_at_60() {
    let mut stage = Stage::of(60, 15, jobs());
    stage.model.ascii = true;

    assert!(stage.screen().is_ascii());
    assert_snapshot!(stage.screen(), @"
     statescope > @ meltano.db sqlite    read-only  UTC  1 of 2
    + Jobs 6 --------------------------------------------------+
    |   state ID                                 run bookmark  |
    |>@ dev:tap-github-to-target-jsonl           1 h      2 h  |
    | % prod:tap-github-to-target-snowflake      now     25 h  |
    | x prod:tap-shopify-to-target-bigquery:eu   5 h        - !|
    | % prod:tap-killed-to-target-bigquery     stale        -  |
    | o Nachtabgleich Gr??e ? ? ?  ?               -        -  |
    | 0 dev:tap-postgres-to-target-jsonl         5 d        -  |
    |                                                          |
    |                                                          |
    |                                                          |
    +----------------------------------------------------------+
     dev:tap-github-to-target-jsonl  3 streams . 390 B
     Enter open   d diff   / filter   ? help
    ");
}

#[test]
fn ascii_at_140() {
    let mut stage = Stage::of(140, 45, jobs());
    stage.model.ascii = true;
    stage.press("?");
    assert!(stage.screen().is_ascii());
    assert_snapshot!(stage.screen(), @"
     statescope > @ meltano.db sqlite                                                                                            read-only  UTC
    + Jobs 6 ------------------------------+ Keys ------------------------------------------ 1-40 of 78 +--------------------------------------+
    |   state ID                           |everywhere                                                  |                         6 of 6 . now |
    |>@ dev:tap-github-to-target-jsonl     |  h  Left          the snapshot before                      |                                      |
    | % prod:tap-github-to-target-snowflake|  l  Right         the snapshot after                       |--------------------------------------+
    | x prod:tap-shopify~bigquery:eu       |  d                what the snapshot changed, or its state  |                            3 streams |
    | % prod:tap-killed-to-target-bigquery |  v                state, JSON, diff in turn                |                         2 partitions |
    | o Nachtabgleich Gr??e ? ? ?  ?       |  m                mark the snapshot to compare others with~|0T03:59:58Z                       2 h |
    | 0 dev:tap-postgres-to-target-jsonl   |  y                copy the value, its path, the document, ~|2T00:00:00Z                      18 d |
    |                                      |  j  Down          down                                     |0T03:50:00Z                       2 h |
    |                                      |  k  Up            up                                       |                                      |
    |                                      |  Ctrl-d           half a page down                         |                                      |
    |                                      |  Ctrl-u           half a page up                           |                                      |
    |                                      |  PgDn  Ctrl-f     a page down                              |                                      |
    |                                      |  PgUp  Ctrl-b     a page up                                |                                      |
    |                                      |  g  Home          the first line                           |                                      |
    |                                      |  G  End           the last line                            |                                      |
    |                                      |  Tab  Shift-Tab   the other pane                           |                                      |
    |                                      |  r                read everything again                    |                                      |
    |                                      |  :                any command by its name                  |                                      |
    |                                      |  :messages        everything that was said                 |                                      |
    |                                      |  ?                these keys                               |                                      |
    |                                      |  q  Ctrl-c        leave                                    |                                      |
    |                                      |  :mouse           listen to the mouse, or leave it to the ~|                                      |
    |                                      |  Ctrl-z           stop, until `fg` in the shell goes on    |                                      |
    |                                      |jobs                                                        |                                      |
    |                                      |  Enter            go into the job                          |                                      |
    |                                      |  /                filter the jobs                          |                                      |
    |                                      |  s                sort by ID, run, bookmark, size, finding~|                                      |
    |                                      |  S                group by environment, source in turn     |                                      |
    |                                      |  Esc              drop the filter                          |                                      |
    |                                      |the filter                                                  |                                      |
    |                                      |  Enter  Tab       keep the filter                          |                                      |
    |                                      |  Esc              drop the filter                          |                                      |
    |                                      |  Down  Ctrl-n     down                                     |                                      |
    |                                      |  Up  Ctrl-p       up                                       |                                      |
    |                                      |  Ctrl-c           leave                                    |                                      |
    |                                      |a job                                                       |                                      |
    |                                      |  <                back to where the value under the cursor~|                                      |
    |                                      |  >                on to where the value under the cursor c~|                                      |
    |                                      |  Esc              drop the search, or back to the jobs     |                                      |
    |                                      |its state                                                   |                                      |
    +--------------------------------------+------------------------------------------------------------+--------------------------------------+

     Esc close
    ");
}
