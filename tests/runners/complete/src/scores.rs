//! The operation `scores` of PROTOCOL.md: what result.json has for groups of trials, without the
//! file.

use std::collections::HashMap;

use crate::metrics::{aggregate, Metric};
use crate::numbers::Number;
use crate::pass_at_k::{pass_at_k, Attempt};
use crate::raised::Raised;
use crate::reward_files::Rewards;
use crate::texts::Text;

/// A trial; the number of the attempt plays no part (003-3.3-no-attempt-number).
pub struct Record {
    pub group: String,
    pub task: String,
    pub rewards: Option<Rewards>,
    pub has_exception: bool,
}

/// The values of a group.
pub struct Scores {
    pub n: usize,
    pub n_scored: usize,
    pub n_errors: usize,
    pub mean: Vec<(Text, Number)>,
    pub pass_at_k: Vec<(usize, f64)>,
}

/// The values of each group that its own trials give alone, wherever they stand among others
/// (003-3.3-groups-apart). One group's error is the whole answer.
pub fn scores(records: &[Record]) -> Result<Vec<(&str, Scores)>, Raised> {
    let mut groups: Vec<(&str, Vec<&Record>)> = Vec::new();
    let mut places = HashMap::new();
    for record in records {
        let place = *places.entry(record.group.as_str()).or_insert_with(|| {
            groups.push((&record.group, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(record);
    }
    let of_group = |(name, records): (_, Vec<&Record>)| Ok((name, of_group(&records)?));
    groups.into_iter().map(of_group).collect()
}

fn of_group(records: &[&Record]) -> Result<Scores, Raised> {
    let rewards: Vec<_> = records
        .iter()
        .map(|record| record.rewards.as_ref())
        .collect();
    let attempts = records.iter().map(|record| Attempt {
        task: &record.task,
        rewards: record.rewards.as_ref(),
    });
    Ok(Scores {
        n: records.len(),
        n_scored: rewards.iter().flatten().count(),
        n_errors: records.iter().filter(|record| record.has_exception).count(),
        mean: aggregate(Metric::Mean, &rewards)?,
        pass_at_k: pass_at_k(&attempts.collect::<Vec<_>>())?,
    })
}
