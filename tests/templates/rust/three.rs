//! Three operations of harbor, as an author writes them.

mod protocol;

use std::collections::HashMap;

use protocol::{content, rewards, serve, Answer, Object, Problem, Value};

fn evals_key(input: &Object) -> Answer {
    let agent = input.text("agent")?;
    let model = input.optional_text("model")?.unwrap_or("");
    let source = input.optional_text("source")?.unwrap_or("");
    let dataset = if source.is_empty() { "adhoc" } else { source };
    let key = if model.is_empty() {
        format!("{agent}__{dataset}")
    } else {
        format!("{agent}__{model}__{dataset}")
    };
    Ok(Object::new().with("evals_key", key))
}

fn terminal_bench_reward(input: &Object) -> Answer {
    let reward = if input.int("exit_code")? == 0 {
        "1\n"
    } else {
        "0\n"
    };
    Ok(Object::new().with("reward.txt", content(reward.as_bytes())))
}

/// Whether an attempt succeeded, or `None` if its rewards make the group ineligible.
fn succeeded(recorded: &Value) -> Result<Option<bool>, Problem> {
    Ok(match rewards(recorded)?.as_deref() {
        None => Some(false),
        Some([(_, value)]) => match value.to_double() {
            Ok(double) if [0.0, 1.0].contains(&double) => Some(double == 1.0),
            _ => None,
        },
        Some(_) => None,
    })
}

/// The chance that one of k attempts is among the c successes of n.
fn estimate(n: usize, c: usize, k: usize) -> f64 {
    if n - c < k {
        return 1.0;
    }
    let factors = (0..k).map(|i| (n - c - i) as f64 / (n - i) as f64);
    1.0 - factors.fold(1.0, |product, factor| product * factor)
}

/// The sum of floats as CPython 3.12 has it: what each addition loses is added at the end.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + lost
}

fn pass_at_k(input: &Object) -> Answer {
    let mut places = HashMap::new();
    let mut tasks = Vec::new(); // attempts and successes of each task
    for trial in input.list("trials")? {
        let trial = trial.as_object()?;
        let success = match succeeded(trial.member("rewards")?)? {
            Some(success) => success,
            None => return Ok(Object::new()),
        };
        let place = *places.entry(trial.text("task")?).or_insert(tasks.len());
        if place == tasks.len() {
            tasks.push((0, 0));
        }
        tasks[place].0 += 1;
        tasks[place].1 += usize::from(success);
    }
    let least = tasks.iter().map(|&(n, _)| n).min().unwrap_or(0);
    let mut answer = Object::new();
    for k in (2..=least).filter(|k: &usize| k % 5 == 0 || k.is_power_of_two()) {
        let total = sum(tasks.iter().map(|&(n, c)| estimate(n, c, k)));
        answer.put(k.to_string(), total / tasks.len() as f64);
    }
    Ok(answer)
}

fn main() {
    serve(
        "three",
        "1",
        &[
            ("evals_key", Some(evals_key)),
            ("terminal_bench_reward", Some(terminal_bench_reward)),
            ("pass_at_k", Some(pass_at_k)),
        ],
    );
}
