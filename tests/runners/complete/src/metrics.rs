//! Document 003, sections 3.1 and 3.2: which metrics a dataset has, and what they make of rewards.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::numbers::{mean, sum, Number};
use crate::protocol::{unsupported, Problem};
use crate::raised::{Raised, DIVISION_BY_ZERO, WRONG_VALUE};
use crate::reward_files::Rewards;
use crate::texts::Text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Mean,
    Max,
    Min,
    Sum,
}

impl Metric {
    pub fn named(name: &str) -> Result<Metric, Problem> {
        match name {
            "mean" => Ok(Metric::Mean),
            "max" => Ok(Metric::Max),
            "min" => Ok(Metric::Min),
            "sum" => Ok(Metric::Sum),
            _ => Err(unsupported(format!("{name} is no metric of this runner"))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Metric::Mean => "mean",
            Metric::Max => "max",
            Metric::Min => "min",
            Metric::Sum => "sum",
        }
    }

    /// The metric of one key's values, in the order of the trials.
    fn of(self, values: &[Number]) -> Result<Number, Raised> {
        match self {
            // 003-3.2-empty-list-mean
            Metric::Mean if values.is_empty() => Err(DIVISION_BY_ZERO),
            Metric::Mean => mean(values).map(Number::Float),
            Metric::Max => first_that_no_later(Ordering::Greater, values),
            Metric::Min => first_that_no_later(Ordering::Less, values),
            Metric::Sum => sum(values),
        }
    }
}

/// One of the values as it is, kept until a later one compares strictly greater, or less: of equals
/// the first stays, and a NaN wins from the first place alone (003-3.2-max-min-verbatim,
/// 003-3.2-first-of-equals, 003-3.2-max-min-nan). Of no values there is none
/// (003-3.2-empty-list-max-min).
fn first_that_no_later(wins: Ordering, values: &[Number]) -> Result<Number, Raised> {
    let mut kept = values.first().ok_or(WRONG_VALUE)?;
    for value in values {
        if value.compare(kept) == Some(wins) {
            kept = value;
        }
    }
    Ok(kept.clone())
}

/// The values of each key, in the order in which the keys first come: one for each entry, and the
/// int 0 where an entry lacks the key or is null (003-3.2-missing-key-is-zero,
/// 003-3.2-none-is-zero, 003-3.2-stand-in-is-int).
pub struct Columns<'a> {
    entries: usize,
    keys: Vec<&'a Text>,
    present: HashMap<&'a Text, Vec<(usize, &'a Number)>>,
}

impl<'a> Columns<'a> {
    pub fn of(rewards: &[Option<&'a Rewards>]) -> Columns<'a> {
        let mut columns = Columns {
            entries: rewards.len(),
            keys: Vec::new(),
            present: HashMap::new(),
        };
        for (entry, rewards) in rewards.iter().enumerate() {
            for (key, reward) in rewards.iter().flat_map(|rewards| rewards.iter()) {
                let column = columns.present.entry(key).or_insert_with(|| {
                    columns.keys.push(key);
                    Vec::new()
                });
                column.push((entry, &reward.number));
            }
        }
        columns
    }

    pub fn keys(&self) -> &[&'a Text] {
        &self.keys
    }

    pub fn values(&self, key: &Text) -> Vec<Number> {
        let mut values = vec![Number::zero(); self.entries];
        for (entry, number) in self.present.get(key).into_iter().flatten() {
            values[*entry] = (*number).clone();
        }
        values
    }
}

/// A metric over the rewards of all trials, one entry each, null where there are none.
pub fn aggregate(
    metric: Metric,
    rewards: &[Option<&Rewards>],
) -> Result<Vec<(Text, Number)>, Raised> {
    // The distinct keys of all trials decide (003-3.2-key-union).
    let columns = Columns::of(rewards);
    let mut keys = columns.keys().to_vec();

    // With one key or none the object has one entry, named after the metric; a trial without it is
    // the int 0 (003-3.2-one-key-metric-name, 003-3.2-no-key-metric-name,
    // 003-3.2-empty-dict-is-zero).
    if keys.len() <= 1 {
        let values = match keys.first() {
            Some(key) => columns.values(key),
            None => vec![Number::zero(); rewards.len()],
        };
        return Ok(vec![(metric.name().into(), metric.of(&values)?)]);
    }

    // With more it has one entry for each key, in the order of their code points, and the metric's
    // name is not said (003-3.2-many-keys-by-key, 003-3.2-keys-by-code-point).
    keys.sort();
    let entry = |key: &Text| Ok((key.clone(), metric.of(&columns.values(key))?));
    keys.into_iter().map(entry).collect()
}

/// Where a dataset comes from.
pub enum Origin {
    Local,
    Package,
    Registry,
}

/// A configured dataset.
pub struct Dataset {
    pub name: String,
    pub origin: Origin,
    /// What the registry's entry configures.
    pub metrics: Vec<String>,
    pub has_script: bool,
}

/// The names of the metrics of each dataset, and of `adhoc`, the tasks without one.
pub fn resolve_metrics(datasets: &[Dataset], of_job: &[String]) -> Vec<(String, Vec<String>)> {
    // The job's metrics go to adhoc (003-3.1-job-metrics, 003-3.1-adhoc).
    let mut resolved = vec![("adhoc".to_string(), of_job.to_vec())];
    let mut places = HashMap::from([("adhoc", 0)]);
    for dataset in datasets {
        // A name that comes again adds to its list (003-3.1-repeated-dataset,
        // 003-3.1-local-base-name).
        let place = *places.entry(&dataset.name).or_insert_with(|| {
            resolved.push((dataset.name.clone(), Vec::new()));
            resolved.len() - 1
        });
        let list = &mut resolved[place].1;
        match dataset.origin {
            Origin::Local => {} // 003-3.1-local-metric-py
            // 003-3.1-package-order
            Origin::Package => list.extend(dataset.has_script.then(|| "uv-script".to_string())),
            // 003-3.1-registry-metrics
            Origin::Registry => list.extend_from_slice(&dataset.metrics),
        }
        list.extend_from_slice(of_job);
    }
    // Whoever has none gets exactly one mean (003-3.1-default-mean).
    for (_, list) in &mut resolved {
        if list.is_empty() {
            list.push("mean".to_string());
        }
    }
    resolved
}
