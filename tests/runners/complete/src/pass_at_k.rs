//! Document 003, section 4: pass@k of one group of trials.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::numbers::{mean, Number};
use crate::raised::Raised;
use crate::reward_files::Rewards;

/// What pass@k needs of a trial.
pub struct Attempt<'a> {
    pub task: &'a str,
    pub rewards: Option<&'a Rewards>,
}

/// The attempts at a task, and how many of them passed.
#[derive(Default)]
struct Task {
    attempts: usize,
    passed: usize,
}

/// pass@k by k, ascending; empty where the group has none.
pub fn pass_at_k(attempts: &[Attempt]) -> Result<Vec<(usize, f64)>, Raised> {
    // Attempts at one task are those of one name (003-4.3-task-by-name).
    let mut tasks: Vec<Task> = Vec::new();
    let mut places = HashMap::new();
    for attempt in attempts {
        // One attempt that cannot be judged takes pass@k from the group
        // (003-4.1-any-trial-whole-group).
        let Some(passed) = judged(attempt.rewards) else {
            return Ok(Vec::new());
        };
        let place = *places.entry(attempt.task).or_insert_with(|| {
            tasks.push(Task::default());
            tasks.len() - 1
        });
        tasks[place].attempts += 1;
        tasks[place].passed += usize::from(passed);
    }

    // The task with the fewest attempts limits k (003-4.2-min-over-tasks). A group without trials
    // has none (003-4.1-no-trials).
    let fewest = tasks.iter().map(|task| task.attempts).min().unwrap_or(0);
    let of_group = |k| {
        // The estimates of the tasks, each weighing the same, are added with compensation and
        // divided once (003-4.3-mean-over-tasks, 003-4.3-compensated-mean).
        let estimates = tasks.iter().map(|task| Number::Float(estimate(task, k)));
        Ok((k, mean(&estimates.collect::<Vec<_>>())?))
    };
    values_of_k(fewest).map(of_group).collect()
}

/// Whether an attempt passed; `None` where its rewards are not one value that equals 0 or 1.
fn judged(rewards: Option<&Rewards>) -> Option<bool> {
    // No rewards are a failed attempt (003-4.1-none-is-failure).
    let Some(rewards) = rewards else {
        return Some(false);
    };
    // The one key may have any name (003-4.1-one-key, 003-4.1-empty-object, 003-4.1-key-name-free).
    let [(_, reward)] = rewards.as_slice() else {
        return None;
    };
    let equals = |value| reward.number.compare(&Number::Float(value)) == Some(Ordering::Equal);
    match (equals(0.0), equals(1.0)) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None, // 003-4.1-zero-or-one
    }
}

/// The powers of two from 2 on and the multiples of five, ascending (003-4.2-powers-of-two,
/// 003-4.2-multiples-of-five, 003-4.2-never-pass-at-1).
fn values_of_k(fewest: usize) -> impl Iterator<Item = usize> {
    (2..=fewest).filter(|k| k.is_power_of_two() || k % 5 == 0)
}

/// The unbiased estimate for a task, in doubles and in this order (003-4.3-product-order).
fn estimate(task: &Task, k: usize) -> f64 {
    let (n, failed) = (task.attempts, task.attempts - task.passed);
    // With fewer failures than k, some attempt of any k passed (003-4.3-sure-success).
    if failed < k {
        return 1.0;
    }
    let mut product = 1.0;
    for i in 0..k {
        product *= (failed - i) as f64 / (n - i) as f64;
    }
    1.0 - product
}
