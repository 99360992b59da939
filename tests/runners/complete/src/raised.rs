//! What harbor raises, by the name of its class: a trial records it, or the answer is it.

use crate::protocol::{fail, Problem};

/// The class name of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised(pub &'static str);

pub const NO_REWARD_FILE: Raised = Raised("RewardFileNotFoundError");
pub const EMPTY_REWARD_FILE: Raised = Raised("RewardFileEmptyError");
pub const UNREADABLE_REWARD_FILE: Raised = Raised("VerifierOutputParseError");
pub const INVALID: Raised = Raised("ValidationError");
pub const NESTED_TOO_DEEPLY: Raised = Raised("RecursionError");
pub const OVERFLOW: Raised = Raised("OverflowError");
pub const DIVISION_BY_ZERO: Raised = Raised("ZeroDivisionError");
pub const WRONG_VALUE: Raised = Raised("ValueError");

impl From<Raised> for Problem {
    fn from(raised: Raised) -> Problem {
        fail(raised.0)
    }
}
