import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Runner {
    private Runner() {}

    public static void main(String[] arguments) {
        Map<String, Protocol.Operation> operations = new LinkedHashMap<>();

        // {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]}
        //   → the metric's object
        operations.put("aggregate", Runner::aggregate);

        // To add an operation, put a method in place of null. PROTOCOL.md describes them.

        // {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
        //   → {"rewards":{key:number} | null}, after validation by VerifierResult
        operations.put("parse_reward", null);

        // {"exit_code":int}, 0 to 255
        //   → {"reward.txt":content}
        operations.put("terminal_bench_reward", null);

        // {"agent":string,"model":string | null,"source":string | null}
        //   → {"evals_key":string}
        operations.put("evals_key", null);

        // {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
        //   → {"2":number,...} or {}
        operations.put("pass_at_k", null);

        // {"strategy":"mean"|"final" | null,"steps":[...]}
        //   → {"verifier_result":{"rewards":{...} | null} | null,"steps_run":int}
        operations.put("multi_step_reward", null);

        // {"n_attempts":int,"tasks":[string],"agents":[string]}
        //   → {"trials":[[task,agent]]}
        operations.put("plan_trials", null);

        // {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
        //   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
        //   → {"metrics":{dataset:[name]}}
        operations.put("resolve_metrics", null);

        // {"id":string,"started_at":string,"updated_at":string | null,"finished_at":string | null,
        //   "n_total_trials":int,"n_retries":int,"metrics":{dataset:[name]},"trials":[...]}
        //   → {"result.json":content}
        operations.put("job_result", null);

        // the same, but the trials have files instead of rewards
        //   → {"result.json":content,"line":string}
        operations.put("pipeline", null);

        // {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
        //   "exception":{"type":string,"message":string} | null}]}
        //   → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{...},
        //   "pass_at_k":{...}}}}
        operations.put("scores", null);

        // {"result.json":content | null}, null for no file
        //   → {"line":string}, no newline
        operations.put("outcome", null);

        // {"text":string | null}
        //   → {"reason_code":string | null}
        operations.put("reason_code", null);

        // {"stdout":string,"returncode":int,"timed_out":bool}
        //   → {"status":string,"score":float,"reason_code":string | null}
        operations.put("read_outcome", null);

        // {"result.json":content | null}, null for no file
        //   → {"score":float | null}, also null for a malformed one
        operations.put("result_score", null);

        Protocol.serve("my-runner", "0", operations);
    }

    /** The mean, sum, maximum or minimum of the first number of each trial. */
    static Map<String, Object> aggregate(Map<String, Object> input) {
        List<Object> trials = Protocol.list(input.get("rewards"));
        double[] values = new double[trials.size()];
        for (int i = 0; i < values.length; i++) {
            Map<String, Number> rewards = Protocol.rewards(trials.get(i));
            if (rewards != null && !rewards.isEmpty()) {
                values[i] = Protocol.toDouble(rewards.values().iterator().next());
            }
        }
        if (values.length == 0) {
            throw Protocol.fail("ZeroDivisionError", "there are no rewards");
        }
        double total = 0;
        double largest = values[0];
        double smallest = values[0];
        for (double value : values) {
            total += value;
            if (value > largest) {
                largest = value;
            }
            if (value < smallest) {
                smallest = value;
            }
        }
        String metric = Protocol.string(input.get("metric"));
        switch (metric) {
            case "mean":
                return Protocol.objectOf(metric, total / values.length);
            case "sum":
                return Protocol.objectOf(metric, total);
            case "max":
                return Protocol.objectOf(metric, largest);
            case "min":
                return Protocol.objectOf(metric, smallest);
            default:
                throw Protocol.unsupported("my-runner has no metric " + metric);
        }
    }
}
