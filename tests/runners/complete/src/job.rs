//! Document 003, section 3.3: a job's result, from its trials in planned order.

use std::collections::{HashMap, HashSet};

use crate::decimals::repr;
use crate::integers::Integer;
use crate::json::{Json, Members};
use crate::metrics::{aggregate, Metric};
use crate::multi_step::VerifierResult;
use crate::numbers::Number;
use crate::pass_at_k::{pass_at_k, Attempt};
use crate::raised::Raised;
use crate::result_text::indented;
use crate::reward_files::{Reward, Rewards};
use crate::texts::Text;

/// A job whose trials have all ended.
pub struct Job {
    pub id: String,
    pub started_at: String,
    pub updated_at: Option<String>,
    pub finished_at: Option<String>,
    pub n_total_trials: Integer,
    pub n_retries: Integer,
    /// The resolved metrics of each dataset.
    pub metrics: HashMap<String, Vec<Metric>>,
    pub trials: Vec<Trial>,
}

/// A finished trial, as far as the job's result depends on it.
pub struct Trial {
    pub task: String,
    pub name: String,
    pub evals_key: String,
    /// What was used: the agent's report on the trial, or else those on its steps.
    pub usage: Usage,
    pub result: Option<VerifierResult>,
    /// The type of the exception that was recorded.
    pub exception: Option<String>,
}

impl Trial {
    fn rewards(&self) -> Option<&Rewards> {
        self.result.as_ref().and_then(|rewards| rewards.as_ref())
    }
}

/// Tokens and cost; null is not 0 (003-3.3-token-totals).
#[derive(Clone, Default)]
pub struct Usage {
    pub n_input_tokens: Option<Integer>,
    pub n_cache_tokens: Option<Integer>,
    pub n_output_tokens: Option<Integer>,
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Adds a report: ints exactly, costs plainly, without compensation (003-3.3-cost-plain).
    pub fn add(&mut self, report: &Usage) {
        let add = |total: &mut Option<Integer>, tokens: &Option<Integer>| {
            if let Some(tokens) = tokens {
                *total = Some(total.take().unwrap_or_default().plus(tokens));
            }
        };
        add(&mut self.n_input_tokens, &report.n_input_tokens);
        add(&mut self.n_cache_tokens, &report.n_cache_tokens);
        add(&mut self.n_output_tokens, &report.n_output_tokens);
        if let Some(cost) = report.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }
}

/// The name of the group that a trial belongs to: agent, model if there is one, and dataset, as
/// they are (003-3.3-evals-key-with-model, 003-3.3-evals-key-without-model,
/// 003-3.3-evals-key-adhoc, 003-3.3-evals-key-verbatim).
pub fn evals_key(agent: &str, model: Option<&str>, source: Option<&str>) -> String {
    let dataset = source.filter(|name| !name.is_empty()).unwrap_or("adhoc");
    match model.filter(|name| !name.is_empty()) {
        Some(model) => format!("{agent}__{model}__{dataset}"),
        None => format!("{agent}__{dataset}"),
    }
}

/// The text of result.json.
pub fn result_json(job: &Job) -> Result<String, Raised> {
    // Trials of one key are one group; groups stand in the order of their first trials
    // (003-3.3-group-merges, 003-3.3-first-seen-order).
    let mut groups: Vec<(&str, Vec<&Trial>)> = Vec::new();
    let mut places = HashMap::new();
    for trial in &job.trials {
        let place = *places.entry(trial.evals_key.as_str()).or_insert_with(|| {
            groups.push((&trial.evals_key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(trial);
    }
    let mut evals = Members::new();
    for (key, trials) in groups {
        // The metrics are those of the key's last part, split at two underscores from the left; or
        // none (003-3.3-metrics-by-last-part, 003-3.3-lookup-finds-nothing).
        let metrics = key
            .split("__")
            .last()
            .and_then(|part| job.metrics.get(part));
        evals.push((
            key.into(),
            group(&trials, metrics.map_or(&[], Vec::as_slice))?,
        ));
    }

    // Names tell cancelled trials apart, over the whole job (003-3.3-cancelled-names).
    let cancelled = job
        .trials
        .iter()
        .filter(|trial| trial.exception.as_deref() == Some("CancelledError"));
    let cancelled: HashSet<&str> = cancelled.map(|trial| trial.name.as_str()).collect();
    // 003-3.3-pending
    let completed = Integer::from(job.trials.len());
    let pending = job.n_total_trials.minus(&completed);
    let pending = if pending.is_negative() {
        Integer::default()
    } else {
        pending
    };
    let mut used = Usage::default();
    for trial in &job.trials {
        used.add(&trial.usage);
    }

    // 003-3.3-members
    let stats = object([
        ("n_completed_trials", Json::Int(completed)),
        ("n_errored_trials", count(errored(job.trials.iter()))),
        ("n_running_trials", count(0)),
        ("n_pending_trials", Json::Int(pending)),
        ("n_cancelled_trials", count(cancelled.len())),
        ("n_retries", Json::Int(job.n_retries.clone())),
        ("evals", Json::Object(evals)),
        (
            "n_input_tokens",
            used.n_input_tokens.map_or(Json::Null, Json::Int),
        ),
        (
            "n_cache_tokens",
            used.n_cache_tokens.map_or(Json::Null, Json::Int),
        ),
        (
            "n_output_tokens",
            used.n_output_tokens.map_or(Json::Null, Json::Int),
        ),
        ("cost_usd", used.cost_usd.map_or(Json::Null, Json::Float)),
    ]);
    // 003-3.3-identity-and-times
    let moment = |time: &Option<String>| time.as_deref().map_or(Json::Null, text);
    Ok(indented(&object([
        ("id", text(&job.id)),
        ("started_at", text(&job.started_at)),
        ("updated_at", moment(&job.updated_at)),
        ("finished_at", moment(&job.finished_at)),
        ("n_total_trials", Json::Int(job.n_total_trials.clone())),
        ("stats", stats),
    ])))
}

fn group(trials: &[&Trial], metrics: &[Metric]) -> Result<Json, Raised> {
    // A metric is given one entry for each trial, with an exception or without; one that raises ends
    // the job (003-3.3-every-trial-aggregated, 003-3.3-metrics-list, 003-3.3-metric-failure).
    let rewards: Vec<_> = trials.iter().map(|trial| trial.rewards()).collect();
    let values = |metric: &Metric| {
        let values = aggregate(*metric, &rewards)?.into_iter();
        Ok(Json::Object(
            values.map(|(key, number)| (key, json(number))).collect(),
        ))
    };
    let metrics = metrics.iter().map(values).collect::<Result<_, Raised>>()?;

    // 003-3.3-pass-at-k-stored
    let attempts = trials.iter().map(|trial| Attempt {
        task: &trial.task,
        rewards: trial.rewards(),
    });
    let estimates = pass_at_k(&attempts.collect::<Vec<_>>())?.into_iter();
    let estimates =
        estimates.map(|(k, value)| (Text::from(k.to_string().as_str()), Json::Float(value)));

    Ok(object([
        // Empty rewards count, null ones do not (003-3.3-n-trials).
        ("n_trials", count(rewards.iter().flatten().count())),
        ("n_errors", count(errored(trials.iter().copied()))),
        ("metrics", Json::List(metrics)),
        ("pass_at_k", Json::Object(estimates.collect())),
        ("reward_stats", reward_stats(trials)),
        ("exception_stats", exception_stats(trials)),
    ]))
}

/// 003-3.3-n-errors
fn errored<'a>(trials: impl Iterator<Item = &'a Trial>) -> usize {
    trials.filter(|trial| trial.exception.is_some()).count()
}

/// The names of trials under something, in the order in which it first comes.
struct Listing<K> {
    entries: Vec<(Text, Vec<Json>)>,
    places: HashMap<K, usize>,
}

impl<K: std::hash::Hash + Eq> Listing<K> {
    fn new() -> Listing<K> {
        Listing {
            entries: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Lists a trial under a key, which is spelled as it came first; without one it equals no other.
    fn list(&mut self, trial: &Trial, key: Option<K>, spelling: impl FnOnce() -> Text) {
        let new = self.entries.len();
        let place = key.map_or(new, |key| *self.places.entry(key).or_insert(new));
        if place == new {
            self.entries.push((spelling(), Vec::new()));
        }
        self.entries[place].1.push(text(&trial.name));
    }

    fn into_json(self) -> Json {
        let entries = self.entries.into_iter();
        Json::Object(
            entries
                .map(|(key, names)| (key, Json::List(names)))
                .collect(),
        )
    }
}

/// 003-3.3-exception-stats
fn exception_stats(trials: &[&Trial]) -> Json {
    let mut listing = Listing::new();
    for trial in trials {
        if let Some(exception) = &trial.exception {
            listing.list(trial, Some(exception), || exception.as_str().into());
        }
    }
    listing.into_json()
}

/// Reward key to reward to trial names (003-3.3-reward-stats).
fn reward_stats(trials: &[&Trial]) -> Json {
    let mut keys: Vec<(&Text, Listing<Same>)> = Vec::new();
    let mut places = HashMap::new();
    for trial in trials {
        for (key, reward) in trial.rewards().into_iter().flatten() {
            let place = *places.entry(key).or_insert_with(|| {
                keys.push((key, Listing::new()));
                keys.len() - 1
            });
            let spelling = || key_text(&reward.number).as_str().into();
            keys[place].1.list(trial, same(reward), spelling);
        }
    }
    let listings = keys.into_iter();
    Json::Object(
        listings
            .map(|(key, listing)| (key.clone(), listing.into_json()))
            .collect(),
    )
}

/// What equal rewards have in common.
#[derive(PartialEq, Eq, Hash)]
enum Same {
    /// A whole number, be it an int or a float.
    Whole(Integer),
    /// The bits of any other double.
    Double(u64),
    BareNan,
}

/// Ints and floats that are equal share an entry, and so do the bare NaNs of reward.json files;
/// other NaNs equal nothing (003-3.3-reward-stats, 003-3.3-reward-stats-nan).
fn same(reward: &Reward) -> Option<Same> {
    match &reward.number {
        Number::Int(int) => Some(Same::Whole(int.clone())),
        Number::Float(double) if double.is_nan() => reward.is_bare_nan.then_some(Same::BareNan),
        Number::Float(double) if double.fract() == 0.0 => {
            Some(Same::Whole(Integer::truncated(*double)))
        }
        Number::Float(double) => Some(Same::Double(double.to_bits())),
    }
}

/// A number as a key: a float as Python's repr writes it (003-3.3-key-text).
fn key_text(number: &Number) -> String {
    match number {
        Number::Int(int) => int.to_string(),
        Number::Float(double) => repr(*double),
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(key, value)| (key.into(), value)).into())
}

fn text(text: &str) -> Json {
    Json::Text(text.into())
}

fn count(count: usize) -> Json {
    Json::Int(Integer::from(count))
}

fn json(number: Number) -> Json {
    match number {
        Number::Int(int) => Json::Int(int),
        Number::Float(double) => Json::Float(double),
    }
}
