//! Document 003, section 5, read from the other side: what the consumer makes of a process that
//! printed an outcome line, or should have.

use crate::characters::lines;
use crate::json::{self, member, Fault, Json, Members};
use crate::numbers::Number;
use crate::outcome::PREFIX;
use crate::raised::{Raised, NESTED_TOO_DEEPLY, WRONG_VALUE};
use crate::reason_codes::reason_code;
use crate::texts::Text;

/// How a run counts.
pub struct Verdict {
    pub status: &'static str,
    pub score: f64,
    pub reason_code: Option<Text>,
}

fn failed(reason_code: Option<Text>) -> Verdict {
    Verdict {
        status: "failed",
        score: 0.0,
        reason_code,
    }
}

/// The verdict on a finished process.
pub fn read_outcome(
    stdout: &str,
    exited_with_zero: bool,
    timed_out: bool,
) -> Result<Verdict, Raised> {
    // The line is read before anything else is looked at, and what escapes there escapes
    // (003-5-read-huge-int-escapes, 003-5-read-deep-nesting-escapes).
    let payload = payload(stdout)?;
    let reason = payload.as_ref().ok().and_then(reason);
    if timed_out {
        // 003-5-read-timed-out-first
        return Ok(Verdict {
            status: "timed_out",
            score: 0.0,
            reason_code: Some("timed_out".into()),
        });
    }
    if !exited_with_zero {
        // 003-5-read-nonzero-exit
        return Ok(failed(
            reason.or_else(|| Some("harbor_nonzero_exit".into())),
        ));
    }
    match payload {
        Ok(payload) => judged(&payload, reason),
        Err(unusable) => Ok(failed(Some(unusable.into()))), // 003-5-read-parse-reason
    }
}

/// The object of the last outcome line, or the code for a line that is missing or malformed.
fn payload(stdout: &str) -> Result<Result<Members, &'static str>, Raised> {
    // The line begins with the prefix at its first character; earlier ones are not read
    // (003-5-read-prefix-exact, 003-5-read-last-line).
    let Some(payload) = lines(stdout)
        .filter_map(|line| line.strip_prefix(PREFIX))
        .last()
    else {
        return Ok(Err("harbor_result_missing")); // 003-5-read-no-line
    };
    match json::read(payload) {
        Ok(Json::Object(members)) => Ok(Ok(members)),
        Ok(_) => Ok(Err("harbor_result_malformed")), // 003-5-read-not-object
        Err(Fault::Malformed) => Ok(Err("harbor_result_malformed")), // 003-5-read-malformed
        Err(Fault::TooManyDigits) => Err(WRONG_VALUE),
        Err(Fault::TooDeep) => Err(NESTED_TOO_DEEPLY),
    }
}

/// The payload's reason, normalised (003-5-read-reason-normalised); what is no string is none
/// (003-5-read-reason-not-string).
fn reason(payload: &Members) -> Option<Text> {
    match member(payload, "reason_code") {
        Some(Json::Text(text)) => {
            let code = reason_code(&text.with_stand_ins())?;
            Some(text.without_stand_ins(&code))
        }
        _ => None,
    }
}

/// The verdict on a process that ended well and printed an object.
fn judged(payload: &Members, reason: Option<Text>) -> Result<Verdict, Raised> {
    let code = |code: &str| Ok(failed(Some(code.into())));
    // 003-5-read-partial
    let (Some(Json::Text(status)), Some(score)) =
        (member(payload, "status"), member(payload, "score"))
    else {
        return code("harbor_result_partial");
    };
    // 003-5-read-status-values
    let is_failed = status == "failed";
    if !is_failed && status != "completed" {
        return code("harbor_result_invalid");
    }
    // 003-5-read-score-number; an int beyond the doubles escapes (003-5-read-score-overflow-escapes)
    let score = match score {
        Json::Int(int) => Number::Int(int.clone()).to_double()?,
        Json::Float(double) => *double,
        _ => return code("harbor_result_invalid"),
    };
    // 003-5-read-score-range, 003-5-read-failed-positive
    if !(0.0..=1.0).contains(&score) || is_failed && score > 0.0 {
        return code("harbor_result_invalid");
    }
    if is_failed {
        return Ok(failed(reason)); // 003-5-read-failed
    }
    // 003-5-read-completed
    Ok(Verdict {
        status: "completed",
        score,
        reason_code: reason,
    })
}
