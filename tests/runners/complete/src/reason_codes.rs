//! Document 003, section 1.4: the consumer's matcher, from any text to a reason code.

use crate::characters::{is_alphanumeric, is_white_space, lower};

/// Codes that are given back as they are (003-1.4-retryable-codes, 003-1.4-final-codes).
const KNOWN: [&str; 20] = [
    "harbor_broker_connection_failed",
    "harbor_cancelled_error",
    "harbor_environment_start_timeout_error",
    "terminal_bench_broker_ref_missing",
    "terminal_bench_job_dir_missing",
    "terminal_bench_lease_expired",
    "harbor_agent_timeout_error",
    "harbor_nonzero_exit",
    "harbor_result_invalid",
    "harbor_result_malformed",
    "harbor_result_missing",
    "harbor_result_partial",
    "harbor_reward_empty",
    "harbor_reward_missing",
    "harbor_reward_parse_error",
    "harbor_submission_code_failed",
    "harbor_trial_failed",
    "harbor_trial_result_malformed",
    "harbor_trial_result_missing",
    "harbor_verifier_timeout_error",
];

/// Exceptions by their compact spelling, in the order in which they are looked for within a text,
/// and their codes.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("cancellederror", "harbor_cancelled_error"),
    ("cancelederror", "harbor_cancelled_error"),
    (
        "environmentstarttimeouterror",
        "harbor_environment_start_timeout_error",
    ),
    ("agenttimeouterror", "harbor_agent_timeout_error"),
    ("verifiertimeouterror", "harbor_verifier_timeout_error"),
];

/// The code of a reason; a text of white space has none (003-1.4-blank-is-none).
pub fn reason_code(text: &str) -> Option<String> {
    let trimmed = text.trim_matches(is_white_space);
    if trimmed.is_empty() {
        return None;
    }
    let lowered = lower(trimmed);
    let underscored = underscored(&lowered);
    let code = matched(&lowered, &underscored).map(str::to_string);
    // What no rule matches is given underscored, whole (003-1.4-fallthrough-underscored).
    Some(code.unwrap_or(underscored))
}

/// Hyphens become underscores, and so does each run of white space (003-1.4-underscored).
fn underscored(lowered: &str) -> String {
    let hyphenless = lowered.replace('-', "_");
    let words = hyphenless
        .split(is_white_space)
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// The rules in their order; the first that holds decides (003-1.4-rule-order).
fn matched(lowered: &str, underscored: &str) -> Option<&'static str> {
    // Known codes, however their words are set apart (003-1.4-known-code-lowered,
    // 003-1.4-known-code-underscored).
    let known = KNOWN
        .iter()
        .find(|code| [lowered, underscored].contains(code));
    if let Some(code) = known {
        return Some(code);
    }
    // The one alias that the names of exceptions below don't cover (003-1.4-alias-underscored).
    if underscored == "submission_code_failure" {
        return Some("harbor_submission_code_failed");
    }
    // Exceptions within the letters and digits (003-1.4-compact-alphanumerics); so the aliases
    // that are nothing else are found, too (003-1.4-alias-compact).
    let compact: String = lowered.chars().filter(|c| is_alphanumeric(*c)).collect();
    let exception = EXCEPTIONS.iter().find(|(name, _)| compact.contains(name));
    if let Some((_, code)) = exception {
        return Some(code);
    }
    // Words anywhere in the text, its path included (003-1.4-paths-change-the-match).
    let has = |word| lowered.contains(word);
    let refused = has("connection refused") || has("connection reset");
    if has("broker") && has("connection") || refused {
        // 003-1.4-broker-and-connection, 003-1.4-connection-refused-or-reset
        Some("harbor_broker_connection_failed")
    } else if has("reward") && has("missing") {
        Some("harbor_reward_missing") // 003-1.4-reward-and-missing
    } else if has("reward") && has("empty") {
        Some("harbor_reward_empty") // 003-1.4-reward-and-empty
    } else if has("reward") && (has("parse") || has("malformed")) {
        Some("harbor_reward_parse_error") // 003-1.4-reward-and-parse-or-malformed
    } else if has("submission") && (has("code") || has("runtime")) {
        Some("harbor_submission_code_failed") // 003-1.4-submission-code-or-runtime
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_tried_in_order() {
        let code = |text| reason_code(text).unwrap_or_default();
        assert_eq!(code(" \u{1c} "), "");
        assert_eq!(code("Harbor-Result  Missing"), "harbor_result_missing");
        assert_eq!(code("AGENT.TIMEOUT (ERROR)"), "harbor_agent_timeout_error");
        assert_eq!(code("reward not found"), "reward_not_found");
        assert_eq!(code("ΟΔΟΣ"), "οδος");
    }
}
