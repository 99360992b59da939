//! JSON of files and payloads, read as Python's `json.loads` reads a string: RFC 8259, with NaN and
//! the infinities, lone surrogates, repeated keys, and its ways to fail.

use std::collections::hash_map::{Entry, HashMap};

use crate::decimals::{ascii_float, MOST_DIGITS};
use crate::integers::Integer;
use crate::texts::Text;

#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Text(Text),
    List(Vec<Json>),
    Object(Members),
}

/// Members in their order. What `read` gives has no key twice.
pub type Members = Vec<(Text, Json)>;

/// The value of a key.
pub fn member<'a>(members: &'a Members, key: &str) -> Option<&'a Json> {
    let found = members.iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value)
}

/// Why there is no value. Which of several faults counts is a matter of what comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not JSON: Python's JSONDecodeError.
    Malformed,
    /// An int has more than 4,300 digits: Python's plain ValueError.
    TooManyDigits,
    /// Nested beyond the parser's depth: Python's RecursionError.
    TooDeep,
}

/// Python's limit on recursion. Any between 500 and 100,000 would do (003-1.3-nesting).
const DEEPEST: usize = 1000;

/// The one value that a text holds.
pub fn read(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    reader.skip_space();
    let value = reader.value()?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(Fault::Malformed); // 003-1.3-one-document
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the words if they stand here.
    fn take(&mut self, words: &str) -> bool {
        let here = self.text.as_bytes()[self.at..].starts_with(words.as_bytes());
        if here {
            self.at += words.len();
        }
        here
    }

    /// 003-1.3-white-space
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Json, Fault> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::Text),
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::list),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take("null") => Ok(Json::Null),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            // 003-1.3-non-finite-constants
            _ if self.take("NaN") => Ok(Json::Float(f64::NAN)),
            _ if self.take("Infinity") => Ok(Json::Float(f64::INFINITY)),
            _ => Err(Fault::Malformed),
        }
    }

    /// The depth is judged at the opening bracket, before anything behind it.
    fn nested(&mut self, read: fn(&mut Self) -> Result<Json, Fault>) -> Result<Json, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        self.skip_space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Json, Fault> {
        let mut items = Vec::new();
        if self.take("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if !self.goes_on("]")? {
                return Ok(Json::List(items));
            }
        }
    }

    fn object(&mut self) -> Result<Json, Fault> {
        let mut members = Members::new();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        let mut places: HashMap<Text, usize> = HashMap::new();
        loop {
            if self.peek() != Some(b'"') {
                return Err(Fault::Malformed);
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(":") {
                return Err(Fault::Malformed);
            }
            self.skip_space();
            let value = self.value()?;
            // Of equal keys the last value counts, in the first one's place
            // (003-1.3-duplicate-keys-last-wins, 003-1.3-key-order).
            match places.entry(key) {
                Entry::Occupied(place) => members[*place.get()].1 = value,
                Entry::Vacant(new) => {
                    members.push((new.key().clone(), value));
                    new.insert(members.len() - 1);
                }
            }
            if !self.goes_on("}")? {
                return Ok(Json::Object(members));
            }
        }
    }

    /// Whether a comma comes, and not the end.
    fn goes_on(&mut self, end: &str) -> Result<bool, Fault> {
        self.skip_space();
        if self.take(end) {
            return Ok(false);
        }
        if !self.take(",") {
            return Err(Fault::Malformed);
        }
        self.skip_space();
        Ok(true)
    }

    /// 003-1.3-number-grammar
    fn number(&mut self) -> Result<Json, Fault> {
        let start = self.at;
        if self.take("-") && self.take("Infinity") {
            return Ok(Json::Float(f64::NEG_INFINITY));
        }
        let digits = self.at;
        if !self.take("0") {
            self.digits();
        }
        let count = self.at - digits;
        if count == 0 {
            return Err(Fault::Malformed);
        }
        // A point or an exponent without a digit is no part of the number, but a fault behind it.
        let whole = self.at;
        let behind_point = self.take(".") && self.digits();
        if !behind_point {
            self.at = whole;
        }
        let mantissa = self.at;
        let exponent = (self.take("e") || self.take("E")) && {
            let _ = self.take("+") || self.take("-");
            self.digits()
        };
        if !exponent {
            self.at = mantissa;
        }
        let spelling = &self.text[start..self.at];
        if self.at > whole {
            return ascii_float(spelling)
                .map(Json::Float)
                .ok_or(Fault::Malformed);
        }
        // The sign is no digit (003-1.3-integer-digit-limit).
        if count > MOST_DIGITS {
            return Err(Fault::TooManyDigits);
        }
        Integer::parse(spelling)
            .map(Json::Int)
            .ok_or(Fault::Malformed)
    }

    /// Takes digits, and says whether there were any.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at > start
    }

    /// 003-1.3-string-grammar
    fn string(&mut self) -> Result<Text, Fault> {
        self.at += 1;
        let mut text = Text::default();
        loop {
            let start = self.at;
            let rest = &self.text.as_bytes()[start..];
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            self.at += rest.iter().position(special).ok_or(Fault::Malformed)?;
            text.push_str(&self.text[start..self.at]);
            if self.take("\"") {
                return Ok(text);
            }
            if !self.take("\\") {
                return Err(Fault::Malformed); // a raw control character
            }
            let escape = self.peek().ok_or(Fault::Malformed)?;
            self.at += 1;
            text.push(match escape {
                b'"' | b'\\' | b'/' => escape.into(),
                b'b' => 0x8,
                b'f' => 0xc,
                b'n' => 0xa,
                b'r' => 0xd,
                b't' => 0x9,
                b'u' => self.escaped_code_point()?,
                _ => return Err(Fault::Malformed),
            });
        }
    }

    /// What stands behind `\u`: a code point, or the first half of a pair of surrogates. A
    /// surrogate without its other half stands for itself.
    fn escaped_code_point(&mut self) -> Result<u32, Fault> {
        let code = self.hexadecimal()?;
        let behind = self.at;
        if (0xd800..0xdc00).contains(&code) && self.take("\\u") {
            let low = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
            }
            self.at = behind;
        }
        Ok(code)
    }

    fn hexadecimal(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            code = code << 4 | digit.ok_or(Fault::Malformed)?;
            self.at += 1;
        }
        Ok(code)
    }
}
