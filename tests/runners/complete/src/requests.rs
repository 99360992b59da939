//! The other operations: from a request's input to the functions of the sections, and back.

use crate::integers::Integer;
use crate::job::evals_key as key_of;
use crate::metrics::{self, Dataset, Metric, Origin};
use crate::multi_step::{steps_run, trial_result, Step, Strategy, Threshold};
use crate::numbers::Number;
use crate::outcome::{outcome as outcome_line, result_score as score_alone};
use crate::pass_at_k::{self as estimates, Attempt};
use crate::protocol::{
    bad_input, bytes, content, number, to_json, unsupported, Answer, Object, Problem, Value,
};
use crate::raised::WRONG_VALUE;
use crate::read_outcome::read_outcome as verdict;
use crate::reason_codes::reason_code as code_of;
use crate::reward_files::{self, parse_reward as parsed, Reward, RewardFiles, Rewards};
use crate::scores::{scores as scores_of, Record};
use crate::texts::Text;

/// The JSON of the answer: a key of reward.json may have a lone surrogate.
pub fn parse_reward(input: &Object) -> Result<String, Problem> {
    let Some(rewards) = parsed(&reward_files(input.object("files")?)?)? else {
        return Ok(r#"{"rewards":null}"#.to_string());
    };
    let member = |(key, reward): &(Text, Reward)| {
        format!("{}:{}", key.json(), to_json(&(&reward.number).into()))
    };
    let members: Vec<String> = rewards.iter().map(member).collect();
    Ok(format!("{{\"rewards\":{{{}}}}}", members.join(",")))
}

pub fn terminal_bench_reward(input: &Object) -> Answer {
    let file = reward_files::terminal_bench_reward(int(input.member("exit_code")?)?.is_zero());
    Ok(Object::new().with("reward.txt", content(file.as_bytes())))
}

pub fn aggregate(input: &Object) -> Answer {
    let metric = Metric::named(input.text("metric")?)?;
    let rewards = input.list("rewards")?.iter().map(own_rewards);
    let rewards: Vec<_> = rewards.collect::<Result<_, Problem>>()?;
    let rewards: Vec<_> = rewards.iter().map(Option::as_ref).collect();
    Ok(numbers_by_key(&metrics::aggregate(metric, &rewards)?))
}

pub fn evals_key(input: &Object) -> Answer {
    let (model, source) = (
        input.optional_text("model")?,
        input.optional_text("source")?,
    );
    let key = key_of(input.text("agent")?, model, source);
    Ok(Object::new().with("evals_key", key))
}

pub fn pass_at_k(input: &Object) -> Answer {
    let mut trials = Vec::new();
    for trial in input.list("trials")? {
        let trial = trial.as_object()?;
        trials.push((trial.text("task")?, own_rewards(trial.member("rewards")?)?));
    }
    let attempts = trials.iter().map(|(task, rewards)| Attempt {
        task,
        rewards: rewards.as_ref(),
    });
    let estimates = estimates::pass_at_k(&attempts.collect::<Vec<_>>())?;
    Ok(floats_by_k(&estimates))
}

pub fn multi_step_reward(input: &Object) -> Answer {
    let mut steps = Vec::new();
    for step in input.list("steps")? {
        let step = step.as_object()?;
        let result = match step.optional_object("verifier_result")? {
            Some(result) => Some(own_rewards(result.member("rewards")?)?),
            None => None,
        };
        // All thresholds are read before any step runs (003-4.5-gate-threshold-range).
        steps.push(Step {
            result,
            raised: !step.member("exception")?.is_null(),
            gate: gate(step.member("min_reward")?)?,
        });
    }
    steps.truncate(steps_run(&steps));
    let result = trial_result(strategy(input.member("strategy")?)?, &steps)?;
    let result = result.map(|rewards| Object::new().with("rewards", answered(rewards.as_ref())));
    Ok(Object::new()
        .with("verifier_result", result)
        .with("steps_run", steps.len()))
}

/// A plan of more trials would not fit in a reply.
const MOST_PLANNED: i64 = 10_000_000;

/// Attempt by attempt, within it task by task, within it agent by agent (003-6-plan-order).
pub fn plan_trials(input: &Object) -> Answer {
    let (tasks, agents) = (
        texts(input.member("tasks")?)?,
        texts(input.member("agents")?)?,
    );
    // 003-6-plan-no-tasks
    if tasks.is_empty() {
        return Err(WRONG_VALUE.into());
    }
    // Without attempts, or agents, the plan is empty (003-6-plan-empty).
    let attempts = int(input.member("n_attempts")?)?;
    let attempts = if attempts.is_negative() {
        Some(0)
    } else {
        attempts.to_i64()
    };
    let pairs = tasks.len() * agents.len();
    let attempts = match attempts {
        _ if pairs == 0 => 0,
        Some(attempts) if attempts <= MOST_PLANNED / pairs as i64 => attempts,
        _ => return Err(unsupported(format!("more than {MOST_PLANNED} trials"))),
    };
    let mut trials = Vec::new();
    for _ in 0..attempts {
        for task in &tasks {
            for agent in &agents {
                trials.push(vec![*task, *agent]);
            }
        }
    }
    Ok(Object::new().with("trials", trials))
}

pub fn resolve_metrics(input: &Object) -> Answer {
    let owned = |names: &Value| {
        let names = texts(names)?.into_iter().map(str::to_string);
        Ok::<Vec<String>, Problem>(names.collect())
    };
    let mut datasets = Vec::new();
    for dataset in input.list("datasets")? {
        let dataset = dataset.as_object()?;
        datasets.push(Dataset {
            name: dataset.text("name")?.to_string(),
            origin: match dataset.text("kind")? {
                "local" => Origin::Local,
                "package" => Origin::Package,
                "registry" => Origin::Registry,
                other => return Err(bad_input(format!("there is no kind {other}"))),
            },
            metrics: owned(dataset.member("metrics")?)?,
            has_script: dataset.bool("metric_py")?,
        });
    }
    let resolved = metrics::resolve_metrics(&datasets, &owned(input.member("job_metrics")?)?);
    Ok(Object::new().with("metrics", resolved.into_iter().collect::<Object>()))
}

pub fn scores(input: &Object) -> Answer {
    let mut records = Vec::new();
    for trial in input.list("trials")? {
        let trial = trial.as_object()?;
        records.push(Record {
            group: trial.text("group")?.to_string(),
            task: trial.text("task")?.to_string(),
            rewards: own_rewards(trial.member("rewards")?)?,
            has_exception: !trial.member("exception")?.is_null(),
        });
    }
    let mut groups = Object::new();
    for (name, scores) in scores_of(&records)? {
        let group = Object::new()
            .with("n", scores.n)
            .with("n_scored", scores.n_scored)
            .with("n_errors", scores.n_errors)
            .with("mean", numbers_by_key(&scores.mean))
            .with("pass_at_k", floats_by_k(&scores.pass_at_k));
        groups.put(name, group);
    }
    Ok(Object::new().with("groups", groups))
}

pub fn outcome(input: &Object) -> Answer {
    let file = result_file(input)?;
    Ok(Object::new().with("line", outcome_line(file.as_deref())?))
}

pub fn result_score(input: &Object) -> Answer {
    let file = result_file(input)?;
    Ok(Object::new().with("score", score_alone(file.as_deref())))
}

fn result_file(input: &Object) -> Result<Option<Vec<u8>>, Problem> {
    match input.member("result.json")? {
        Value::Null => Ok(None),
        file => bytes(file).map(Some),
    }
}

pub fn reason_code(input: &Object) -> Answer {
    // No text has no code (003-1.4-blank-is-none).
    let code = input.optional_text("text")?.and_then(code_of);
    Ok(Object::new().with("reason_code", code))
}

/// The JSON of the answer: a payload's reason may have a lone surrogate.
pub fn read_outcome(input: &Object) -> Result<String, Problem> {
    // Any exit code but 0 is nonzero, however large.
    let exited_with_zero = int(input.member("returncode")?)?.is_zero();
    let verdict = verdict(
        input.text("stdout")?,
        exited_with_zero,
        input.bool("timed_out")?,
    )?;
    let reason_code = verdict
        .reason_code
        .map_or("null".to_string(), |code| code.json());
    Ok(format!(
        "{{\"status\":\"{}\",\"score\":{},\"reason_code\":{reason_code}}}",
        verdict.status,
        to_json(&verdict.score.into()),
    ))
}

/// The bytes of the files of an input; absent ones are left out.
pub fn reward_files(files: &Object) -> Result<RewardFiles, Problem> {
    let file = |name| files.get(name).map(bytes).transpose();
    Ok(RewardFiles {
        json: file("reward.json")?,
        txt: file("reward.txt")?,
    })
}

/// Rewards of an input, where each NaN is an object of its own.
pub fn own_rewards(value: &Value) -> Result<Option<Rewards>, Problem> {
    if value.is_null() {
        return Ok(None);
    }
    let own = |(key, value)| Ok((Text::from(key), Reward::from(Number::from(number(value)?))));
    value
        .as_object()?
        .iter()
        .map(own)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// The mean is the strategy of a task that names none (003-4.5-mean-is-default).
pub fn strategy(value: &Value) -> Result<Strategy, Problem> {
    match value {
        Value::Null => Ok(Strategy::Mean),
        value => match value.as_text()? {
            "mean" => Ok(Strategy::Mean),
            "final" => Ok(Strategy::Final),
            other => Err(bad_input(format!("there is no strategy {other}"))),
        },
    }
}

/// A number gates the key `reward`, an object each of its keys, null nothing
/// (003-4.5-gate-number, 003-4.5-gate-object, 003-4.5-gate-unset).
pub fn gate(value: &Value) -> Result<Vec<Threshold>, Problem> {
    let threshold = |key, value| Ok(Threshold::new(key, &number(value)?.into())?);
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Object(thresholds) => thresholds
            .iter()
            .map(|(key, value)| threshold(key, value))
            .collect(),
        value => Ok(vec![threshold("reward", value)?]),
    }
}

/// An int of any size.
pub fn int(value: &Value) -> Result<Integer, Problem> {
    match number(value)?.into() {
        Number::Int(int) => Ok(int),
        Number::Float(_) => Err(bad_input("an int is due, not a float")),
    }
}

pub fn texts(value: &Value) -> Result<Vec<&str>, Problem> {
    value.as_list()?.iter().map(Value::as_text).collect()
}

fn answered(rewards: Option<&Rewards>) -> Value {
    let by_key = |rewards: &Rewards| {
        let members = rewards
            .iter()
            .map(|(key, reward)| (key.written(), Value::from(&reward.number)));
        members.collect::<Object>()
    };
    rewards.map(by_key).into()
}

fn numbers_by_key(numbers: &[(Text, Number)]) -> Object {
    numbers
        .iter()
        .map(|(key, number)| (key.written(), number))
        .collect()
}

fn floats_by_k(estimates: &[(usize, f64)]) -> Object {
    estimates
        .iter()
        .map(|(k, estimate)| (k.to_string(), *estimate))
        .collect()
}
