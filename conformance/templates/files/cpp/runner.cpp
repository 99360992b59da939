// my-runner: a simple version of `aggregate`, and stubs. To add an operation, write a function that
// takes the input and returns the answer, and put its name in place of nullptr.

#include "protocol.hpp"

using namespace protocol;

// Computes a metric of the first reward of each trial; null counts as 0.
static Object aggregate(const Object& input) {
    std::vector<double> values;
    for (const Value& reward : input.at("rewards").list()) {
        const Object numbers = rewards(reward).value_or(Object());
        values.push_back(numbers.empty() ? 0.0 : to_double(numbers.begin()->value));
    }
    if (values.empty()) fail("ZeroDivisionError", "division by zero");
    double total = 0.0, max = values[0], min = values[0];
    for (const double value : values) {
        total += value;
        if (value > max) max = value;
        if (value < min) min = value;
    }
    const Text& metric = input.at("metric").text();
    if (metric == "mean") return {{metric, total / static_cast<double>(values.size())}};
    if (metric == "sum") return {{metric, total}};
    if (metric == "max") return {{metric, max}};
    if (metric == "min") return {{metric, min}};
    unsupported("my-runner has no metric " + metric);
}

int main() {
    return serve("my-runner", "0", {
        // {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
        // → {"rewards":{key:number} | null}, after validation by VerifierResult
        {"parse_reward", nullptr},
        // {"exit_code":int}, 0 to 255 → {"reward.txt":content}
        {"terminal_bench_reward", nullptr},
        // {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]}
        // → the metric's object
        {"aggregate", aggregate},
        // {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
        {"evals_key", nullptr},
        // {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
        // → {"2":number,…} or {}
        {"pass_at_k", nullptr},
        // {"strategy":"mean"|"final" | null,"steps":[…]}
        // → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
        {"multi_step_reward", nullptr},
        // {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
        {"plan_trials", nullptr},
        // {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
        //   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
        // → {"metrics":{dataset:[name]}}
        {"resolve_metrics", nullptr},
        // {"id":string,"started_at":string,"updated_at":string | null,
        //   "finished_at":string | null,"n_total_trials":int,"n_retries":int,
        //   "metrics":{dataset:[name]},"trials":[…]}
        // → {"result.json":content}
        {"job_result", nullptr},
        // the same, but the trials have files instead of rewards
        // → {"result.json":content,"line":string}
        {"pipeline", nullptr},
        // {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
        //   "exception":{"type":string,"message":string} | null}]}
        // → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},
        //   "pass_at_k":{…}}}}
        {"scores", nullptr},
        // {"result.json":content | null}, null for no file → {"line":string}, no newline
        {"outcome", nullptr},
        // {"text":string | null} → {"reason_code":string | null}
        {"reason_code", nullptr},
        // {"stdout":string,"returncode":int,"timed_out":bool}
        // → {"status":string,"score":float,"reason_code":string | null}
        {"read_outcome", nullptr},
        // {"result.json":content | null}, null for no file
        // → {"score":float | null}, also null for a malformed one
        {"result_score", nullptr},
    });
}
