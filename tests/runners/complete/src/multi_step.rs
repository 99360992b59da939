//! Document 003, section 4.5: the rewards of a trial from its steps.

use std::cmp::Ordering;

use crate::metrics::Columns;
use crate::numbers::{mean, Number};
use crate::raised::{Raised, INVALID};
use crate::reward_files::{reward_of, Rewards};
use crate::texts::Text;

/// How the steps' rewards become the trial's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    Mean,
    Final,
}

/// A verifier result: its rewards, which may be null.
pub type VerifierResult = Option<Rewards>;

/// What a step gives if it is run.
pub struct Step {
    pub result: Option<VerifierResult>,
    pub raised: bool,
    pub gate: Vec<Threshold>,
}

/// The least reward of a key with which the steps go on.
pub struct Threshold {
    pub key: Text,
    pub least: f64,
}

impl Threshold {
    /// A threshold is made a double when the task is read; one beyond the doubles is no task's
    /// (003-4.5-gate-threshold-double, 003-4.5-gate-threshold-range).
    pub fn new(key: &str, least: &Number) -> Result<Threshold, Raised> {
        Ok(Threshold {
            key: key.into(),
            least: least.to_double().or(Err(INVALID))?,
        })
    }
}

/// How many of the steps run: up to the one that stops the trial, which is one of them.
pub fn steps_run(steps: &[Step]) -> usize {
    let stops = steps.iter().position(stops);
    stops.map_or(steps.len(), |last| last + 1)
}

fn stops(step: &Step) -> bool {
    match &step.result {
        // An exception without a result stops before the gate is asked; with one it stops nothing
        // (003-4.5-exception-stops, 003-4.5-exception-with-result).
        None if step.raised => true,
        result => {
            let rewards = result.as_ref().and_then(|rewards| rewards.as_ref());
            step.gate
                .iter()
                .any(|threshold| falls_short(rewards, threshold))
        }
    }
}

/// Whether a reward is less than its threshold. What is missing counts as -Infinity
/// (003-4.5-gate-nothing-is-minus-inf); a NaN is not less than anything (003-4.5-gate-nan).
fn falls_short(rewards: Option<&Rewards>, threshold: &Threshold) -> bool {
    let nothing = Number::Float(f64::NEG_INFINITY);
    let reward = rewards.and_then(|rewards| reward_of(rewards, &threshold.key));
    let compared = reward
        .unwrap_or(&nothing)
        .compare(&Number::Float(threshold.least));
    compared == Some(Ordering::Less)
}

/// The trial's verifier result, from the steps that ran; there may be none.
pub fn trial_result(strategy: Strategy, ran: &[Step]) -> Result<Option<VerifierResult>, Raised> {
    match strategy {
        // The last step that ran decides, as it is (003-4.5-final-last-executed,
        // 003-4.5-final-verbatim, 003-4.5-final-no-result).
        Strategy::Final => Ok(ran.last().and_then(|step| step.result.clone())),
        Strategy::Mean => {
            // Steps without a result are left out; rewards of null count as an empty object
            // (003-4.5-no-result-left-out, 003-4.5-null-rewards-count).
            let results = ran.iter().filter_map(|step| step.result.as_ref());
            let columns = Columns::of(&results.map(Option::as_ref).collect::<Vec<_>>());
            // Where there is no key there is no result (003-4.5-no-results-null,
            // 003-4.5-no-keys-null).
            if columns.keys().is_empty() {
                return Ok(None);
            }
            // Each key has the mean of its own values, a float (003-4.5-mean-per-key,
            // 003-4.5-missing-key-zero, 003-4.5-mean-is-float).
            let mean_of = |key: &&Text| {
                let mean = mean(&columns.values(key))?;
                Ok(((*key).clone(), Number::Float(mean).into()))
            };
            let means = columns.keys().iter().map(mean_of);
            Ok(Some(Some(means.collect::<Result<_, Raised>>()?)))
        }
    }
}
