//! A complete runner: every operation of harbor-0.13.1, written from the public documents alone.
//!
//! One module for each part of document 003, in its order; README.md goes through them. The clauses
//! that a step rests on are named beside it (`harbor-conformance explain rules`).

mod characters;
mod decimals;
mod integers;
mod job;
mod job_requests;
mod json;
mod metrics;
mod multi_step;
mod numbers;
mod outcome;
mod pass_at_k;
#[path = "../../../../conformance/templates/files/rust/src/protocol.rs"]
mod protocol;
mod raised;
mod read_outcome;
mod reason_codes;
mod requests;
mod result_text;
mod reward_files;
mod scores;
mod serving;
mod texts;
mod unicode_15_0;

use serving::Operation::{Json, Object};

fn main() -> std::io::Result<()> {
    serving::serve(&[
        ("parse_reward", Json(requests::parse_reward)),
        (
            "terminal_bench_reward",
            Object(requests::terminal_bench_reward),
        ),
        ("aggregate", Object(requests::aggregate)),
        ("evals_key", Object(requests::evals_key)),
        ("pass_at_k", Object(requests::pass_at_k)),
        ("multi_step_reward", Object(requests::multi_step_reward)),
        ("plan_trials", Object(requests::plan_trials)),
        ("resolve_metrics", Object(requests::resolve_metrics)),
        ("job_result", Object(job_requests::job_result)),
        ("pipeline", Object(job_requests::pipeline)),
        ("scores", Object(requests::scores)),
        ("outcome", Object(requests::outcome)),
        ("result_score", Object(requests::result_score)),
        ("reason_code", Object(requests::reason_code)),
        ("read_outcome", Json(requests::read_outcome)),
    ])
}
