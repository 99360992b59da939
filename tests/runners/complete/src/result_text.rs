//! Document 003, section 3.3: the text of result.json, as pydantic writes it.

use crate::decimals::pydantic_spelling;
use crate::json::Json;
use crate::texts::Text;

/// A value with an indentation of four spaces, and without a line feed at its end (003-3.3-text).
pub fn indented(value: &Json) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

fn write(value: &Json, depth: usize, to: &mut String) {
    match value {
        Json::Null => to.push_str("null"),
        Json::Bool(truth) => to.push_str(if *truth { "true" } else { "false" }),
        Json::Int(int) => to.push_str(&int.to_string()), // 003-3.3-int-text
        Json::Float(double) if double.is_finite() => to.push_str(&pydantic_spelling(*double)),
        Json::Float(_) => to.push_str("null"), // 003-6-nan-in-result, 003-3.3-cost-text
        Json::Text(text) => write_string(text, to),
        Json::List(items) => {
            let write_item = |item: &Json, to: &mut String| write(item, depth + 1, to);
            write_items('[', items, write_item, ']', depth, to);
        }
        Json::Object(members) => {
            let write_member = |(key, value): &(Text, Json), to: &mut String| {
                write_string(key, to);
                to.push_str(": ");
                write(value, depth + 1, to);
            };
            write_items('{', members, write_member, '}', depth, to);
        }
    }
}

/// Brackets around items on lines of their own; nothing between them if there are none.
fn write_items<T>(
    open: char,
    items: &[T],
    write_item: impl Fn(&T, &mut String),
    close: char,
    depth: usize,
    to: &mut String,
) {
    to.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            to.push(',');
        }
        new_line(depth + 1, to);
        write_item(item, to);
    }
    if !items.is_empty() {
        new_line(depth, to);
    }
    to.push(close);
}

fn new_line(depth: usize, to: &mut String) {
    to.push('\n');
    to.push_str(&"    ".repeat(depth));
}

/// Controls, quotes and backslashes are escaped, everything else is written raw
/// (003-3.3-string-text).
fn write_string(text: &Text, to: &mut String) {
    to.push('"');
    for character in text.written().chars() {
        match character {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\u{8}' => to.push_str("\\b"),
            '\u{c}' => to.push_str("\\f"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\0'..='\u{1f}' => to.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => to.push(character),
        }
    }
    to.push('"');
}
