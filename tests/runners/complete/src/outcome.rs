//! Document 003, section 5: the outcome line, from harbor's result.json.

use crate::decimals::{python_float, python_int, repr, MOST_DIGITS};
use crate::integers::Integer;
use crate::json::{self, member, Json, Members};
use crate::numbers::{mean, Number};
use crate::raised::{Raised, WRONG_VALUE};

pub const PREFIX: &str = "BASE_BENCHMARK_RESULT=";

/// Any exception while the result is read or aggregated (003-5-malformed).
struct Malformed;

/// What the line says.
struct Summary {
    failed: bool,
    score: f64,
    resolved: Integer,
    total: Integer,
    reason_code: Option<&'static str>,
}

/// The line for a result.json; `None` is no file.
pub fn outcome(file: Option<&[u8]>) -> Result<String, Raised> {
    let summary = match file {
        None => unusable("harbor_result_missing"), // 003-5-missing-file
        Some(bytes) => {
            summary(bytes).unwrap_or_else(|Malformed| unusable("harbor_result_malformed"))
        }
    };
    line(&summary)
}

/// The summary where nothing is known but the reason (003-5-initial-summary).
fn unusable(reason_code: &'static str) -> Summary {
    Summary {
        failed: true,
        score: 0.0,
        resolved: Integer::default(),
        total: Integer::default(),
        reason_code: Some(reason_code),
    }
}

/// The score alone, for which no counter is read; none where there is no file or it is malformed.
pub fn result_score(file: Option<&[u8]>) -> Option<f64> {
    let data = content(file?).ok()?;
    let nothing = Members::new();
    let stats = object_or(&nothing, member(object(&data).ok()?, "stats")).ok()?;
    score(stats).ok().filter(|score| score.is_finite())
}

/// UTF-8 and one JSON text, without a byte order mark (003-5-file-encoding, 003-5-json-grammar).
fn content(bytes: &[u8]) -> Result<Json, Malformed> {
    let text = std::str::from_utf8(bytes).or(Err(Malformed))?;
    json::read(text).or(Err(Malformed))
}

fn summary(bytes: &[u8]) -> Result<Summary, Malformed> {
    let data = content(bytes)?;
    let data = object(&data)?;
    let nothing = Members::new();
    let stats = object_or(&nothing, member(data, "stats"))?;

    // Counters are converted, whether they are used or not (003-5-counter-conversion).
    let reported = counter(member(data, "n_total_trials"))?;
    let completed = counter(member(stats, "n_completed_trials"))?;
    let errored = counter(member(stats, "n_errored_trials"))?;

    let score = score(stats)?;
    // resolved is the product of two doubles, rounded half to even (003-5-resolved-half-even,
    // 003-5-resolved-float-product), of the total as reported (003-5-resolved-uses-reported-total).
    let product = score * reported.to_double().ok_or(Malformed)?;
    if !product.is_finite() {
        return Err(Malformed); // 003-5-non-finite-score
    }
    Ok(Summary {
        failed: !errored.is_zero(), // 003-5-status-from-errored
        score,
        resolved: rounded_half_even(product),
        // 003-5-total-reported, 003-5-total-fallback
        total: if reported.is_zero() {
            completed.plus(&errored)
        } else {
            reported
        },
        reason_code: None,
    })
}

/// The mean of all samples.
fn score(stats: &Members) -> Result<f64, Malformed> {
    let nothing = Members::new();
    // Samples come from all metrics of all groups, in the order of the file (003-5-flat-mean,
    // 003-5-sample-order).
    let mut samples = Vec::new();
    for (_, group) in object_or(&nothing, member(stats, "evals"))? {
        for metric in metrics(member(object(group)?, "metrics"))? {
            let metric = object(metric)?;
            match member(metric, "mean") {
                // 003-5-mean-key-only
                Some(mean) => samples.push(sample(mean)?),
                // 003-5-every-value
                None => {
                    for (_, value) in metric {
                        samples.push(sample(value)?);
                    }
                }
            }
        }
    }
    // 003-5-empty-values-zero, 003-5-compensated-sum, 003-5-score-division
    match samples.as_slice() {
        [] => Ok(0.0),
        samples => mean(samples).or(Err(Malformed)),
    }
}

/// 003-5-object-due
fn object(value: &Json) -> Result<&Members, Malformed> {
    match value {
        Json::Object(members) => Ok(members),
        _ => Err(Malformed),
    }
}

/// An absent member counts as an empty object, and a null does not (003-5-stats-absent).
fn object_or<'a>(nothing: &'a Members, value: Option<&'a Json>) -> Result<&'a Members, Malformed> {
    value.map_or(Ok(nothing), object)
}

/// A group's metrics. Python can iterate over more than lists, but what an object or a string gives
/// is no metric, so only empty ones will do (003-5-metrics-container).
fn metrics(value: Option<&Json>) -> Result<&[Json], Malformed> {
    match value {
        None => Ok(&[]),
        Some(Json::List(metrics)) => Ok(metrics),
        Some(Json::Object(members)) if members.is_empty() => Ok(&[]),
        Some(Json::Text(text)) if text.is_empty() => Ok(&[]),
        _ => Err(Malformed),
    }
}

/// `int(value or 0)` of a member that may be absent (003-5-counter-absent).
fn counter(value: Option<&Json>) -> Result<Integer, Malformed> {
    match value {
        None | Some(Json::Null) => Ok(Integer::default()),
        Some(Json::Bool(truth)) => Ok(Integer::from(i64::from(*truth))),
        Some(Json::Int(int)) => Ok(int.clone()),
        Some(Json::Float(double)) if double.is_finite() => Ok(Integer::truncated(*double)),
        Some(Json::Text(text)) if text.is_empty() => Ok(Integer::default()),
        Some(Json::Text(text)) => text.as_str().and_then(python_int).ok_or(Malformed),
        Some(Json::List(items)) if items.is_empty() => Ok(Integer::default()),
        Some(Json::Object(members)) if members.is_empty() => Ok(Integer::default()),
        Some(Json::Float(_) | Json::List(_) | Json::Object(_)) => Err(Malformed),
    }
}

/// `float(value)` (003-5-sample-float); null is how harbor writes NaN (003-5-null-metric).
fn sample(value: &Json) -> Result<Number, Malformed> {
    let double = match value {
        Json::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Json::Int(int) => int.to_double(),
        Json::Float(double) => Some(*double),
        Json::Text(text) => text.as_str().and_then(python_float),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    };
    double.map(Number::Float).ok_or(Malformed)
}

/// Python's `round` of a finite double, an int of any size (003-5-resolved-exact-int).
fn rounded_half_even(double: f64) -> Integer {
    let whole = double.trunc();
    let fraction = (double - whole).abs();
    let away = fraction > 0.5 || fraction == 0.5 && whole % 2.0 != 0.0;
    Integer::truncated(if away {
        whole + 1f64.copysign(double)
    } else {
        whole
    })
}

/// The summary as Python's `json.dumps` writes it, its keys sorted (003-5-line-format,
/// 003-5-line-float-repr).
fn line(summary: &Summary) -> Result<String, Raised> {
    let total = summary.total.to_string();
    // Printing is not guarded (003-5-print-escapes).
    if total.trim_start_matches('-').len() > MOST_DIGITS {
        return Err(WRONG_VALUE);
    }
    let reason_code = match summary.reason_code {
        Some(code) => format!("\"{code}\""),
        None => "null".to_string(),
    };
    Ok(format!(
        "{PREFIX}{{\"reason_code\": {reason_code}, \"resolved\": {}, \"score\": {}, \
         \"status\": \"{}\", \"total\": {total}}}",
        summary.resolved,
        repr(summary.score),
        if summary.failed {
            "failed"
        } else {
            "completed"
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_even() {
        let rounded = |double| rounded_half_even(double).to_string();
        assert_eq!(rounded(0.5), "0");
        assert_eq!(rounded(1.5), "2");
        assert_eq!(rounded(-2.5), "-2");
        assert_eq!(rounded(-3.5), "-4");
        assert_eq!(rounded(0.49999999999999994), "0");
        assert_eq!(rounded(4503599627370497.5), "4503599627370498");
        assert_eq!(rounded(1e22), "10000000000000000000000");
    }
}
