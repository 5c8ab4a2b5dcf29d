//! The overlay that shows everything that was said.

use crate::domain::ui::Role;
use crate::tui::model::Model;
use crate::tui::text::{Line, wrap};
use crate::tui::widget::overlay;

/// How wide the column of times is.
const TIMES: usize = 9;

/// Writes everything that was said, the newest first.
pub fn content(model: &Model) -> Vec<Line> {
    let all = model.messages.all();
    if all.is_empty() {
        return vec![Line::of(" Nothing was said yet.", Role::Quiet)];
    }
    let columns = overlay::columns(model.size).saturating_sub(TIMES + 1);
    let mut content = Vec::new();
    for said in all.iter().rev() {
        let at = model
            .zone
            .to_datetime(said.at)
            .strftime(" %H:%M")
            .to_string();
        let times = std::iter::once(at).chain(std::iter::repeat(String::new()));
        for (at, text) in times.zip(wrap(&said.text, columns)) {
            let mut line = Line::new();
            line.column(at, Role::Quiet, TIMES);
            content.push(line.with(text, said.role));
        }
    }
    content
}
