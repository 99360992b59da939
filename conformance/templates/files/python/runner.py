"""my-runner: one function per operation.

A function takes the members of the input as arguments and returns the object that becomes `ok`; what it
raises becomes the error. protocol.py does the rest; its first lines list what it provides.
"""

from protocol import number, serve, to_double, unsupported


def aggregate(metric, rewards):
    # Each trial counts with its first reward; null counts as 0.
    values = [0.0 if r is None else to_double(number(next(iter(r.values()), 0))) for r in rewards]
    if not values:
        raise ZeroDivisionError("division by zero")
    total = 0.0
    for value in values:
        total += value
    results = {"mean": total / len(values), "sum": total, "max": max(values), "min": min(values)}
    if metric not in results:
        unsupported(f"my-runner has no metric {metric}")
    return {metric: results[metric]}


# To add an operation, put your function in place of None. The comment above it has its input and its ok.
operations = {
    # {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]} → the metric's object
    "aggregate": aggregate,
    # {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
    # → {"rewards":{key:number} | null}
    "parse_reward": None,
    # {"exit_code":int}, 0 to 255 → {"reward.txt":content}
    "terminal_bench_reward": None,
    # {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
    "evals_key": None,
    # {"trials":[{"task":string,"rewards":{key:number} | null}]} → {"2":number,…} or {}
    "pass_at_k": None,
    # {"strategy":"mean"|"final" | null,"steps":[…]}
    # → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
    "multi_step_reward": None,
    # {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
    "plan_trials": None,
    # {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],"metric_py":bool}],
    #  "job_metrics":[name],"sources":[string | null]}, sources may be absent → {"metrics":{dataset:[name]}}
    "resolve_metrics": None,
    # {"id":string,"started_at":string,"updated_at":string | null,"finished_at":string | null,
    #  "n_total_trials":int,"n_retries":int,"metrics":{dataset:[name]},"trials":[…]} → {"result.json":content}
    "job_result": None,
    # the same, but the trials have files instead of rewards → {"result.json":content,"line":string}
    "pipeline": None,
    # {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
    #  "exception":{"type":string,"message":string} | null}]}
    # → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},"pass_at_k":{…}}}}
    "scores": None,
    # {"result.json":content | null}, null for no file → {"line":string}, no newline
    "outcome": None,
    # {"text":string | null} → {"reason_code":string | null}
    "reason_code": None,
    # {"stdout":string,"returncode":int,"timed_out":bool}
    # → {"status":string,"score":float,"reason_code":string | null}
    "read_outcome": None,
    # {"result.json":content | null}, null for no file
    # → {"score":float | null}, also null for a malformed one
    "result_score": None,
}

serve(operations, name="my-runner", version="0")
