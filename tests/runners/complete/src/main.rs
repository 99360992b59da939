//! A complete runner: every operation of harbor-0.13.1, written from the public documents alone.
//!
//! One module for each part of document 003, in its order; README.md goes through them. The clauses
//! that a step rests on are named beside it (`harbor-conformance clauses`).

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
mod protocol;
mod raised;
mod read_outcome;
mod reason_codes;
mod requests;
mod result_text;
mod reward_files;
mod scores;
mod texts;
mod unicode_15_0;

fn main() {
    protocol::serve(
        "complete",
        env!("CARGO_PKG_VERSION"),
        &[
            ("parse_reward", Some(requests::parse_reward)),
            (
                "terminal_bench_reward",
                Some(requests::terminal_bench_reward),
            ),
            ("aggregate", Some(requests::aggregate)),
            ("evals_key", Some(requests::evals_key)),
            ("pass_at_k", Some(requests::pass_at_k)),
            ("multi_step_reward", Some(requests::multi_step_reward)),
            ("plan_trials", Some(requests::plan_trials)),
            ("resolve_metrics", Some(requests::resolve_metrics)),
            ("job_result", Some(job_requests::job_result)),
            ("pipeline", Some(job_requests::pipeline)),
            ("scores", Some(requests::scores)),
            ("outcome", Some(requests::outcome)),
            ("reason_code", Some(requests::reason_code)),
            ("read_outcome", Some(requests::read_outcome)),
        ],
    );
}
