//! The operations `job_result` and `pipeline`: a job as the protocol has it. The second one has
//! trials whose rewards are still in files.

use std::collections::HashMap;

use crate::integers::Integer;
use crate::job::{evals_key, result_json, Job, Trial, Usage};
use crate::metrics::Metric;
use crate::multi_step::{steps_run, trial_result, Step, VerifierResult};
use crate::numbers::Number;
use crate::outcome::outcome;
use crate::protocol::{content, number, Answer, Object, Problem, Value};
use crate::raised::INVALID;
use crate::requests::{gate, int, own_rewards, reward_files, strategy, texts};
use crate::reward_files::parse_reward;

pub fn job_result(input: &Object) -> Answer {
    let text = result_json(&job(input, recorded_trial)?)?;
    Ok(Object::new().with("result.json", content(text.as_bytes())))
}

pub fn pipeline(input: &Object) -> Answer {
    let text = result_json(&job(input, filed_trial)?)?;
    let line = outcome(Some(text.as_bytes()))?;
    Ok(Object::new()
        .with("result.json", content(text.as_bytes()))
        .with("line", line))
}

fn job(input: &Object, trial: fn(&Object) -> Result<Trial, Problem>) -> Result<Job, Problem> {
    let mut metrics = HashMap::new();
    for (dataset, names) in input.object("metrics")?.iter() {
        let names = texts(names)?;
        let of_dataset = names.iter().map(|name| Metric::named(name));
        metrics.insert(dataset.to_string(), of_dataset.collect::<Result<_, _>>()?);
    }
    let trials = input.list("trials")?.iter();
    let moment = |name| {
        let moment = input.optional_text(name)?;
        Ok::<Option<String>, Problem>(moment.map(str::to_string))
    };
    Ok(Job {
        id: input.text("id")?.to_string(),
        started_at: input.text("started_at")?.to_string(),
        updated_at: moment("updated_at")?,
        finished_at: moment("finished_at")?,
        n_total_trials: int(input.member("n_total_trials")?)?,
        n_retries: int(input.member("n_retries")?)?,
        metrics,
        trials: trials
            .map(|value| trial(value.as_object()?))
            .collect::<Result<_, Problem>>()?,
    })
}

/// A trial without its result and its usage, with the exception that it had recorded.
fn bare_trial(input: &Object) -> Result<Trial, Problem> {
    let agent = input.object("agent_info")?;
    let model = match agent.optional_object("model_info")? {
        Some(model) => Some(model.text("name")?),
        None => None,
    };
    let exception = match input.optional_object("exception_info")? {
        Some(exception) => Some(exception.text("exception_type")?.to_string()),
        None => None,
    };
    Ok(Trial {
        task: input.text("task_name")?.to_string(),
        name: input.text("trial_name")?.to_string(),
        evals_key: evals_key(agent.text("name")?, model, input.optional_text("source")?),
        usage: Usage::default(),
        result: None,
        exception,
    })
}

/// A trial of `job_result`.
fn recorded_trial(input: &Object) -> Result<Trial, Problem> {
    let steps = match input.member("step_results")? {
        Value::Null => &[],
        steps => steps.as_list()?,
    };
    let result = match input.optional_object("verifier_result")? {
        Some(result) => Some(own_rewards(result.member("rewards")?)?),
        None => None,
    };
    Ok(Trial {
        usage: usage_of(input, steps, steps.len())?,
        result,
        ..bare_trial(input)?
    })
}

/// A trial of `pipeline`. What reading its files raises becomes its exception, or that of its step,
/// unless there is one already (003-3.3-first-exception).
fn filed_trial(input: &Object) -> Result<Trial, Problem> {
    let mut trial = bare_trial(input)?;
    let Value::List(steps) = input.member("steps")? else {
        let (result, raised) = verified(input.member("files")?)?;
        trial.exception = trial.exception.or(raised);
        return Ok(Trial {
            usage: usage_of(input, &[], 0)?,
            result,
            ..trial
        });
    };
    let mut planned = steps
        .iter()
        .map(filed_step)
        .collect::<Result<Vec<_>, Problem>>()?;
    planned.truncate(steps_run(&planned));
    // A step's exception is not the trial's, but that of the mean over the steps is
    // (003-4.5-exception-stays-in-step, 003-4.5-overflow).
    match trial_result(strategy(input.member("strategy")?)?, &planned) {
        Ok(result) => trial.result = result,
        Err(raised) => trial.exception = trial.exception.or(Some(raised.0.to_string())),
    }
    Ok(Trial {
        // Steps that did not run used nothing.
        usage: usage_of(input, steps, planned.len())?,
        ..trial
    })
}

fn filed_step(input: &Value) -> Result<Step, Problem> {
    let input = input.as_object()?;
    let (result, raised) = verified(input.member("files")?)?;
    Ok(Step {
        result,
        raised: raised.is_some() || !input.member("exception")?.is_null(),
        gate: gate(input.member("min_reward")?)?,
    })
}

/// The verifier result of files, or what reading them raises; neither where there are none.
fn verified(files: &Value) -> Result<(Option<VerifierResult>, Option<String>), Problem> {
    if files.is_null() {
        return Ok((None, None));
    }
    Ok(match parse_reward(&reward_files(files.as_object()?)?) {
        Ok(rewards) => (Some(rewards), None),
        Err(raised) => (None, Some(raised.0.to_string())),
    })
}

/// What a trial used: the agent's report on it is all that counts where there is one, else the
/// reports on the steps that ran are added up, in their order (003-3.3-agent-result-hides-steps,
/// 003-3.3-step-usage). All reports are validated,
/// whether they count or not.
fn usage_of(trial: &Object, steps: &[Value], ran: usize) -> Result<Usage, Problem> {
    let mut of_steps = Usage::default();
    for (place, step) in steps.iter().enumerate() {
        match report(step.as_object()?)? {
            Some(report) if place < ran => of_steps.add(&report),
            _ => {}
        }
    }
    Ok(report(trial)?.unwrap_or(of_steps))
}

fn report(input: &Object) -> Result<Option<Usage>, Problem> {
    let Some(report) = input.optional_object("agent_result")? else {
        return Ok(None);
    };
    let tokens = |name| match report.member(name)? {
        Value::Null => Ok::<Option<Integer>, Problem>(None),
        tokens => int(tokens).map(Some),
    };
    let cost_usd = match report.member("cost_usd")? {
        Value::Null => None,
        // A cost becomes a float; an int beyond them is no cost (003-3.3-cost-text).
        cost => Some(Number::from(number(cost)?).to_double().or(Err(INVALID))?),
    };
    Ok(Some(Usage {
        n_input_tokens: tokens("n_input_tokens")?,
        n_cache_tokens: tokens("n_cache_tokens")?,
        n_output_tokens: tokens("n_output_tokens")?,
        cost_usd,
    }))
}
