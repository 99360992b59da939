//! Numbers that are text: how Python's `float()` and `int()` and pydantic read them, and how
//! Python and pydantic spell a float.

use crate::characters::digit_value;
use crate::integers::Integer;
use crate::protocol::spell;

/// An int may have that many digits (003-1.3-integer-digit-limit).
pub const MOST_DIGITS: usize = 4300;

/// White space around a number (003-1.2-surrounding-space): less than what `str.strip` takes.
pub fn is_space(character: char) -> bool {
    matches!(character, '\u{9}'..='\u{d}' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}'
        | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// The number in ASCII, trimmed: a digit of any script is the digit of its value
/// (003-1.2-unicode-digits). `None` if other characters beyond ASCII are there.
fn in_ascii(text: &str) -> Option<String> {
    let ascii = |character: char| match digit_value(character) {
        Some(digit) => char::from_digit(digit, 10),
        None => character.is_ascii().then_some(character),
    };
    text.trim_matches(is_space).chars().map(ascii).collect()
}

/// Drops single underscores between two digits; `None` if there is any other
/// (003-1.2-underscores).
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|i| bytes.get(i))
            .is_some_and(u8::is_ascii_digit)
    };
    let between = |(at, byte): (usize, &u8)| {
        *byte != b'_' || is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))
    };
    bytes
        .iter()
        .enumerate()
        .all(between)
        .then(|| text.replace('_', ""))
}

/// What Python's `float()` makes of a string; `None` where it raises ValueError.
pub fn python_float(text: &str) -> Option<f64> {
    ascii_float(&without_underscores(&in_ascii(text)?)?)
}

/// What Python's `int()` makes of a string; `None` where it raises ValueError.
pub fn python_int(text: &str) -> Option<Integer> {
    let number = without_underscores(&in_ascii(text)?)?;
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(&number);
    // Zeros in front count among the digits here.
    if unsigned.len() > MOST_DIGITS || unsigned.starts_with('-') {
        return None;
    }
    let int = Integer::parse(unsigned)?;
    Some(if number.starts_with('-') {
        int.negated()
    } else {
        int
    })
}

/// An optional sign, then `inf`, `infinity` or `nan` in any case, or digits with an optional point
/// and an optional exponent (003-1.2-float-grammar, 003-1.2-non-finite-words). White space and
/// underscores are no part of it.
pub fn ascii_float(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match unsigned.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => unsigned_decimal(unsigned)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Digits on at least one side of an optional point, and an optional exponent; rounded once, with
/// all of the digits (003-1.2-correct-rounding).
fn unsigned_decimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // The point moves in front of the first digit that is not 0, so that digits and exponent are
    // weighed together: a thousand zeros and e-1000 are 1.
    let significant = digits.trim_start_matches('0');
    let zeros = digits.len() - significant.len();
    let scale = exponent.saturating_add(whole.len() as i64 - zeros as i64);
    if significant.is_empty() || scale < -400 {
        return Some(0.0); // 003-1.2-underflow-is-zero
    }
    if scale > 400 {
        return Some(f64::INFINITY); // 003-1.2-overflow-is-infinity
    }
    format!("0.{significant}e{scale}").parse().ok()
}

/// An exponent's optional sign and digits. Beyond 18 digits only its sign matters.
fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let magnitude = if significant.len() > 18 {
        i64::MAX / 2
    } else {
        significant
            .bytes()
            .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'))
    };
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// A finite float as pydantic writes it into result.json: Python's spelling, but that it is a
/// decimal from 1e-5 on, not 1e-4, and that an exponent is not padded (003-3.3-number-text,
/// 003-3.3-exponent-sign).
pub fn pydantic_spelling(double: f64) -> String {
    let python = spell(double);
    let Some((mantissa, exponent)) = python.split_once('e') else {
        return python;
    };
    if exponent == "-05" {
        let sign = if mantissa.starts_with('-') { "-" } else { "" };
        return format!("{sign}0.0000{}", mantissa.replace(['-', '.'], ""));
    }
    let (sign, digits) = exponent.split_at(1);
    format!("{mantissa}e{sign}{}", digits.trim_start_matches('0'))
}

/// A float as Python's repr writes it, with its own words for those that are not finite
/// (003-3.3-key-text).
pub fn repr(double: f64) -> String {
    if double.is_nan() {
        "nan".to_string()
    } else if double.is_infinite() {
        if double > 0.0 { "inf" } else { "-inf" }.to_string()
    } else {
        spell(double)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_python_does() {
        let read = |text: &str| python_float(text).map(|double| format!("{double:?}"));
        assert_eq!(read(" 1_0\n").as_deref(), Some("10.0"));
        assert_eq!(read("١_٠.٥").as_deref(), Some("10.5"));
        assert_eq!(read("-.5e-1").as_deref(), Some("-0.05"));
        assert_eq!(read("-iNf").as_deref(), Some("-inf"));
        assert_eq!(read("1e99999999999999999999").as_deref(), Some("inf"));
        let zeros = "0".repeat(100_000);
        assert_eq!(read(&format!("1{zeros}e-100000")).as_deref(), Some("1.0"));
        assert_eq!(read(&format!("0.{zeros}1e100001")).as_deref(), Some("1.0"));
        for text in [
            "", ".", "1e", "1__0", "1_.5", "1_e5", "+-1", "1 0", "0x1", "i_nf", "\u{1c}1", "1\0",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn ints_are_read_as_python_does() {
        let read = |text: &str| python_int(text).map(|int| int.to_string());
        assert_eq!(read(" -0_07 ").as_deref(), Some("-7"));
        assert_eq!(read("+٣").as_deref(), Some("3"));
        assert_eq!(read(&"0".repeat(4300)).as_deref(), Some("0"));
        assert_eq!(read(&"0".repeat(4301)), None);
        for text in ["", "--1", "+-1", "- 1", "1.0", "1e2", "_1", "1_"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn pydantic_spells_in_its_own_way() {
        for (double, spelling) in [
            (1.0, "1.0"),
            (1e-5, "0.00001"),
            (-2.05e-5, "-0.0000205"),
            (9.999999999999999e-6, "9.999999999999999e-6"),
            (1e16, "1e+16"),
            (9999999999999998.0, "9999999999999998.0"),
            (-0.0, "-0.0"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(pydantic_spelling(double), spelling);
        }
    }

    #[test]
    fn repr_is_pythons() {
        for (double, spelling) in [
            (0.0, "0.0"),
            (0.0001, "0.0001"),
            (-1.5e-5, "-1.5e-05"),
            (123456789012345.0, "123456789012345.0"),
            (1e16, "1e+16"),
            (1.25e-100, "1.25e-100"),
            (f64::NEG_INFINITY, "-inf"),
            // As near as ….3, which Rust would take: the even digit counts.
            (577815784416944.25, "577815784416944.2"),
            // 2**-44: rounded to as many digits it would not read back.
            (5.684341886080802e-14, "5.684341886080802e-14"),
            (9007199254740992.0, "9007199254740992.0"),
        ] {
            assert_eq!(repr(double), spelling);
        }
    }
}
