//! Python's `str`, as far as the rules need it, with the tables of Unicode 15.0
//! (003-1.4-unicode-15-0-tables).

use crate::unicode_15_0::{ALPHANUMERIC, CASED, CASE_IGNORABLE, DIGIT_ZEROS, LOWER};

/// Whether the code point lies in one of a table's ranges.
fn is_in(ranges: &[u32], character: char) -> bool {
    let code = character as u32;
    // Behind an odd number of borders a range is open; its last code point still belongs to it.
    match ranges.binary_search(&code) {
        Ok(_) => true,
        Err(borders) => borders % 2 == 1,
    }
}

/// The value of a decimal digit of any script (category Nd).
pub fn digit_value(character: char) -> Option<u32> {
    let code = character as u32;
    let scripts = DIGIT_ZEROS.partition_point(|zero| *zero <= code);
    let zero = DIGIT_ZEROS[..scripts].last()?;
    Some(code - zero).filter(|value| *value < 10)
}

/// Whether `str.isalnum` holds: a letter, or a character with a decimal, digit or numeric value.
pub fn is_alphanumeric(character: char) -> bool {
    is_in(ALPHANUMERIC, character)
}

/// What `str.strip` and `str.split` take for white space (003-1.4-strip-white-space).
pub fn is_white_space(character: char) -> bool {
    matches!(character, '\u{1c}'..='\u{1f}') || crate::decimals::is_space(character)
}

/// `str.lower`: the full mapping, without a locale (003-1.4-full-lower-case).
pub fn lower(text: &str) -> String {
    let mut lowered = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            'Σ' if is_final(&text[..at], &text[at + 'Σ'.len_utf8()..]) => lowered.push('ς'),
            'İ' => lowered.push_str("i\u{307}"),
            _ => lowered.push(lower_of(character)),
        }
    }
    lowered
}

/// Whether a sigma ends a word: past case-ignorable characters there is a cased one in front of
/// it, and none behind it.
fn is_final(before: &str, after: &str) -> bool {
    let decides = |character: &char| !is_in(CASE_IGNORABLE, *character);
    let is_cased = |found: Option<char>| found.is_some_and(|character| is_in(CASED, character));
    is_cased(before.chars().rev().find(decides)) && !is_cased(after.chars().find(decides))
}

fn lower_of(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let code = character as i32;
    // The last row that does not begin behind the character is the only one that may hold it.
    let row = LOWER.partition_point(|[first, ..]| *first <= code);
    match LOWER[..row].last() {
        Some([first, last, step, offset]) if code <= *last && (code - first) % step == 0 => {
            char::from_u32((code + offset) as u32).unwrap_or(character)
        }
        _ => character,
    }
}

/// `str.splitlines`: every character and pair at which a line ends (003-5-read-line-ends).
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    // Between the two of CR LF an empty line more comes up, which no rule notices.
    text.split(ends)
}
