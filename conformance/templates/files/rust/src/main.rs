//! my-runner: a simple version of `aggregate`, and stubs. To add an operation, write a function
//! that takes the input and returns the answer, and put `Some(function)` in place of `None`.

mod protocol;

use protocol::{fail_with, rewards, serve, unsupported, Answer, Object};

/// Computes a metric of the first reward of each trial; null counts as 0.
fn aggregate(input: &Object) -> Answer {
    let mut values = Vec::new();
    for reward in input.list("rewards")? {
        values.push(match rewards(reward)?.unwrap_or_default().first() {
            Some((_, number)) => number.to_double()?,
            None => 0.0,
        });
    }
    if values.is_empty() {
        return Err(fail_with("ZeroDivisionError", "division by zero"));
    }
    let (mut total, mut max, mut min) = (0.0, values[0], values[0]);
    for &value in &values {
        total += value;
        if value > max {
            max = value;
        }
        if value < min {
            min = value;
        }
    }
    let metric = input.text("metric")?;
    let result = match metric {
        "mean" => total / values.len() as f64,
        "sum" => total,
        "max" => max,
        "min" => min,
        _ => return Err(unsupported(format!("my-runner has no metric {metric}"))),
    };
    Ok(Object::from([(metric, result)]))
}

fn main() {
    serve(
        "my-runner",
        "0",
        &[
            // {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
            // → {"rewards":{key:number} | null}, after validation by VerifierResult
            ("parse_reward", None),
            // {"exit_code":int}, 0 to 255 → {"reward.txt":content}
            ("terminal_bench_reward", None),
            // {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]}
            // → the metric's object
            ("aggregate", Some(aggregate)),
            // {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
            ("evals_key", None),
            // {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
            // → {"2":number,…} or {}
            ("pass_at_k", None),
            // {"strategy":"mean"|"final" | null,"steps":[…]}
            // → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
            ("multi_step_reward", None),
            // {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
            ("plan_trials", None),
            // {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
            //   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
            // → {"metrics":{dataset:[name]}}
            ("resolve_metrics", None),
            // {"id":string,"started_at":string,"updated_at":string | null,
            //   "finished_at":string | null,"n_total_trials":int,"n_retries":int,
            //   "metrics":{dataset:[name]},"trials":[…]}
            // → {"result.json":content}
            ("job_result", None),
            // the same, but the trials have files instead of rewards
            // → {"result.json":content,"line":string}
            ("pipeline", None),
            // {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
            //   "exception":{"type":string,"message":string} | null}]}
            // → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},
            //   "pass_at_k":{…}}}}
            ("scores", None),
            // {"result.json":content | null}, null for no file → {"line":string}, no newline
            ("outcome", None),
            // {"text":string | null} → {"reason_code":string | null}
            ("reason_code", None),
            // {"stdout":string,"returncode":int,"timed_out":bool}
            // → {"status":string,"score":float,"reason_code":string | null}
            ("read_outcome", None),
            // {"result.json":content | null}, null for no file
            // → {"score":float | null}, also null for a malformed one
            ("result_score", None),
        ],
    );
}
