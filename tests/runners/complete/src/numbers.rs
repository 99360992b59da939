//! Document 003, section 6: numbers as CPython 3.12 compares, adds and divides them.

use std::cmp::Ordering;

use crate::integers::Integer;
use crate::protocol;
use crate::raised::{Raised, OVERFLOW};

/// An int of any size or an IEEE double; 1 and 1.0 are equal and still two things.
#[derive(Clone, Debug)]
pub enum Number {
    Int(Integer),
    Float(f64),
}

impl Number {
    /// The int 0, which stands for whatever is missing.
    pub fn zero() -> Number {
        Number::Int(Integer::default())
    }

    /// An int is rounded once to the nearest double; one beyond the largest raises
    /// (003-6-sum-overflow-error).
    pub fn to_double(&self) -> Result<f64, Raised> {
        match self {
            Number::Int(int) => int.to_double().ok_or(OVERFLOW),
            Number::Float(double) => Ok(*double),
        }
    }

    /// Ints and floats are compared by exact value, at any size (003-3.2-exact-comparison);
    /// nothing compares with NaN.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(left), Number::Int(right)) => Some(left.cmp(right)),
            (Number::Int(left), Number::Float(right)) => left.compare_with_double(*right),
            (Number::Float(left), Number::Int(right)) => {
                right.compare_with_double(*left).map(Ordering::reverse)
            }
            (Number::Float(left), Number::Float(right)) => left.partial_cmp(right),
        }
    }

    /// Python's `+`: ints exactly, anything else as doubles.
    fn plus(&self, other: &Number) -> Result<Number, Raised> {
        Ok(match (self, other) {
            (Number::Int(left), Number::Int(right)) => Number::Int(left.plus(right)),
            _ => Number::Float(self.to_double()? + other.to_double()?),
        })
    }

    /// The int in 64 bits, if it is an int and fits.
    fn as_i64(&self) -> Option<i64> {
        match self {
            Number::Int(int) => int.to_i64(),
            Number::Float(_) => None,
        }
    }
}

impl From<protocol::Number> for Number {
    fn from(number: protocol::Number) -> Number {
        match number {
            protocol::Number::Int(int) => {
                Number::Int(Integer::parse(int.digits()).expect("an int is digits"))
            }
            protocol::Number::Float(double) => Number::Float(double),
        }
    }
}

impl From<&Number> for protocol::Value {
    fn from(number: &Number) -> protocol::Value {
        match number {
            Number::Int(int) => {
                protocol::Value::Int(int.to_string().parse().expect("an int is digits"))
            }
            Number::Float(double) => (*double).into(),
        }
    }
}

/// CPython 3.12's `sum`.
pub fn sum(numbers: &[Number]) -> Result<Number, Raised> {
    let mut numbers = numbers.iter();

    // A sum starts at the int 0 and adds ints exactly (003-6-sum-starts-at-int-zero,
    // 003-6-sum-int-exact). The first float joins in one ordinary addition
    // (003-6-sum-first-float).
    let mut total = 0i64;
    let mut sum = loop {
        let Some(number) = numbers.next() else {
            return Ok(Number::Int(total.into()));
        };
        match number.as_i64().and_then(|int| total.checked_add(int)) {
            Some(within) => total = within,
            None => break Number::Int(total.into()).plus(number)?,
        }
    };

    // Behind the first float, floats are added with Neumaier's compensation: what an addition
    // loses is gathered apart (003-6-sum-compensated). Where an int left 64 bits there is no
    // float yet, and no compensation any more (003-6-sum-int-overflow-plain).
    if let Number::Float(start) = sum {
        let (mut total, mut correction) = (start, 0.0);
        let big = loop {
            match numbers.next() {
                Some(Number::Float(double)) => {
                    let next = total + double;
                    correction += if total.abs() >= double.abs() {
                        (total - next) + double
                    } else {
                        (double - next) + total
                    };
                    total = next;
                }
                // An int of 64 bits leaves the correction alone (003-6-sum-int-in-float-phase).
                Some(Number::Int(int)) => match int.to_i64() {
                    Some(within) => total += within as f64,
                    None => break Some(Number::Int(int.clone())),
                },
                None => break None,
            }
        };
        // The correction goes in once, if it is finite (003-6-sum-final-correction): at the end,
        // or in front of a larger int, which ends compensation (003-6-sum-big-int-in-float-phase).
        if correction != 0.0 && correction.is_finite() {
            total += correction;
        }
        sum = Number::Float(total);
        match big {
            None => return Ok(sum),
            Some(int) => sum = sum.plus(&int)?,
        }
    }

    // The rest is added plainly, from left to right.
    for number in numbers {
        sum = sum.plus(number)?;
    }
    Ok(sum)
}

/// The sum, divided once by a count that is not 0: an int sum exactly and rounded once
/// (003-3.2-mean-int-exact), a float sum as doubles are.
pub fn mean(numbers: &[Number]) -> Result<f64, Raised> {
    match sum(numbers)? {
        // A quotient beyond the doubles raises, however large the sum (003-3.2-mean-overflow).
        Number::Int(int) => int.divided_by(numbers.len() as u32).ok_or(OVERFLOW),
        Number::Float(double) => Ok(double / numbers.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<Number> {
        let parse = |word: &str| match Integer::parse(word) {
            Some(int) => Number::Int(int),
            None => Number::Float(word.parse().unwrap()),
        };
        text.split_whitespace().map(parse).collect()
    }

    fn added(text: &str) -> String {
        match sum(&numbers(text)) {
            Ok(Number::Int(int)) => int.to_string(),
            Ok(Number::Float(double)) => format!("{double:?}"),
            Err(raised) => raised.0.to_string(),
        }
    }

    #[test]
    fn sums_are_cpythons() {
        assert_eq!(added(""), "0");
        assert_eq!(added("-0.0"), "0.0");
        assert_eq!(added("9223372036854775807 1"), "9223372036854775808");
        assert_eq!(added("0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1"), "1.0");
        assert_eq!(added("1 0.1 0.1"), "1.2000000000000002");
        assert_eq!(added("1.0 0.1 0.1"), "1.2");
        assert_eq!(added("inf 1.0"), "inf");
        assert_eq!(added("1e308 1e308 -1e308"), "inf");
    }

    #[test]
    fn means_of_ints_are_rounded_once() {
        assert_eq!(
            mean(&numbers("9007199254740993 9007199254740993")),
            Ok(9007199254740992.0)
        );
        assert_eq!(mean(&numbers("2 0 1")), Ok(1.0));
    }
}
