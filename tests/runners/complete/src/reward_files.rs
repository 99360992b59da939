//! Document 003, sections 0 to 2: from the files that a verifier left to a trial's rewards.

use crate::decimals::{ascii_float, is_space, python_float, MOST_DIGITS};
use crate::integers::Integer;
use crate::json::{self, Fault, Json};
use crate::numbers::Number;
use crate::raised::*;
use crate::texts::Text;

/// One reward. Bare NaNs of reward.json files are one object, and so equal each other where
/// results are counted; every other NaN is an object of its own (PROTOCOL.md, `pipeline`).
#[derive(Clone, Debug)]
pub struct Reward {
    pub number: Number,
    pub is_bare_nan: bool,
}

impl From<Number> for Reward {
    fn from(number: Number) -> Reward {
        Reward {
            number,
            is_bare_nan: false,
        }
    }
}

/// Rewards by key, in the order in which they were recorded.
pub type Rewards = Vec<(Text, Reward)>;

/// The reward of a key.
pub fn reward_of<'a>(rewards: &'a Rewards, key: &Text) -> Option<&'a Number> {
    let found = rewards.iter().find(|(name, _)| name == key);
    found.map(|(_, reward)| &reward.number)
}

/// What a terminal-bench verifier writes to reward.txt (003-0-exit-zero-writes-one,
/// 003-0-exit-nonzero-writes-zero).
pub fn terminal_bench_reward(exited_with_zero: bool) -> &'static str {
    if exited_with_zero {
        "1\n"
    } else {
        "0\n"
    }
}

/// The bytes of the reward files that are there.
#[derive(Default)]
pub struct RewardFiles {
    pub json: Option<Vec<u8>>,
    pub txt: Option<Vec<u8>>,
}

/// The rewards of a verifier result; they may be null.
pub fn parse_reward(files: &RewardFiles) -> Result<Option<Rewards>, Raised> {
    // A reward.json that exists decides alone, whatever it holds (003-1.1-json-wins,
    // 003-1.1-no-fallback).
    if let Some(bytes) = &files.json {
        return parse_reward_json(bytes);
    }
    match &files.txt {
        Some(bytes) => parse_reward_txt(bytes).map(Some),
        None => Err(NO_REWARD_FILE), // 003-1.1-no-file-is-not-found
    }
}

/// The text of a file that holds anything: empty is one of 0 bytes, not one of white space
/// (003-1.2-zero-bytes-is-empty, 003-1.3-zero-bytes-is-empty). It is UTF-8, strictly and whole
/// (003-1.2-utf8-decoding, 003-1.3-utf8-decoding).
fn text_of(bytes: &[u8]) -> Result<&str, Raised> {
    if bytes.is_empty() {
        return Err(EMPTY_REWARD_FILE);
    }
    std::str::from_utf8(bytes).or(Err(UNREADABLE_REWARD_FILE))
}

/// One float, under the key `reward` (003-1.2-key-is-reward, 003-1.2-always-float).
fn parse_reward_txt(bytes: &[u8]) -> Result<Rewards, Raised> {
    let double = python_float(text_of(bytes)?).ok_or(UNREADABLE_REWARD_FILE)?;
    Ok(vec![(Text::from("reward"), Number::Float(double).into())])
}

fn parse_reward_json(bytes: &[u8]) -> Result<Option<Rewards>, Raised> {
    let document = json::read(text_of(bytes)?).map_err(|fault| match fault {
        Fault::Malformed | Fault::TooManyDigits => UNREADABLE_REWARD_FILE,
        Fault::TooDeep => NESTED_TOO_DEEPLY, // 003-1.3-nesting
    })?;
    match document {
        Json::Null => Ok(None), // 003-1.3-top-level-null
        Json::Object(members) => {
            let mut rewards = Rewards::with_capacity(members.len());
            for (key, value) in members {
                // One value that is no number refuses the file (003-1.3-one-bad-value-refuses-all).
                rewards.push((key, validated(value).ok_or(INVALID)?));
            }
            Ok(Some(rewards))
        }
        _ => Err(INVALID), // 003-1.3-top-level-kinds
    }
}

/// A value of reward.json as `VerifierResult` takes it, if it does.
fn validated(value: Json) -> Option<Reward> {
    match value {
        Json::Int(int) => Some(Number::Int(int).into()), // 003-1.3-int-and-float-kept
        Json::Float(double) => Some(Reward {
            number: Number::Float(double),
            is_bare_nan: double.is_nan(),
        }),
        // 003-1.3-bool-becomes-float
        Json::Bool(truth) => Some(Number::Float(f64::from(u8::from(truth))).into()),
        Json::Text(text) => number_in_string(text.as_str()?).map(Reward::from),
        // 003-1.3-null-and-containers-refused
        Json::Null | Json::List(_) | Json::Object(_) => None,
    }
}

/// A number that is a string in reward.json: a float, or else an int.
fn number_in_string(text: &str) -> Option<Number> {
    let trimmed = text.trim_matches(is_space);
    // 003-1.3-numeric-string-becomes-float, else 003-1.3-string-underscores, which does not trim
    let float = ascii_float(trimmed).or_else(|| ascii_float(&without_underscores(text)?));
    match float {
        Some(double) => Some(Number::Float(double)),
        None => int_in_string(trimmed).map(Number::Int),
    }
}

/// Drops underscores, unless one stands at an end or two stand together.
fn without_underscores(text: &str) -> Option<String> {
    let refused = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!refused).then(|| text.replace('_', ""))
}

/// The second reading of a string (003-1.3-string-second-reading-is-int).
fn int_in_string(trimmed: &str) -> Option<Integer> {
    // A sign in front needs a digit behind it. A plus is dropped.
    let (sign, unsigned) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => return None,
        Some(rest) => (trimmed[..1].trim_start_matches('+'), rest),
        None => ("", trimmed),
    };
    // Zeros in front are dropped, and all underscores among them; of a number that ends there, or
    // goes on with a point, the last of them stays.
    let significant = match unsigned.strip_prefix('0') {
        Some(rest) => rest.trim_start_matches(['0', '_']),
        None => unsigned,
    };
    let kept = match significant.chars().next() {
        None | Some('.') => significant.len() + 1,
        Some(_) => significant.len(),
    };
    let left = [sign, unsigned.get(unsigned.len().checked_sub(kept)?..)?].concat();
    // A final point goes with the zeros behind it; a bare point does not.
    let whole = match left.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        _ => &left,
    };
    // Single inner underscores are dropped. What is left is an int as JSON spells it, so that behind
    // zeros a minus may have come, but neither a plus nor a second minus, and no zeros again.
    let int = without_underscores(whole)?;
    let digits = int.strip_prefix('-').unwrap_or(&int);
    if digits.len() > MOST_DIGITS || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Integer::parse(&int)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match number_in_string(text) {
            Some(Number::Int(int)) => format!("int {int}"),
            Some(Number::Float(double)) => format!("float {double:?}"),
            None => "refused".to_string(),
        }
    }

    #[test]
    fn strings_are_floats_first() {
        assert_eq!(read(" 2\u{a0}"), "float 2.0");
        assert_eq!(read("-0"), "float -0.0");
        assert_eq!(read("-_1"), "float -1.0");
        assert_eq!(read("1e+_5"), "float 100000.0");
        assert_eq!(read("in_f"), "float inf");
    }

    #[test]
    fn strings_are_ints_then() {
        assert_eq!(read(" 1_0"), "int 10");
        assert_eq!(read(" 1_0.000 "), "int 10");
        assert_eq!(read(" -0_0"), "int 0");
        assert_eq!(read("0__1"), "int 1");
        assert_eq!(read("0__0"), "int 0");
        assert_eq!(read("0-1"), "int -1");
        assert_eq!(read("00-1.0"), "int -1");
        assert_eq!(read("0-_1"), "int -1");
        assert_eq!(read("0-0"), "int 0");
        assert_eq!(read("+0-1"), "int -1");
        assert_eq!(read("+00__59"), "int 59");
        assert_eq!(read("0_-57_13.00"), "int -5713");
    }

    #[test]
    fn other_strings_are_refused() {
        for text in [
            "", " ", "0+1", "0-01", "0-010", "0-1.", "0-1_", " -_1", " _1", "1__0", "1_", "1-1",
            " 1_0.", " 1_0.5", "١", "0__", "0-", "-0-1", " 0_.0", "--1", " +-1_0", "true",
        ] {
            assert_eq!(read(text), "refused", "{text:?}");
        }
    }
}
