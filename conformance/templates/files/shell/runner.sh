#!/bin/sh
# my-runner: a simple version of `aggregate`, and stubs. To add an operation, write an awk function
# that takes the input and returns the answer, and put its name below in place of "".

here=${0%"${0##*/}"}
. "${here:-./}protocol.sh"

# Awk code. It must not contain an apostrophe, which would end it.
program='
# Computes a metric of the first reward of each trial; null counts as 0.
function aggregate(input,    metric, all, n, i, reward, x, total, max, min, result) {
    all = member_of(input, "rewards")
    n = size_of(all)
    total = 0
    for (i = 1; i <= n; i++) {
        reward = rewards_of(item_of(all, i))
        x = is_null(reward) || size_of(reward) == 0 ? 0 : to_double(item_of(reward, 1))
        total += x
        if (i == 1 || greater(x, max)) max = x
        if (i == 1 || less(x, min)) min = x
    }
    if (n == 0) fail("ZeroDivisionError", "division by zero")
    metric = text_of(member_of(input, "metric"))
    if (metric == "mean") x = total / n
    else if (metric == "sum") x = total
    else if (metric == "max") x = max
    else if (metric == "min") x = min
    else unsupported("my-runner has no metric " metric)
    result = new_object()
    put(result, metric, new_float(x))
    return result
}
'

# {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
# → {"rewards":{key:number} | null}, after validation by VerifierResult
operation parse_reward ""
# {"exit_code":int}, 0 to 255 → {"reward.txt":content}
operation terminal_bench_reward ""
# {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]}
# → the metric's object
operation aggregate aggregate
# {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
operation evals_key ""
# {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
# → {"2":number,…} or {}
operation pass_at_k ""
# {"strategy":"mean"|"final" | null,"steps":[…]}
# → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
operation multi_step_reward ""
# {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
operation plan_trials ""
# {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
#   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
# → {"metrics":{dataset:[name]}}
operation resolve_metrics ""
# {"id":string,"started_at":string,"updated_at":string | null,
#   "finished_at":string | null,"n_total_trials":int,"n_retries":int,
#   "metrics":{dataset:[name]},"trials":[…]}
# → {"result.json":content}
operation job_result ""
# the same, but the trials have files instead of rewards
# → {"result.json":content,"line":string}
operation pipeline ""
# {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
#   "exception":{"type":string,"message":string} | null}]}
# → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},
#   "pass_at_k":{…}}}}
operation scores ""
# {"result.json":content | null}, null for no file → {"line":string}, no newline
operation outcome ""
# {"text":string | null} → {"reason_code":string | null}
operation reason_code ""
# {"stdout":string,"returncode":int,"timed_out":bool}
# → {"status":string,"score":float,"reason_code":string | null}
operation read_outcome ""
# {"result.json":content | null}, null for no file
# → {"score":float | null}, also null for a malformed one
operation result_score ""

serve my-runner 0 "$program"
