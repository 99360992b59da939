//! Integers of any size, as Python has them: exact, and rounded once where they become doubles.

use std::cmp::Ordering;
use std::fmt;

/// Decimal digits that are read or written at a time: 10 to this power fits in 32 bits.
const DIGITS_AT_A_TIME: usize = 9;
const BILLION: u32 = 1_000_000_000;

/// A sign and a magnitude in base 2**32, least limb first, without zeros at its end.
/// Zero has no limbs and is not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Integer {
    negative: bool,
    limbs: Vec<u32>,
}

impl Integer {
    fn new(negative: bool, mut limbs: Vec<u32>) -> Integer {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Integer {
            negative: negative && !limbs.is_empty(),
            limbs,
        }
    }

    /// An optional minus sign and ASCII digits, in any number.
    pub fn parse(text: &str) -> Option<Integer> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut limbs = Vec::with_capacity(digits.len() / DIGITS_AT_A_TIME + 1);
        let (head, tail) = digits.split_at(digits.len() % DIGITS_AT_A_TIME);
        let chunks = tail.as_bytes().chunks(DIGITS_AT_A_TIME);
        for chunk in std::iter::once(head.as_bytes()).chain(chunks) {
            let value = chunk
                .iter()
                .fold(0, |v, digit| v * 10 + u64::from(digit - b'0'));
            let mut carry = value;
            for limb in &mut limbs {
                carry += u64::from(*limb) * u64::from(BILLION);
                *limb = carry as u32;
                carry >>= 32;
            }
            if carry > 0 {
                limbs.push(carry as u32);
            }
        }
        Some(Integer::new(negative, limbs))
    }

    /// The whole part of a finite double, which every double has exactly.
    pub fn truncated(double: f64) -> Integer {
        let bits = double.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
        let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
        if exponent < -52 {
            return Integer::default();
        }
        let mut limbs = Vec::new();
        if exponent <= 0 {
            let whole = mantissa >> -exponent;
            limbs.extend([whole as u32, (whole >> 32) as u32]);
        } else {
            limbs.resize(exponent as usize / 32, 0);
            let shifted = u128::from(mantissa) << (exponent % 32);
            limbs.extend([
                shifted as u32,
                (shifted >> 32) as u32,
                (shifted >> 64) as u32,
            ]);
        }
        Integer::new(double < 0.0, limbs)
    }

    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The value in 64 bits, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        if self.limbs.len() > 2 {
            return None;
        }
        let limbs = self.limbs.iter().rev();
        let magnitude = limbs.fold(0, |m: i128, limb| m << 32 | i128::from(*limb));
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The nearest double, of two the even one; `None` if that is beyond the largest.
    pub fn to_double(&self) -> Option<f64> {
        let magnitude = nearest_double(&self.limbs, 0, false)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The quotient with a count, rounded once to a double, as Python's `int / int` is; `None` if
    /// that is beyond the largest double. A count of 0 divides nothing: callers have asked before.
    pub fn divided_by(&self, count: u32) -> Option<f64> {
        // With 96 more bits the quotient has more than 64, and the rest is a matter of ties only.
        let mut quotient = vec![0; 3];
        quotient.extend(&self.limbs);
        let rest = divide_in_place(&mut quotient, count);
        let magnitude = nearest_double(
            Integer::new(false, quotient).limbs.as_slice(),
            -96,
            rest > 0,
        )?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    pub fn negated(&self) -> Integer {
        Integer::new(!self.negative, self.limbs.clone())
    }

    pub fn plus(&self, other: &Integer) -> Integer {
        if self.negative == other.negative {
            return Integer::new(self.negative, added(&self.limbs, &other.limbs));
        }
        match compared(&self.limbs, &other.limbs) {
            Ordering::Less => Integer::new(other.negative, subtracted(&other.limbs, &self.limbs)),
            _ => Integer::new(self.negative, subtracted(&self.limbs, &other.limbs)),
        }
    }

    pub fn minus(&self, other: &Integer) -> Integer {
        self.plus(&other.negated())
    }

    /// Compares by exact value with a double of any size; nothing compares with NaN.
    pub fn compare_with_double(&self, double: f64) -> Option<Ordering> {
        if double.is_infinite() {
            return 0.0.partial_cmp(&double);
        }
        if double.is_nan() {
            return None;
        }
        match self.cmp(&Integer::truncated(double)) {
            Ordering::Equal => 0.0.partial_cmp(&double.fract()),
            unequal => Some(unequal),
        }
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        let magnitude = value.unsigned_abs();
        Integer::new(value < 0, vec![magnitude as u32, (magnitude >> 32) as u32])
    }
}

impl From<usize> for Integer {
    fn from(count: usize) -> Integer {
        let magnitude = count as u64;
        Integer::new(false, vec![magnitude as u32, (magnitude >> 32) as u32])
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => compared(&self.limbs, &other.limbs),
            (true, true) => compared(&other.limbs, &self.limbs),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let mut rest = self.limbs.clone();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            chunks.push(divide_in_place(&mut rest, BILLION));
            while rest.last() == Some(&0) {
                rest.pop();
            }
        }
        let mut digits = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            digits.push_str(&format!("{chunk:09}"));
        }
        to.pad_integral(!self.negative, "", &digits)
    }
}

fn compared(left: &[u32], right: &[u32]) -> Ordering {
    let by_length = left.len().cmp(&right.len());
    by_length.then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

fn added(left: &[u32], right: &[u32]) -> Vec<u32> {
    let (long, short) = if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    };
    let mut sum = Vec::with_capacity(long.len() + 1);
    let mut carry = 0;
    for (i, limb) in long.iter().enumerate() {
        carry += u64::from(*limb) + u64::from(short.get(i).copied().unwrap_or(0));
        sum.push(carry as u32);
        carry >>= 32;
    }
    sum.push(carry as u32);
    sum
}

/// The difference of two magnitudes, of which the second is not the larger one.
fn subtracted(large: &[u32], small: &[u32]) -> Vec<u32> {
    let mut difference = Vec::with_capacity(large.len());
    let mut borrow = 0;
    for (i, limb) in large.iter().enumerate() {
        let value = i64::from(*limb) - i64::from(small.get(i).copied().unwrap_or(0)) - borrow;
        borrow = i64::from(value < 0);
        difference.push(value as u32);
    }
    difference
}

/// Divides a magnitude and gives the rest.
fn divide_in_place(limbs: &mut [u32], divisor: u32) -> u32 {
    let mut rest = 0;
    for limb in limbs.iter_mut().rev() {
        let value = rest << 32 | u64::from(*limb);
        *limb = (value / u64::from(divisor)) as u32;
        rest = value % u64::from(divisor);
    }
    rest as u32
}

/// The double nearest to `limbs * 2**scale`, and a little more than that where `more` says so.
/// Of two that are as near the even one; `None` beyond the largest. Never called for subnormals.
fn nearest_double(limbs: &[u32], scale: i32, more: bool) -> Option<f64> {
    let Some(top) = limbs.last() else {
        return Some(0.0);
    };
    let bits = limbs.len() as i64 * 32 - i64::from(top.leading_zeros());
    // The 64 highest bits; `below` says whether any bit under them is set.
    let mut high = 0u64;
    let mut below = more;
    for place in (0..64).map(|i| bits - 1 - i) {
        let set = place >= 0 && limbs[place as usize / 32] >> (place % 32) & 1 == 1;
        high = high << 1 | u64::from(set);
    }
    for place in 0..(bits - 64).max(0) as usize {
        below |= limbs[place / 32] >> (place % 32) & 1 == 1;
    }
    let (mut mantissa, rest) = (high >> 11, high & 0x7ff);
    if rest > 0x400 || rest == 0x400 && (below || mantissa & 1 == 1) {
        mantissa += 1;
    }
    let exponent = bits - 64 + 11 + i64::from(scale);
    if exponent > 971 {
        return None;
    }
    let power = f64::from_bits(((exponent + 1023) as u64) << 52);
    let double = mantissa as f64 * power;
    double.is_finite().then_some(double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Integer {
        Integer::parse(text).unwrap()
    }

    #[test]
    fn digits_come_back() {
        for text in [
            "0",
            "-1",
            "999999999",
            "1000000000",
            "-340282366920938463463374607431768211457",
        ] {
            assert_eq!(int(text).to_string(), text);
        }
        assert_eq!(int("-0").to_string(), "0");
        assert_eq!(int("000000000000000000012").to_string(), "12");
        assert_eq!(Integer::parse("+1"), None);
    }

    #[test]
    fn sums_are_exact() {
        let (large, small) = (int("18446744073709551616"), int("-18446744073709551617"));
        assert_eq!(large.plus(&small).to_string(), "-1");
        assert_eq!(large.minus(&small).to_string(), "36893488147419103233");
        assert_eq!(Integer::from(i64::MIN).to_i64(), Some(i64::MIN));
        assert_eq!(int("9223372036854775808").to_i64(), None);
    }

    #[test]
    fn doubles_are_the_nearest() {
        assert_eq!(
            int("9007199254740993").to_double(),
            Some(9007199254740992.0)
        );
        assert_eq!(
            int("9007199254740995").to_double(),
            Some(9007199254740996.0)
        );
        assert_eq!(int("-3").divided_by(7), Some(-3.0 / 7.0));
        assert_eq!(
            int("9007199254740993").divided_by(3),
            Some(3002399751580331.0)
        );
        let beyond = Integer::truncated(f64::MAX).plus(&Integer::truncated(2f64.powi(970)));
        assert_eq!(beyond.to_double(), None);
        assert_eq!(
            beyond.minus(&Integer::from(1i64)).to_double(),
            Some(f64::MAX)
        );
        assert_eq!(beyond.divided_by(2), Some(2f64.powi(1023)));
    }

    #[test]
    fn comparison_is_exact() {
        let int = int("9007199254740993");
        assert_eq!(
            int.compare_with_double(9007199254740992.0),
            Some(Ordering::Greater)
        );
        assert_eq!(int.compare_with_double(f64::INFINITY), Some(Ordering::Less));
        assert_eq!(int.compare_with_double(f64::NAN), None);
        assert_eq!(
            Integer::from(-1i64).compare_with_double(-1.5),
            Some(Ordering::Greater)
        );
        assert_eq!(Integer::truncated(-2.5).to_string(), "-2");
        assert_eq!(Integer::truncated(0.75).to_string(), "0");
    }
}
