//! What messages do: each with the whole list of effects.

use std::sync::Arc;

use super::support::{Known, Stage, denied, github, jobs, now};
use crate::domain::diff;
use crate::domain::history::RunStatus;
use crate::domain::id::{Matches, StateId};
use crate::domain::job::Job;
use crate::domain::json::search::{Needle, search};
use crate::domain::ui::{Key, KeyPress};
use crate::tui::message::Ticket;
use crate::tui::model::{Pane, Tab};
use crate::tui::{Effect, Message, Mouse};

fn key(c: char) -> Message {
    Message::Key(KeyPress::char(c))
}

fn special(key: Key) -> Message {
    Message::Key(KeyPress::of(key))
}

fn chunk(source: usize, ticket: u64, generation: u32, names: &[&str]) -> Message {
    Message::Jobs {
        source,
        ticket: Ticket(ticket),
        generation,
        jobs: names.iter().map(|name| Known::new(name).job()).collect(),
    }
}

fn load(source: usize, id: &str, ticket: u64) -> Effect {
    Effect::Load {
        source,
        id: StateId::from(id),
        ticket: Ticket(ticket),
    }
}

fn list(source: usize, ticket: u64) -> Effect {
    Effect::List {
        source,
        ticket: Ticket(ticket),
    }
}

fn shown(stage: &Stage) -> Vec<&str> {
    stage.model.jobs.names_shown().collect()
}

fn many(count: usize) -> Vec<Job> {
    (0..count)
        .map(|n| Known::new(&format!("job-{n:06}")).job())
        .collect()
}

#[test]
fn opening_lists_every_source_and_the_first_rows_load_the_first_job() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![]), Ok(vec![])]);
    assert_eq!(stage.asked(), [list(0, 1), list(1, 2)]);
    assert_eq!(stage.send(chunk(1, 2, 0, &["b", "c"])), [load(1, "b", 3)]);
    assert_eq!(stage.send(chunk(0, 1, 0, &["a"])), []);
    assert_eq!(shown(&stage), ["a", "b", "c"]);
    assert_eq!(stage.selected(), "b");
}

#[test]
fn moving_loads_the_job_under_the_cursor_and_only_its_answer_counts() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a", "b"]));
    assert_eq!(stage.send(key('j')), [load(0, "b", 3)]);
    assert_eq!(stage.send(key('j')), []);

    let late = Message::Loaded {
        ticket: Ticket(2),
        outcome: Ok(Known::new("a").holds("{}").timeline()),
    };
    assert_eq!(stage.send(late), []);
    assert!(stage.model.detail.as_ref().unwrap().is_reading());

    let answer = Message::Loaded {
        ticket: Ticket(3),
        outcome: Err(denied()),
    };
    assert_eq!(stage.send(answer), []);
    assert!(!stage.model.detail.as_ref().unwrap().is_reading());
}

#[test]
fn rows_of_an_earlier_reading_leave() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a", "gone", "b"]));
    stage.send(key('G'));
    stage.send(chunk(0, 1, 1, &["new", "b"]));
    assert_eq!(shown(&stage), ["new", "b"]);
    stage.send(chunk(0, 7, 0, &["of no question"]));
    assert_eq!(shown(&stage), ["new", "b"]);
}

#[test]
fn reading_again_keeps_what_is_shown_until_the_answer_and_the_cursor_on_its_job() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a", "b", "c"]));
    stage.send(Message::Listed {
        source: 0,
        ticket: Ticket(1),
        outcome: Ok(()),
    });
    stage.send(key('j'));
    assert_eq!(stage.send(key('r')), [list(0, 4), load(0, "b", 5)]);
    assert_eq!(shown(&stage), ["a", "b", "c"]);
    assert_eq!(stage.send(chunk(0, 4, 0, &["0", "a", "b"])), []);
    assert_eq!(shown(&stage), ["0", "a", "b"]);
    assert_eq!(stage.selected(), "b");
}

#[test]
fn the_cursor_waits_for_its_job_while_rows_come_and_no_longer() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a", "b"]));
    stage.send(key('j'));
    assert_eq!(stage.send(key('r')), [list(0, 4), load(0, "b", 5)]);
    assert_eq!(stage.send(chunk(0, 4, 0, &["a"])), []);
    let end = Message::Listed {
        source: 0,
        ticket: Ticket(4),
        outcome: Ok(()),
    };
    assert_eq!(stage.send(end), [load(0, "a", 6)]);
}

#[test]
fn a_source_that_became_empty_shows_nothing() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a"]));
    stage.send(key('r'));
    stage.send(Message::Listed {
        source: 0,
        ticket: Ticket(3),
        outcome: Ok(()),
    });
    assert!(shown(&stage).is_empty());
}

#[test]
fn a_source_that_breaks_off_keeps_what_it_gave() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["a"]));
    stage.send(Message::Listed {
        source: 0,
        ticket: Ticket(1),
        outcome: Err(denied()),
    });
    assert_eq!(shown(&stage), ["a"]);
}

#[test]
fn few_names_are_filtered_at_once_and_the_best_match_is_loaded() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["dev:a", "prod:a", "prod:b"]));
    assert_eq!(stage.send(key('/')), []);
    assert_eq!(stage.send(key('p')), [load(0, "prod:a", 3)]);
    assert_eq!(stage.send(key('b')), [load(0, "prod:b", 4)]);
    assert_eq!(shown(&stage), ["prod:b"]);
    assert_eq!(stage.send(key('x')), []);
    assert!(shown(&stage).is_empty());
    assert_eq!(stage.send(special(Key::Esc)), [load(0, "dev:a", 5)]);
    assert_eq!(shown(&stage), ["dev:a", "prod:a", "prod:b"]);
}

#[test]
fn many_names_are_filtered_elsewhere_and_late_answers_are_dropped() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(Message::Jobs {
        source: 0,
        ticket: Ticket(1),
        generation: 0,
        jobs: many(5_000),
    });
    stage.send(key('/'));
    let names = stage.model.jobs.names().clone();
    let filter = |query: &str, ticket, previous: Option<&Matches>| Effect::Filter {
        ticket: Ticket(ticket),
        names: names.clone(),
        query: query.to_owned(),
        previous: previous.cloned(),
    };
    assert_eq!(stage.send(key('4')), [filter("4", 3, None)]);
    assert_eq!(stage.send(key('2')), [filter("42", 4, None)]);

    let find = |query: &str| Matches::find(&names, query, None, &|| false).unwrap();
    let answer = |ticket, matches: &Matches| Message::Filtered {
        ticket: Ticket(ticket),
        matches: matches.clone(),
    };
    assert_eq!(stage.send(answer(3, &find("4"))), []);
    assert_eq!(shown(&stage).len(), 5_000);

    let found = find("42");
    assert_eq!(stage.send(answer(4, &found)), [load(0, "job-000042", 5)]);
    assert_eq!(shown(&stage).len(), found.places.len());
    assert_eq!(stage.send(key('7')), [filter("427", 6, Some(&found))]);
}

#[test]
fn rows_that_keep_coming_do_not_put_a_filter_off() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    let rows = |jobs| Message::Jobs {
        source: 0,
        ticket: Ticket(1),
        generation: 0,
        jobs,
    };
    stage.send(rows(many(5_000)));
    stage.send(key('/'));
    let asked = stage.send(key('4'));
    assert_eq!(asked.len(), 1);
    assert_eq!(stage.send(rows(many(10))), []);

    let matches = Stage::find(&asked[0]);
    let again = stage.send(Message::Filtered {
        ticket: Ticket(3),
        matches,
    });
    let [Effect::Filter { ticket, names, .. }, Effect::Load { .. }] = &again[..] else {
        panic!("{} effects", again.len());
    };
    assert_eq!((*ticket, names.len()), (Ticket(4), 5_010));
}

#[test]
fn stepping_through_time_compares_with_the_snapshot_before() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_eq!(stage.place(), (6, 6));
    stage.press("h");
    assert_eq!(stage.place(), (5, 6));
    assert_eq!(
        stage
            .history()
            .changes
            .as_ref()
            .unwrap()
            .status()
            .unwrap()
            .0,
        "/singer_state/bookmarks/commits/partitions/0/replication_key_value"
    );
    stage.press("h h h h h h h");
    assert_eq!(stage.place(), (1, 6));
    stage.press("l l l l l l l l");
    assert_eq!(stage.place(), (6, 6));
}

#[test]
fn large_states_are_compared_elsewhere_and_only_the_shown_one_counts() {
    let big = |value: &str| {
        let filler = "x".repeat(200 << 10);
        github(value, value, &filler)
    };
    let job = Known::new("big")
        .ran(
            RunStatus::Success,
            "2026-11-28 04:00:00",
            Some(&big("2026-11-28")),
        )
        .ran(
            RunStatus::Success,
            "2026-11-29 04:00:00",
            Some(&big("2026-11-29")),
        )
        .holds(&big("2026-11-29"));
    let timeline = job.timeline();
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["big"]));
    let compare = |ticket, right: usize| Effect::Compare {
        ticket: Ticket(ticket),
        left: timeline.snapshots[right - 1].effective.clone().unwrap(),
        right: timeline.snapshots[right].effective.clone().unwrap(),
    };
    let loaded = Message::Loaded {
        ticket: Ticket(2),
        outcome: Ok(Arc::clone(&timeline)),
    };
    assert_eq!(stage.send(loaded), [compare(3, 2)]);
    assert_eq!(stage.send(key('h')), [compare(4, 1)]);
    assert_eq!(stage.send(key('j')), []);

    let answer = |ticket, right: usize| Message::Compared {
        ticket: Ticket(ticket),
        diff: Arc::new(diff::diff(
            timeline.snapshots[right - 1].effective.as_ref().unwrap(),
            timeline.snapshots[right].effective.as_ref().unwrap(),
        )),
    };
    assert_eq!(stage.send(answer(3, 2)), []);
    assert!(stage.history().changes.is_none());
    assert_eq!(stage.send(answer(4, 1)), []);
    assert!(!stage.history().changes.as_ref().unwrap().is_empty());
    assert_eq!(stage.send(key('l')), [compare(5, 2)]);
    assert_eq!(stage.send(key('h')), [], "an answer is kept");
}

#[test]
fn back_goes_one_step_at_a_time() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("/").type_text("prod").press("Enter Enter ?");
    assert!(stage.model.help.is_some());
    stage.press("Esc");
    assert!(stage.model.help.is_none());
    assert_eq!(stage.model.focus, Pane::Detail);
    stage.press("Esc");
    assert_eq!(stage.model.focus, Pane::Jobs);
    assert_eq!(shown(&stage).len(), 3);
    stage.press("Esc");
    assert_eq!(shown(&stage).len(), 6);
    stage.press("Esc");
    assert!(!stage.quit);
}

#[test]
fn keys_that_type_do_not_command() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("/").type_text("q?dr");
    assert_eq!(stage.model.jobs.query(), "q?dr");
    assert!(!stage.quit && stage.model.help.is_none());
    assert_eq!(stage.model.tab, Tab::State);
    stage.send(Message::Paste("\u{1b}[201~x\ny".to_owned()));
    assert_eq!(stage.model.jobs.query(), "q?dr [201~x y");
    stage.press("Ctrl-c");
    assert!(stage.quit);
}

#[test]
fn pasted_text_commands_nothing_outside_a_field() {
    let mut stage = Stage::of(80, 24, jobs());
    assert_eq!(stage.send(Message::Paste("qqq".to_owned())), []);
    assert_eq!(stage.model.jobs.query(), "");
}

#[test]
fn time_passes() {
    let mut stage = Stage::of(80, 24, jobs());
    let later = now() + jiff::SignedDuration::from_hours(1);
    assert_eq!(stage.send(Message::Tick(later)), []);
    assert!(
        stage.screen().contains("jsonl     2 h"),
        "{}",
        stage.screen()
    );
}

#[test]
fn the_same_lines_stay_open_from_one_snapshot_to_the_next() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("Tab j j j Enter j");
    assert!(stage.status().contains("/1/context"), "{}", stage.status());
    stage.press("h");
    assert!(stage.status().contains("/1/context"), "{}", stage.status());
    stage.press("r");
    assert_eq!(stage.place(), (5, 6), "reading again stays at the snapshot");
    assert!(stage.status().contains("/1/context"), "{}", stage.status());
}

#[test]
fn the_views_of_a_snapshot_come_in_turn_and_keep_their_place() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("Tab j j j Enter j");
    assert!(stage.status().contains("/1/context"), "{}", stage.status());
    stage.press("v");
    assert_eq!(stage.model.tab, Tab::Json);
    assert!(stage.status().contains("/1/context"), "{}", stage.status());
    stage.press("j j");
    assert!(
        stage.status().contains("/1/context/repo"),
        "{}",
        stage.status()
    );
    stage.press("h");
    assert_eq!(stage.place(), (5, 6));
    assert!(
        stage.status().contains("/1/context/repo"),
        "{}",
        stage.status()
    );
    stage.press("d d");
    assert_eq!(
        stage.model.tab,
        Tab::Json,
        "the diff gives way to what was there"
    );
    stage.press("v v");
    assert_eq!(stage.model.tab, Tab::State);
    stage.press("v v v");
    assert!(
        stage.status().contains("/1/context/repo"),
        "{}",
        stage.status()
    );
    stage.press("r");
    assert!(
        stage.status().contains("/1/context/repo"),
        "{}",
        stage.status()
    );
}

#[test]
fn what_has_no_tree_has_no_json_either() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("j j v Tab");
    assert!(stage.screen().contains("There is no effective state"));
    stage.press("v v v");
    assert!(stage.screen().contains("There is no effective state"));
    assert!(stage.screen().contains("State [JSON]"));
    stage.press("j G g");
    assert!(stage.screen().contains("completed, as stored"));
}

#[test]
fn a_search_goes_from_match_to_match_through_what_is_closed() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("Tab / w e b");
    assert!(
        stage.status().contains("/1/context/repo"),
        "{}",
        stage.status()
    );
    stage.press("Enter");
    assert!(stage.screen().contains("1 of 1"), "{}", stage.screen());
    stage.press("Esc / 2 0 2 6 Enter");
    assert!(
        stage.status().contains("/1/replication_key_value"),
        "{}",
        stage.status()
    );
    stage.press("n");
    assert!(
        stage.status().contains("/issues/since"),
        "{}",
        stage.status()
    );
    stage.press("n");
    assert!(
        stage.status().contains("/0/replication_key_value"),
        "{}",
        stage.status()
    );
    stage.press("N N");
    assert!(
        stage.status().contains("/1/replication_key_value"),
        "{}",
        stage.status()
    );
    stage.press("v n");
    assert!(
        stage.status().contains("/issues/since"),
        "{}",
        stage.status()
    );
    stage.press("h");
    assert!(stage.screen().contains("3 of 3"), "{}", stage.screen());
    stage.press("Esc");
    assert_eq!(stage.model.focus, Pane::Detail);
    assert!(!stage.screen().contains("of 3"));
    stage.press("Esc");
    assert_eq!(stage.model.focus, Pane::Jobs);
}

#[test]
fn keys_that_type_into_a_search_do_not_command() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("Tab /").type_text("qd?");
    assert_eq!(stage.model.search.field.value(), "qd?");
    assert!(!stage.quit && stage.model.tab == Tab::State);
    stage.send(Message::Paste("x\ny".to_owned()));
    assert_eq!(stage.model.search.field.value(), "qd?x y");
    assert_eq!(stage.model.jobs.query(), "");
    stage.press("n");
    assert!(stage.screen().contains("not found"), "{}", stage.screen());
}

#[test]
fn a_match_that_has_no_line_of_its_own_does_not_hold_the_cursor() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press("Tab / p a r t Enter");
    assert!(stage.screen().contains("1 of 1"), "{}", stage.screen());
    stage.press("Esc / r e p Enter");
    assert!(stage.screen().contains("1 of 6"), "{}", stage.screen());
    for number in [2, 3, 4, 5, 6, 1] {
        stage.press("n");
        let standing = format!("{number} of 6");
        assert!(stage.screen().contains(&standing), "{}", stage.screen());
    }
}

#[test]
fn large_states_are_searched_elsewhere_and_a_search_can_be_dropped() {
    let filler = "x".repeat(300 << 10);
    let held = github("2026-11-28", "2026-11-28", &filler);
    let job = Known::new("big").holds(&held);
    let timeline = job.timeline();
    let document = timeline.snapshots[0].effective.clone().unwrap();
    let mut stage = Stage::silent(140, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["big"]));
    stage.send(Message::Loaded {
        ticket: Ticket(2),
        outcome: Ok(timeline),
    });
    stage.press_only("Tab /");
    let ask = |query: &str, ticket| Effect::Search {
        ticket: Ticket(ticket),
        document: document.clone(),
        needle: Needle::new(query).unwrap(),
    };
    let answer = |query: &str, ticket| Message::Searched {
        ticket: Ticket(ticket),
        found: search(&document, &Needle::new(query).unwrap(), &|| false).unwrap(),
    };
    assert_eq!(stage.send(key('a')), [ask("a", 3)]);
    assert_eq!(stage.send(key('p')), [ask("ap", 4)]);
    assert!(stage.screen().contains("searching …"));
    assert_eq!(stage.send(answer("a", 3)), []);
    assert!(
        stage.screen().contains("searching …"),
        "a late answer is dropped"
    );
    assert_eq!(stage.send(answer("ap", 4)), []);
    assert!(
        stage.status().contains("/0/context/repo"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.send(key('x')), [ask("apx", 5)]);
    assert_eq!(stage.send(special(Key::Esc)), [Effect::StopSearch]);
    assert_eq!(stage.send(answer("apx", 5)), []);
    assert_eq!(stage.send(special(Key::Esc)), []);
}

#[test]
fn a_mark_is_compared_with_others_until_it_is_cleared() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("h h h h m d");
    assert!(stage.screen().contains("28 Nov 04:12 → yesterday 04:12"));
    stage.press("l l l l");
    let screen = stage.screen();
    assert!(screen.contains("* yesterday 04:12 → now"), "{screen}");
    assert!(screen.contains("+ 23 h 59 m"), "{screen}");
    stage.press("j");
    let screen = stage.screen();
    assert!(
        screen.contains("* dev:tap-github…jsonl yesterday 04:12 → now"),
        "{screen}"
    );
    assert!(
        screen.contains("Nothing differs from the marked snapshot."),
        "{screen}"
    );
    stage.press("k h h h h m");
    assert!(stage.model.mark.is_none());
    assert!(
        stage.status().contains("The mark is cleared"),
        "{}",
        stage.status()
    );
    assert!(stage.screen().contains("28 Nov 04:12 → yesterday 04:12"));
    stage.press("l");
    assert!(!stage.status().contains("The mark is cleared"));
}

#[test]
fn a_mark_goes_to_another_source() {
    let staging = vec![Known::new("dev:tap-github-to-target-jsonl").holds(&github(
        "2026-11-28",
        "2026-11-28",
        "2026-11-28",
    ))];
    let mut stage = Stage::silent(140, 24, vec![Ok(jobs()), Ok(staging)]);
    stage.answer();
    stage.press("m d G");
    let screen = stage.screen();
    assert!(
        screen.contains("* dev:tap-github…jsonl now → now"),
        "{screen}"
    );
    assert!(screen.contains("2 back"), "{screen}");
}

#[test]
fn what_cannot_be_compared_is_not_marked() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("j j m");
    assert!(stage.model.mark.is_none());
    assert!(
        stage.status().contains("It cannot be marked: partial"),
        "{}",
        stage.status()
    );
    let mut stage = Stage::of(80, 24, vec![]);
    stage.press("m");
    assert!(stage.status().contains("There is no snapshot to mark."));
}

#[test]
fn a_large_state_is_compared_with_a_mark_elsewhere_and_the_last_question_counts() {
    let big = |value: &str| github(value, value, &"x".repeat(200 << 10));
    let job = Known::new("big")
        .ran(
            RunStatus::Success,
            "2026-11-28 04:00:00",
            Some(&big("2026-11-28")),
        )
        .ran(
            RunStatus::Success,
            "2026-11-29 04:00:00",
            Some(&big("2026-11-29")),
        )
        .holds(&big("2026-11-29"));
    let timeline = job.timeline();
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(0, 1, 0, &["big"]));
    let compare = |ticket, left: usize, right: usize| Effect::Compare {
        ticket: Ticket(ticket),
        left: timeline.snapshots[left].effective.clone().unwrap(),
        right: timeline.snapshots[right].effective.clone().unwrap(),
    };
    let loaded = Message::Loaded {
        ticket: Ticket(2),
        outcome: Ok(Arc::clone(&timeline)),
    };
    assert_eq!(stage.send(loaded), [compare(3, 1, 2)]);
    assert_eq!(stage.send(key('m')), []);
    assert_eq!(stage.send(key('h')), [compare(5, 2, 1)]);
    let answer = |ticket| Message::Compared {
        ticket: Ticket(ticket),
        diff: Arc::new(diff::diff(
            timeline.snapshots[2].effective.as_ref().unwrap(),
            timeline.snapshots[1].effective.as_ref().unwrap(),
        )),
    };
    assert_eq!(stage.send(answer(3)), []);
    assert!(stage.history().changes.is_none());
    assert_eq!(stage.send(answer(5)), []);
    assert!(stage.history().changes.is_some());
}

#[test]
fn jobs_are_sorted_in_turn_and_the_cursor_stays_on_its_job() {
    let mut stage = Stage::of(140, 24, jobs());
    let unsorted: Vec<String> = shown(&stage).into_iter().map(str::to_owned).collect();
    stage.press("j s");
    let mut by_id = unsorted.clone();
    by_id.sort();
    assert_eq!(shown(&stage), by_id);
    assert_eq!(stage.selected(), "prod:tap-github-to-target-snowflake");
    let firsts: Vec<String> = (0..4)
        .map(|_| {
            stage.press("s");
            shown(&stage)[0].to_owned()
        })
        .collect();
    assert_eq!(
        firsts,
        [
            "prod:tap-github-to-target-snowflake",
            "prod:tap-github-to-target-snowflake",
            "dev:tap-github-to-target-jsonl",
            "prod:tap-shopify-to-target-bigquery:eu",
        ]
    );
    stage.press("s");
    assert_eq!(shown(&stage), unsorted);
    assert_eq!(stage.selected(), "prod:tap-github-to-target-snowflake");
}

#[test]
fn an_order_holds_while_rows_come_and_under_a_filter() {
    let mut stage = Stage::silent(80, 24, vec![Ok(vec![])]);
    stage.send(chunk(
        0,
        1,
        0,
        &["dev:tap-c-to-target-x", "prod:tap-a-to-target-x"],
    ));
    stage.press_only("s S");
    stage.send(chunk(0, 1, 0, &["dev:tap-b-to-target-x", "none"]));
    assert_eq!(stage.selected(), "dev:tap-c-to-target-x");
    let all = [
        "dev:tap-b-to-target-x",
        "dev:tap-c-to-target-x",
        "prod:tap-a-to-target-x",
        "none",
    ];
    assert_eq!(shown(&stage), all);
    stage.press_only("/ t a p");
    assert_eq!(shown(&stage), all[..3]);
    stage.send(chunk(0, 1, 0, &["dev:tap-a-to-target-x"]));
    assert_eq!(shown(&stage)[0], "dev:tap-a-to-target-x");
    stage.press_only("Esc");
    stage.send(chunk(
        0,
        1,
        1,
        &["prod:tap-z-to-target-x", "dev:tap-y-to-target-x"],
    ));
    assert_eq!(
        shown(&stage),
        ["dev:tap-y-to-target-x", "prod:tap-z-to-target-x"]
    );
}

#[test]
fn the_job_under_the_cursor_is_on_the_screen_whatever_the_groups() {
    let mut stage = Stage::silent(60, 15, vec![Ok(vec![])]);
    let names: Vec<String> = (0..60)
        .map(|n| format!("e{:02}:tap-a{n}-to-target-x", n / 3))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    stage.send(chunk(0, 1, 0, &names));
    stage.press_only("S");
    for step in [
        "j", "G", "k", "Ctrl-u", "PgDn", "g", "Ctrl-d", "j", "j", "k",
    ] {
        for _ in 0..9 {
            stage.press_only(step);
            let screen = stage.screen();
            let under = screen
                .lines()
                .find(|line| line.contains('▸') && line.starts_with('│'));
            let id = stage.selected().replace("-to-target-x", "");
            assert!(
                under.is_some_and(|line| line.contains(&id)),
                "{step}: {id}\n{screen}"
            );
        }
    }
    stage.press_only("g");
    assert!(stage.screen().contains(" e00 3"), "{}", stage.screen());
}

#[test]
fn what_is_under_the_cursor_is_copied_and_said() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("Tab j j Enter j j j");
    let mut copied = |keys: &str| {
        stage.copied = None;
        stage.press(keys);
        (stage.copied.take().unwrap_or_default(), stage.status())
    };
    let (text, said) = copied("y v");
    assert_eq!(text, "2026-11-30T03:59:58Z");
    assert!(
        said.contains("Copied the value (20 B), if the terminal allows it."),
        "{said}"
    );
    let path = "/singer_state/bookmarks/commits/partitions/0/replication_key_value";
    assert_eq!(copied("y p").0, path);
    let jq = ".singer_state.bookmarks.commits.partitions[0].replication_key_value";
    assert_eq!(copied("y j").0, jq);
    assert_eq!(copied("y i").0, "dev:tap-github-to-target-jsonl");
    assert!(copied("y d").0.starts_with("{\"singer_state\": {"));
    assert_eq!(copied("v y p").0, path);
    assert_eq!(copied("h d y y").0, "2026-11-30T03:59:58Z");
    assert_eq!(copied("y Esc").0, "");
    assert_eq!(copied("y x").0, "");
    let (text, status) = copied("j");
    assert!(text.is_empty() && !status.contains("Copied"), "{status}");
}

#[test]
fn what_cannot_be_copied_says_why() {
    let big = format!(r#"{{"a": 1, "a": 2, "big": "{}"}}"#, "x".repeat(75_000));
    let mut stage = Stage::of(
        140,
        24,
        vec![Known::new("big").holds(&big), Known::new("none")],
    );
    stage.press("y d");
    let said = stage.status();
    assert!(said.contains("no more than 75 kB are sent to a terminal: `statescope get 'big' --verbatim` writes it."), "{said}");
    stage.press("y p");
    assert!(
        stage.status().contains("No path leads to it alone"),
        "{}",
        stage.status()
    );
    stage.press("j y d");
    assert!(
        stage.status().contains("There is no state."),
        "{}",
        stage.status()
    );
    stage.press("y v");
    assert!(
        stage
            .status()
            .contains("There is no value under the cursor.")
    );
    assert_eq!(stage.copied, None);
}

#[test]
fn the_palette_does_a_command_by_its_name() {
    let mut stage = Stage::of(80, 24, jobs());
    stage.press(":").type_text("dif").press("Enter");
    assert_eq!(stage.model.tab, Tab::Diff);
    stage.press(":").type_text("quit").press("Esc");
    assert!(!stage.quit && stage.model.palette.is_none());
    stage
        .press(":")
        .type_text("copy-")
        .press("Ctrl-n Ctrl-n Ctrl-n Ctrl-n Enter");
    assert_eq!(
        stage.copied.as_deref(),
        Some("dev:tap-github-to-target-jsonl")
    );
    stage.press(":").type_text("zzz").press("Enter");
    assert!(stage.model.palette.is_none());
    stage.press(":").type_text("toggle").press("Enter Tab v v");
    stage.press(":").type_text("toggle").press("Enter");
    assert_eq!(stage.history().under(Tab::State).map(|_| ()), Some(()));
    stage.press(":").type_text("q").press("Enter");
    assert!(stage.quit);
}

#[test]
fn what_was_said_can_be_read_later() {
    let mut stage = Stage::silent(80, 24, vec![Ok(jobs()), Err(denied())]);
    stage.answer();
    stage.press("m m");
    stage.press(":").type_text("messages").press("Enter");
    let screen = stage.screen();
    assert!(screen.contains("06:00"), "{screen}");
    let cleared = screen.find("The mark is cleared").unwrap();
    let marked = screen.find("Marked now of dev:tap-github").unwrap();
    let failed = screen
        .find("staging.db: cannot read sqlite:///old.db")
        .unwrap();
    assert!(cleared < marked && marked < failed, "{screen}");
    stage.press("j G q");
    assert!(stage.model.listed_messages.is_none() && !stage.quit);
}

#[test]
fn the_changes_of_a_value_are_stepped_to() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("Tab G");
    assert!(stage.status().contains("/events"), "{}", stage.status());
    stage.press("<");
    assert_eq!(stage.place(), (1, 6), "where it came to be");
    stage.press("<");
    assert_eq!(stage.place(), (1, 6));
    assert!(
        stage.status().contains("did not change earlier."),
        "{}",
        stage.status()
    );
    stage.press(">");
    assert!(
        stage.status().contains("did not change later."),
        "{}",
        stage.status()
    );
    stage.press("l l l l l / s i n c e Enter v");
    for place in [5, 2, 1, 1] {
        stage.press("<");
        assert_eq!(stage.place(), (place, 6));
        assert!(
            place == 1 || stage.status().contains("/issues/since"),
            "{}",
            stage.status()
        );
    }
    for place in [2, 5, 5] {
        stage.press(">");
        assert_eq!(stage.place(), (place, 6));
    }
    stage.press("d <");
    assert_eq!(stage.place(), (2, 6), "of the change under the cursor");
}

#[test]
fn ctrl_z_stops_the_program_and_changes_nothing() {
    let mut stage = Stage::of(80, 24, jobs());
    let before = stage.screen();
    assert_eq!(
        stage.send(Message::Key(KeyPress::ctrl('z'))),
        [Effect::Suspend]
    );
    assert_eq!(stage.screen(), before);
}

fn mouse(does: Mouse, x: u16, y: u16) -> Message {
    let at = ratatui::layout::Position::new(x, y);
    Message::Mouse { does, at }
}

#[test]
fn a_click_selects_what_is_under_it() {
    let mut stage = Stage::of(140, 24, jobs());
    stage.press("Tab");
    assert_eq!(stage.send(mouse(Mouse::Click, 10, 4)).len(), 1);
    assert_eq!(stage.selected(), "prod:tap-github-to-target-snowflake");
    assert_eq!(stage.model.focus, Pane::Jobs);
    stage.press("k");
    stage.send(mouse(Mouse::Click, 64, 2));
    assert_eq!(stage.place(), (2, 6));
    assert_eq!(stage.model.focus, Pane::Detail);
    stage.send(mouse(Mouse::Click, 70, 8));
    assert!(
        stage.status().contains("/partitions/1 "),
        "{}",
        stage.status()
    );
    stage.press("v");
    stage.send(mouse(Mouse::Click, 70, 6));
    assert!(
        stage.status().starts_with(" /singer_state  "),
        "{}",
        stage.status()
    );
    stage.press("d");
    stage.send(mouse(Mouse::Click, 70, 10));
    assert!(
        stage.status().contains("/partitions/1/"),
        "{}",
        stage.status()
    );
    stage.send(mouse(Mouse::Click, 0, 0));
    stage.send(mouse(Mouse::Click, 139, 23));
    assert!(
        stage.status().contains("/partitions/1/"),
        "{}",
        stage.status()
    );
}

#[test]
fn the_wheel_moves_what_is_under_it_and_the_mouse_can_be_left_to_the_terminal() {
    let mut stage = Stage::of(60, 15, jobs());
    stage.send(mouse(Mouse::WheelDown, 10, 5));
    assert_eq!(stage.selected(), "prod:tap-killed-to-target-bigquery");
    stage.send(mouse(Mouse::WheelUp, 10, 5));
    assert_eq!(stage.selected(), "dev:tap-github-to-target-jsonl");
    stage.press("?");
    stage.send(mouse(Mouse::WheelDown, 10, 5));
    assert!(stage.screen().contains(" 4–"), "{}", stage.screen());
    stage.press("Esc :").type_text("mouse");
    assert_eq!(stage.send(special(Key::Enter)), [Effect::Mouse(false)]);
    assert!(
        stage
            .status()
            .contains("The mouse is the terminal's own again.")
    );
}
