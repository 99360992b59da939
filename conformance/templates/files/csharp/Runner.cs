using System.Collections.Generic;
using static Protocol;

public static class Runner
{
    public static void Main()
    {
        var operations = new Dictionary<string, Operation>
        {
            // {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]}
            //   → the metric's object
            ["aggregate"] = Aggregate,

            // To add an operation, put a method in place of null. PROTOCOL.md describes them.

            // {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
            //   → {"rewards":{key:number} | null}, after validation by VerifierResult
            ["parse_reward"] = null,

            // {"exit_code":int}, 0 to 255
            //   → {"reward.txt":content}
            ["terminal_bench_reward"] = null,

            // {"agent":string,"model":string | null,"source":string | null}
            //   → {"evals_key":string}
            ["evals_key"] = null,

            // {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
            //   → {"2":number,...} or {}
            ["pass_at_k"] = null,

            // {"strategy":"mean"|"final" | null,"steps":[...]}
            //   → {"verifier_result":{"rewards":{...} | null} | null,"steps_run":int}
            ["multi_step_reward"] = null,

            // {"n_attempts":int,"tasks":[string],"agents":[string]}
            //   → {"trials":[[task,agent]]}
            ["plan_trials"] = null,

            // {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
            //   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
            //   → {"metrics":{dataset:[name]}}
            ["resolve_metrics"] = null,

            // {"id":string,"started_at":string,"updated_at":string | null,
            //   "finished_at":string | null,"n_total_trials":int,"n_retries":int,
            //   "metrics":{dataset:[name]},"trials":[...]}
            //   → {"result.json":content}
            ["job_result"] = null,

            // the same, but the trials have files instead of rewards
            //   → {"result.json":content,"line":string}
            ["pipeline"] = null,

            // {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
            //   "exception":{"type":string,"message":string} | null}]}
            //   → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{...},
            //   "pass_at_k":{...}}}}
            ["scores"] = null,

            // {"result.json":content | null}, null for no file
            //   → {"line":string}, no newline
            ["outcome"] = null,

            // {"text":string | null}
            //   → {"reason_code":string | null}
            ["reason_code"] = null,

            // {"stdout":string,"returncode":int,"timed_out":bool}
            //   → {"status":string,"score":float,"reason_code":string | null}
            ["read_outcome"] = null,

            // {"result.json":content | null}, null for no file
            //   → {"score":float | null}, also null for a malformed one
            ["result_score"] = null,
        };
        Serve("my-runner", "0", operations);
    }

    /// <summary>The mean, sum, maximum or minimum of the first number of each trial.</summary>
    private static JsonObject Aggregate(JsonObject input)
    {
        var values = new List<double>();
        foreach (object trial in AsList(input["rewards"]))
        {
            JsonObject rewards = Rewards(trial);
            bool none = rewards == null || rewards.Count == 0;
            values.Add(none ? 0 : ToDouble(rewards[rewards.Keys[0]]));
        }
        if (values.Count == 0)
        {
            throw Fail("ZeroDivisionError", "there are no rewards");
        }
        double total = 0;
        double largest = values[0];
        double smallest = values[0];
        foreach (double value in values)
        {
            total += value;
            if (value > largest)
            {
                largest = value;
            }
            if (value < smallest)
            {
                smallest = value;
            }
        }
        string metric = AsString(input["metric"]);
        switch (metric)
        {
            case "mean":
                return new JsonObject { { metric, total / values.Count } };
            case "sum":
                return new JsonObject { { metric, total } };
            case "max":
                return new JsonObject { { metric, largest } };
            case "min":
                return new JsonObject { { metric, smallest } };
            default:
                throw Unsupported("my-runner has no metric " + metric);
        }
    }
}
