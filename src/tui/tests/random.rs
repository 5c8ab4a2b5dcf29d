//! Whatever comes, in whatever order, on a screen of whatever size: nothing panics, and no control character is drawn.

use proptest::prelude::*;
use ratatui::layout::{Position, Size};

use super::support::{Known, Stage, denied, jobs};
use crate::domain::ui::{Key, KeyPress};
use crate::tui::{Message, Mouse, update};

fn keys() -> impl Strategy<Value = KeyPress> {
    let key = prop_oneof![
        4 => prop::sample::select(vec!['j', 'k', 'g', 'G', 'h', 'l', 'd', 'n', 'N', 'c', 'e', '/', '?', ' ', 'r', '-', '+', 'v', 'm', 's', 'S', 'y', ':', '<', '>'])
            .prop_map(Key::Char),
        1 => any::<char>().prop_map(Key::Char),
        3 => prop::sample::select(vec![
            Key::Enter, Key::Esc, Key::Tab, Key::Backspace, Key::Delete, Key::Left, Key::Right, Key::Home, Key::End,
            Key::PageDown, Key::PageUp, Key::Up, Key::Down,
        ]),
    ];
    (key, prop::bool::weighted(0.1), prop::bool::weighted(0.05))
        .prop_map(|(key, ctrl, alt)| KeyPress { key, ctrl, alt })
}

fn messages() -> impl Strategy<Value = Message> {
    prop_oneof![
        8 => keys().prop_map(Message::Key),
        1 => (0..200_u16, 0..60_u16).prop_map(|(width, height)| Message::Resize(Size { width, height })),
        1 => ".{0,12}".prop_map(Message::Paste),
        2 => (0..170_u16, 0..55_u16, prop::sample::select(vec![Mouse::Click, Mouse::WheelUp, Mouse::WheelDown]))
            .prop_map(|(x, y, does)| Message::Mouse { does, at: Position::new(x, y) }),
    ]
}

fn evil() -> Vec<Known> {
    vec![
        Known::new("\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}").holds(
            "{\"singer_state\": {\"bookmarks\": {\"\\u001b[31m\": {\"k\": \"\\u001b[2J\\u009b\", \"\": \"\u{200b}\u{85}\"}}}}",
        ),
        Known::new("").holds_parts("{\"singer_state\": \u{1b}", "[1]"),
        Known::new("e\u{301}\u{301}\u{301} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}").holds("{\"a\": [[[[1]]]], \"b\": {}}"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_panics(width in 0..160_u16, height in 0..50_u16, messages in prop::collection::vec(messages(), 0..40)) {
        let sources = vec![Ok(jobs()), Ok(evil()), Err(denied())];
        let mut stage = Stage::silent(width, height, sources);
        stage.answer();
        for message in messages {
            let effects = update(&mut stage.model, message);
            stage.later(effects);
            stage.answer();
            let buffer = stage.buffer();
            prop_assert!(buffer.content.iter().all(|cell| !cell.symbol().chars().any(char::is_control)));
        }
    }
}
