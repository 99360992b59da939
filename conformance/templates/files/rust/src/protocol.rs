//! The runner protocol of harbor-conformance, version 1, in one file without dependencies.
//! You never edit this file: write your operations in `main.rs`, and `serve` does the rest.
//!
//! - values: `Value`, `Int` (of any size), `Object` (keeps the order of its members), `Number`
//! - to read an input: `Object::member`, `text`, `list`, `object`, `int`, …, `number`, `to_double`,
//!   `rewards`, `bytes`, `spec`
//! - to build an answer: `Answer`, `text`, `spelled`, `content`, `spell`
//! - instead of an answer: `Problem`, `fail`, `fail_with`, `unsupported`, `bad_input`
//! - the loop: `serve`, `serve_string_numbers`, `Operation`
//! - JSON: `parse`, `to_json`

// A runner needs some of this, but not all of it.
#![allow(dead_code)]

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::exit;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

// ---------------------------------------------------------------------------------------------
// Values

/// A JSON value. Ints and floats differ: `1` is an int, `1.0` a float.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(Int),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Object(Object),
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn as_bool(&self) -> Result<bool, Problem> {
        match self {
            Value::Bool(truth) => Ok(*truth),
            _ => Err(bad_input(format!("a bool is expected, not {}", self.kind()))),
        }
    }

    /// The string; null is rejected.
    pub fn as_text(&self) -> Result<&str, Problem> {
        match self {
            Value::Text(text) => Ok(text),
            _ => Err(bad_input(format!("a string is expected, not {}", self.kind()))),
        }
    }

    pub fn as_list(&self) -> Result<&[Value], Problem> {
        match self {
            Value::List(items) => Ok(items),
            _ => Err(bad_input(format!("a list is expected, not {}", self.kind()))),
        }
    }

    pub fn as_object(&self) -> Result<&Object, Problem> {
        match self {
            Value::Object(object) => Ok(object),
            _ => Err(bad_input(format!("an object is expected, not {}", self.kind()))),
        }
    }

    /// An int of 64 bits, such as a count or an exit code.
    pub fn as_int(&self) -> Result<i64, Problem> {
        if let Number::Int(int) = number(self)? {
            if let Some(small) = int.to_i64() {
                return Ok(small);
            }
        }
        Err(bad_input("an int of 64 bits is expected".to_string()))
    }

    fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a bool",
            Value::Int(_) => "an int",
            Value::Float(_) => "a float",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

/// An int of any size, as its decimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Int(String);

impl Int {
    /// A minus sign if it is negative, then the digits, without leading zeros.
    pub fn digits(&self) -> &str {
        &self.0
    }

    pub fn to_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The nearest double, to even in a tie; `OverflowError` beyond the double range.
    pub fn to_double(&self) -> Result<f64, Problem> {
        match self.0.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(double),
            _ => Err(fail_with(
                "OverflowError",
                "int too large to convert to float",
            )),
        }
    }
}

impl FromStr for Int {
    type Err = Problem;

    /// Parses decimal digits, with or without a minus sign.
    fn from_str(text: &str) -> Result<Int, Problem> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(bad_input(format!("{text:?} is no int")));
        }
        Ok(match digits.trim_start_matches('0') {
            "" => Int("0".to_string()), // -0 is 0
            digits => Int([sign, digits].concat()),
        })
    }
}

impl fmt::Display for Int {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// A number. An int and a float differ even if they are numerically equal.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Int(Int),
    Float(f64),
}

impl Number {
    /// The number as a double; `OverflowError` for an int beyond the double range.
    pub fn to_double(&self) -> Result<f64, Problem> {
        match self {
            Number::Int(int) => int.to_double(),
            Number::Float(double) => Ok(*double),
        }
    }
}

/// A JSON object that keeps the order of its members. A key that is set again keeps its position.
#[derive(Clone, Debug, Default)]
pub struct Object {
    members: Vec<(String, Value)>,
    places: Option<Box<Places>>,
}

/// The position of each key. Small objects have no index, because a linear search is faster.
#[derive(Clone, Debug, Default)]
struct Places(HashMap<String, usize>);

const SMALL: usize = 16;

impl Object {
    pub fn new() -> Object {
        Object::default()
    }

    pub fn put(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let key = key.into();
        match self.place(&key) {
            Some(place) => self.members[place].1 = value.into(),
            None => self.push(key, value.into()),
        }
    }

    /// Adds a member and returns the object, so that calls can be chained.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Object {
        self.put(key, value);
        self
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.place(key).map(|place| &self.members[place].1)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.place(key).map(|place| &mut self.members[place].1)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.members
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(key, _)| key.as_str())
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.members.iter().map(|(_, value)| value)
    }

    /// A member that must exist.
    pub fn member(&self, key: &str) -> Result<&Value, Problem> {
        self.get(key)
            .ok_or_else(|| bad_input(format!("there is no member {key:?}")))
    }

    pub fn bool(&self, key: &str) -> Result<bool, Problem> {
        self.member(key)?.as_bool()
    }

    pub fn int(&self, key: &str) -> Result<i64, Problem> {
        self.member(key)?.as_int()
    }

    pub fn text(&self, key: &str) -> Result<&str, Problem> {
        self.member(key)?.as_text()
    }

    /// The member's string, or `None` if it is null or absent.
    pub fn optional_text(&self, key: &str) -> Result<Option<&str>, Problem> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_text().map(Some),
        }
    }

    pub fn list(&self, key: &str) -> Result<&[Value], Problem> {
        self.member(key)?.as_list()
    }

    pub fn object(&self, key: &str) -> Result<&Object, Problem> {
        self.member(key)?.as_object()
    }

    /// The member's object, or `None` if it is null or absent.
    pub fn optional_object(&self, key: &str) -> Result<Option<&Object>, Problem> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_object().map(Some),
        }
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.places {
            Some(places) => places.0.get(key).copied(),
            None => self.members.iter().position(|(member, _)| member == key),
        }
    }

    /// Adds a member with a new key.
    fn push(&mut self, key: String, value: Value) {
        if let Some(places) = &mut self.places {
            places.0.insert(key.clone(), self.members.len());
        }
        self.members.push((key, value));
        if self.places.is_none() && self.members.len() > SMALL {
            let keys = self.members.iter().map(|(key, _)| key.clone());
            self.places = Some(Box::new(Places(keys.zip(0..).collect())));
        }
    }
}

impl PartialEq for Object {
    /// Equal objects have the same members in the same order.
    fn eq(&self, other: &Object) -> bool {
        self.members == other.members
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Object {
        let mut object = Object::new();
        for (key, value) in pairs {
            object.put(key, value);
        }
        object
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Object {
    fn from(pairs: [(K, V); N]) -> Object {
        pairs.into_iter().collect()
    }
}

macro_rules! ints {
    ($($native:ty)*) => {$(
        impl From<$native> for Int {
            fn from(int: $native) -> Int {
                Int(int.to_string())
            }
        }

        impl From<$native> for Value {
            fn from(int: $native) -> Value {
                Value::Int(int.into())
            }
        }
    )*};
}

ints! { i32 i64 i128 u8 u32 u64 u128 usize }

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<f64> for Value {
    fn from(double: f64) -> Value {
        Value::Float(double)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<Int> for Value {
    fn from(int: Int) -> Value {
        Value::Int(int)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Int(int) => Value::Int(int),
            Number::Float(double) => Value::Float(double),
        }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Value {
        Value::Object(object)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

// ---------------------------------------------------------------------------------------------
// Problems

/// The result of an operation: the object of `ok`, or a problem instead.
pub type Answer = Result<Object, Problem>;

/// Why there is no `ok`.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The input was rejected; `kind` is the error's `type`.
    Error {
        kind: String,
        reason_code: Option<String>,
        message: Option<String>,
    },
    /// This runner can't handle the input; the text says why.
    Unsupported(String),
}

/// An error of that type, with its reason code from PROTOCOL.md.
pub fn fail(kind: &str) -> Problem {
    let reason_code = match kind {
        "RewardFileNotFoundError" => Some("harbor_reward_missing".to_string()),
        "RewardFileEmptyError" => Some("harbor_reward_empty".to_string()),
        "VerifierOutputParseError" => Some("harbor_reward_parse_error".to_string()),
        // ValidationError, RecursionError, OverflowError, ZeroDivisionError, ValueError, and your
        // program's own types.
        _ => None,
    };
    Problem::Error {
        kind: kind.to_string(),
        reason_code,
        message: None,
    }
}

/// The same with a message for people; it is never compared.
pub fn fail_with(kind: &str, message: impl Into<String>) -> Problem {
    match fail(kind) {
        Problem::Error {
            kind, reason_code, ..
        } => Problem::Error {
            kind,
            reason_code,
            message: Some(message.into()),
        },
        problem => problem,
    }
}

/// The reply to an input that your program can't handle.
pub fn unsupported(why: impl Into<String>) -> Problem {
    Problem::Unsupported(why.into())
}

/// The input differs from PROTOCOL.md: the request is wrong, or the code that reads it.
pub fn bad_input(message: impl Into<String>) -> Problem {
    fail_with("TypeError", message)
}

fn protocol_error(message: impl Into<String>) -> Problem {
    fail_with("ProtocolError", message)
}

// ---------------------------------------------------------------------------------------------
// Helpers for operations

/// The spec that hello named.
static SPEC: Mutex<String> = Mutex::new(String::new());

/// The spec that hello named: `harbor-0.13.1`, `harbor-0.25.0`, …
pub fn spec() -> String {
    SPEC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A number of an input, which may also be a string that spells a number. (NaN and the infinities
/// are always strings, and some others are too.)
pub fn number(value: &Value) -> Result<Number, Problem> {
    match value {
        Value::Int(int) => Ok(Number::Int(int.clone())),
        Value::Float(double) => Ok(Number::Float(*double)),
        Value::Text(text) => match text.as_str() {
            "NaN" => Ok(Number::Float(f64::NAN)),
            "Infinity" => Ok(Number::Float(f64::INFINITY)),
            "-Infinity" => Ok(Number::Float(f64::NEG_INFINITY)),
            _ => whole_number(text)
                .map_err(|why| bad_input(format!("a number is expected, not {text:?}: {why}"))),
        },
        _ => Err(bad_input(format!("a number is expected, not {}", value.kind()))),
    }
}

/// A number of an input as a double; `OverflowError` for an int beyond the double range.
pub fn to_double(value: &Value) -> Result<f64, Problem> {
    match value {
        Value::Float(double) => Ok(*double),
        _ => number(value)?.to_double(),
    }
}

/// Keys and their numbers, in order.
pub type Rewards = Vec<(String, Number)>;

/// The rewards of an input: `{key:number}`, or `None` for null.
pub fn rewards(value: &Value) -> Result<Option<Rewards>, Problem> {
    if value.is_null() {
        return Ok(None);
    }
    let members = value.as_object()?.iter();
    members
        .map(|(key, value)| Ok((key.to_string(), number(value)?)))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// The bytes of a file of an input, which is `{"text":…}` or `{"base64":…}`.
pub fn bytes(content: &Value) -> Result<Vec<u8>, Problem> {
    let content = content.as_object()?;
    match content.get("base64") {
        Some(encoded) => from_base64(encoded.as_text()?)
            .ok_or_else(|| bad_input("the base64 of a file is malformed")),
        None => Ok(content.text("text")?.as_bytes().to_vec()),
    }
}

/// The file content for an answer: text if the bytes are UTF-8, otherwise base64.
pub fn content(bytes: &[u8]) -> Value {
    Value::Object(match std::str::from_utf8(bytes) {
        Ok(text) => Object::from([("text", text)]),
        Err(_) => Object::from([("base64", to_base64(bytes))]),
    })
}

/// Marks a string that your program returns where a number is expected, so that it equals none.
pub fn text(string: &str) -> Value {
    Object::from([("string", string)]).into()
}

/// The string that spells a number; with `serve_string_numbers`, answers may contain it.
pub fn spelled(number: &Number) -> Value {
    Value::Text(match number {
        Number::Int(int) => int.digits().to_string(),
        Number::Float(double) => spell(*double),
    })
}

/// Writes a double as Python's `repr` does, with the fewest digits that read back as the same
/// double. NaN and the infinities are `NaN`, `Infinity` and `-Infinity`.
pub fn spell(double: f64) -> String {
    let mut spelling = String::new();
    spell_to(double, &mut spelling);
    spelling
}

fn spell_to(double: f64, to: &mut String) {
    if double.is_nan() {
        to.push_str("NaN");
        return;
    }
    if double.is_sign_negative() {
        to.push('-');
    }
    if double.is_infinite() {
        to.push_str("Infinity");
        return;
    }
    let shortest = shortest(double.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        to.push_str(mantissa);
        to.push_str(&format!("e{sign}{:02}", exponent.abs()));
    } else if exponent < 0 {
        to.push_str("0.");
        to.extend((exponent..-1).map(|_| '0'));
        to.push_str(first);
        to.push_str(rest);
    } else {
        let whole = exponent as usize; // the number of digits before the point, and the first
        to.push_str(first);
        if rest.len() > whole {
            to.push_str(&rest[..whole]);
            to.push('.');
            to.push_str(&rest[whole..]);
        } else {
            to.push_str(rest);
            to.extend((rest.len()..whole).map(|_| '0'));
            to.push_str(".0");
        }
    }
}

/// The fewest digits that read back as the same double, such as `1.25e-7`.
fn shortest(double: f64) -> String {
    let shortest = format!("{double:e}");
    // If two spellings are equally short and near, Python takes the even one, and Rust the upper.
    // Then the double is half-way between them: its exact digits continue with a single 5.
    if let Some((mantissa, exponent)) = shortest.split_once('e') {
        if mantissa.len() > 16 && mantissa.ends_with(['1', '3', '5', '7', '9']) {
            let exact = format!("{double:.60e}");
            let (lower, rest) = exact.split_at(mantissa.len());
            let lower = format!("{lower}e{exponent}");
            let half = rest
                .split('e')
                .next()
                .map(|rest| rest.trim_end_matches('0'))
                == Some("5");
            if half && lower.parse() == Ok(double) {
                return lower;
            }
        }
    }
    shortest
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn to_base64(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .enumerate()
            .fold(0, |bits, (i, &b)| bits | u32::from(b) << (16 - 8 * i));
        for i in 0..4 {
            let sextet = (bits >> (18 - 6 * i) & 63) as usize;
            encoded.push(if i > group.len() {
                '='
            } else {
                char::from(BASE64[sextet])
            });
        }
    }
    encoded
}

fn from_base64(encoded: &str) -> Option<Vec<u8>> {
    let bytes = encoded.as_bytes();
    let padding = bytes
        .iter()
        .rev()
        .take(2)
        .take_while(|&&byte| byte == b'=')
        .count();
    if bytes.len() % 4 != 0 {
        return None;
    }
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for &byte in &bytes[..bytes.len() - padding] {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(sextet);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(decoded)
}

// ---------------------------------------------------------------------------------------------
// Reading JSON

/// The limit for nested lists and objects, far beyond any request and far below any stack.
const DEEPEST: usize = 500;

/// Reads one JSON value strictly: RFC 8259, UTF-8, no duplicate keys, no float beyond the double
/// range. The error is a sentence that says what is wrong.
pub fn parse(line: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("no UTF-8: {error}"))?;
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    let value = reader.value()?;
    if reader.skip_space().is_some() {
        return reader.refuse("there is text after the value");
    }
    Ok(value)
}

/// Reads a JSON number with nothing around it.
fn whole_number(text: &str) -> Result<Number, String> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    let number = reader.number()?;
    if reader.at < text.len() {
        return reader.refuse("there is text after the number");
    }
    Ok(number)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn refuse<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("{why} (at byte {})", self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte that is not white space; it is not read yet.
    fn skip_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.skip_space() {
            Some(b'"') => Ok(Value::Text(self.string()?)),
            Some(b'{') => self.object(),
            Some(b'[') => self.list(),
            Some(b'-' | b'0'..=b'9') => Ok(self.number()?.into()),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) => self.refuse("a value is expected"),
            None => self.refuse("a value is expected, and the line ends"),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, String> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.refuse("a value is expected");
        }
        self.at += word.len();
        Ok(value)
    }

    fn open(&mut self) -> Result<(), String> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.refuse("nested deeper than 500 levels");
        }
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    fn list(&mut self) -> Result<Value, String> {
        self.open()?;
        let mut items = Vec::new();
        if self.skip_space() == Some(b']') {
            self.close();
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value()?);
            match self.skip_space() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.refuse("a comma or ] is expected"),
            }
        }
        self.close();
        Ok(Value::List(items))
    }

    fn object(&mut self) -> Result<Value, String> {
        self.open()?;
        let mut object = Object::new();
        if self.skip_space() == Some(b'}') {
            self.close();
            return Ok(Value::Object(object));
        }
        loop {
            if self.skip_space() != Some(b'"') {
                return self.refuse("a key is expected");
            }
            let key = self.string()?;
            if object.contains(&key) {
                return self.refuse("a key is there twice");
            }
            if self.skip_space() != Some(b':') {
                return self.refuse("a colon is expected");
            }
            self.at += 1;
            let value = self.value()?;
            object.push(key, value);
            match self.skip_space() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.refuse("a comma or } is expected"),
            }
        }
        self.close();
        Ok(Value::Object(object))
    }

    fn number(&mut self) -> Result<Number, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut float = false;
        if self.peek() == Some(b'.') {
            float = true;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            float = true;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        let spelling = &self.text[start..self.at];
        if !float {
            return Ok(Number::Int(Int(if spelling == "-0" {
                "0"
            } else {
                spelling
            }
            .to_string())));
        }
        match spelling.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(Number::Float(double)),
            _ => self.refuse("no double holds the number"),
        }
    }

    /// Reads one or more digits.
    fn digits(&mut self) -> Result<(), String> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return self.refuse("a digit is expected");
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            string.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => return self.refuse("a control character in a string"),
                None => return self.refuse("a string does not end"),
            }
        }
        self.at += 1;
        Ok(string)
    }

    fn escape(&mut self) -> Result<char, String> {
        self.at += 2;
        Ok(match self.bytes.get(self.at - 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.code_point(),
            _ => return self.refuse("no such escape"),
        })
    }

    /// Reads what follows `\u`; characters beyond U+FFFF are two escapes.
    fn code_point(&mut self) -> Result<char, String> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.hexadecimal()?;
            if !(0xdc00..0xe000).contains(&low) {
                return self.refuse("half a pair of surrogates");
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        char::from_u32(code).map_or_else(|| self.refuse("half a pair of surrogates"), Ok)
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            match self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
                Some(digit) => code = code << 4 | digit,
                None => return self.refuse("four hexadecimal digits are expected"),
            }
            self.at += 1;
        }
        Ok(code)
    }
}

// ---------------------------------------------------------------------------------------------
// Writing JSON

/// Writes a value as one line of JSON, without a line end. Floats are written by `spell`; NaN and
/// the infinities become strings.
pub fn to_json(value: &Value) -> String {
    let mut json = String::new();
    write_value(value, &mut json);
    json
}

fn write_value(value: &Value, to: &mut String) {
    match value {
        Value::Null => to.push_str("null"),
        Value::Bool(true) => to.push_str("true"),
        Value::Bool(false) => to.push_str("false"),
        Value::Int(int) => to.push_str(int.digits()),
        Value::Float(double) if double.is_finite() => spell_to(*double, to),
        Value::Float(double) => write_string(&spell(*double), to),
        Value::Text(text) => write_string(text, to),
        Value::List(items) => {
            to.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    to.push(',');
                }
                write_value(item, to);
            }
            to.push(']');
        }
        Value::Object(object) => write_object(object, to),
    }
}

fn write_object(object: &Object, to: &mut String) {
    to.push('{');
    for (i, (key, value)) in object.iter().enumerate() {
        if i > 0 {
            to.push(',');
        }
        write_string(key, to);
        to.push(':');
        write_value(value, to);
    }
    to.push('}');
}

fn write_string(text: &str, to: &mut String) {
    to.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            continue;
        }
        to.push_str(&text[written..at]);
        written = at + 1;
        match byte {
            b'"' => to.push_str("\\\""),
            b'\\' => to.push_str("\\\\"),
            b'\n' => to.push_str("\\n"),
            b'\r' => to.push_str("\\r"),
            b'\t' => to.push_str("\\t"),
            _ => to.push_str(&format!("\\u{byte:04x}")),
        }
    }
    to.push_str(&text[written..]);
    to.push('"');
}

// ---------------------------------------------------------------------------------------------
// The loop

/// The function that answers the inputs of one operation.
pub type Operation = fn(&Object) -> Answer;

/// Answers requests until there are no more. An operation that is `None` is not offered: hello does
/// not name it, and requests for it are `unsupported`. A panic in an operation becomes an error of
/// type `panic`. A stack overflow and `exit` end the process.
///
/// Standard output is reserved for replies. On Unix, what `println!` writes goes to standard error;
/// elsewhere, use only `eprintln!`.
pub fn serve(name: &str, version: &str, operations: &[(&str, Option<Operation>)]) {
    Runner {
        name,
        version,
        operations,
        string_numbers: false,
    }
    .run();
}

/// Like `serve`, for programs that want all numbers of inputs as strings.
pub fn serve_string_numbers(name: &str, version: &str, operations: &[(&str, Option<Operation>)]) {
    Runner {
        name,
        version,
        operations,
        string_numbers: true,
    }
    .run();
}

struct Runner<'a> {
    name: &'a str,
    version: &'a str,
    operations: &'a [(&'a str, Option<Operation>)],
    string_numbers: bool,
}

impl Runner<'_> {
    fn run(&self) {
        if let Err(error) = self.talk() {
            eprintln!("{}: {error}", self.name);
            exit(1);
        }
    }

    fn talk(&self) -> io::Result<()> {
        let mut output = take_output()?;
        let mut requests = BufReader::with_capacity(1 << 16, io::stdin().lock());
        let mut line = Vec::new();
        while requests.read_until(b'\n', &mut line)? > 0 {
            // Not buffered, because the next request may take long, or end the process.
            output.write_all(self.reply(&line).as_bytes())?;
            output.flush()?;
            line.clear();
        }
        Ok(())
    }

    /// Returns the line that answers a line.
    fn reply(&self, line: &[u8]) -> String {
        let (id, answer) = match request(line) {
            Ok((id, request)) => (id.to_string(), self.answer(&request)),
            Err(why) => ("null".to_string(), Err(protocol_error(why))),
        };
        let mut reply = format!("{{\"id\":{id}");
        match answer {
            Ok(ok) => {
                reply.push_str(",\"ok\":");
                write_object(&ok, &mut reply);
            }
            Err(Problem::Error {
                kind,
                reason_code,
                message,
            }) => {
                let mut error = Object::new()
                    .with("type", kind)
                    .with("reason_code", reason_code);
                if let Some(message) = message {
                    error.put("message", message);
                }
                reply.push_str(",\"error\":");
                write_object(&error, &mut reply);
            }
            Err(Problem::Unsupported(why)) => {
                reply.push_str(",\"unsupported\":");
                write_string(&why, &mut reply);
            }
        }
        reply.push_str("}\n");
        reply
    }

    fn answer(&self, request: &Object) -> Answer {
        let op = match request.get("op") {
            Some(Value::Text(op)) => op.as_str(),
            _ => return Err(protocol_error("op is no string")),
        };
        if op == "hello" {
            return self.hello(request);
        }
        let operation = match self.operations.iter().find(|(name, _)| *name == op) {
            Some((_, Some(operation))) => operation,
            Some((_, None)) => return Err(unsupported(format!("{} has no {op} yet", self.name))),
            None => return Err(unsupported(format!("{} has no {op}", self.name))),
        };
        let input = match request.get("input") {
            Some(Value::Object(input)) => input,
            _ => return Err(protocol_error("input is no object")),
        };
        catch_unwind(AssertUnwindSafe(|| operation(input)))
            .unwrap_or_else(|panic| Err(fail_with("panic", message_of(&*panic))))
    }

    fn hello(&self, request: &Object) -> Answer {
        match request.get("protocol") {
            Some(Value::Int(version)) if version.digits() == "1" => {}
            _ => return Err(protocol_error("this runner speaks protocol 1")),
        }
        match request.get("spec") {
            Some(Value::Text(named)) => {
                *SPEC.lock().unwrap_or_else(PoisonError::into_inner) = named.clone();
            }
            None | Some(Value::Null) => {} // no options
            Some(_) => return Err(protocol_error("spec is no string")),
        }
        let offered = self
            .operations
            .iter()
            .filter(|(_, operation)| operation.is_some());
        let mut hello = Object::new()
            .with("runner", self.name)
            .with("version", self.version)
            .with("protocol", 1)
            .with("ops", offered.map(|(name, _)| *name).collect::<Vec<_>>());
        if self.string_numbers {
            hello.put("numbers", "string");
        }
        Ok(hello)
    }
}

/// Parses a line into a request and its id.
fn request(line: &[u8]) -> Result<(Int, Object), String> {
    let request = match parse(line)? {
        Value::Object(request) => request,
        other => return Err(format!("a request is an object, not {}", other.kind())),
    };
    match request.get("id") {
        Some(Value::Int(id)) => Ok((id.clone(), request)),
        _ => Err("a request has an int as id".to_string()),
    }
}

/// The message of a panic; its thread has also written it to standard error.
fn message_of(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text.to_string()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_string()
    }
}

/// Reserves standard output for replies: from now on, what is printed goes to standard error, and
/// so does the output of child processes.
#[cfg(unix)]
pub fn take_output() -> io::Result<impl Write> {
    use std::os::unix::io::AsFd;

    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }

    let mut printed = io::stdout().lock(); // nothing else prints meanwhile
    let output = File::from(printed.as_fd().try_clone_to_owned()?);
    // SAFETY: dup2 has C's signature in every Unix, takes no memory, and changes the file of descriptor 1,
    // which nothing owns: std keeps 0, 1 and 2 open for as long as the process lives.
    if unsafe { dup2(2, 1) } < 0 {
        return Err(io::Error::last_os_error());
    }
    printed.flush()?; // the start of a line that was printed before
    Ok(output)
}

/// Standard output; operations must not print to it on this system.
#[cfg(not(unix))]
pub fn take_output() -> io::Result<impl Write> {
    Ok(io::stdout())
}
