// my-runner: a simple version of aggregate, and stubs. To add an operation, write a function that
// takes the input and returns the answer, and put its name in place of nil.
package main

// aggregate computes a metric of the first reward of each trial; null counts as 0.
func aggregate(input *Object) (*Object, error) {
	var values []float64
	for _, item := range input.List("rewards") {
		value := 0.0
		if rewards := Rewards(item); rewards.Len() > 0 {
			first, err := ToDouble(rewards.Get(rewards.Keys()[0]))
			if err != nil {
				return nil, err
			}
			value = first
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return nil, Fail("ZeroDivisionError", "division by zero")
	}
	total, max, min := 0.0, values[0], values[0]
	for _, value := range values {
		total += value
		if value > max {
			max = value
		}
		if value < min {
			min = value
		}
	}
	metric := input.Text("metric")
	switch metric {
	case "mean":
		return NewObject().With(metric, total/float64(len(values))), nil
	case "sum":
		return NewObject().With(metric, total), nil
	case "max":
		return NewObject().With(metric, max), nil
	case "min":
		return NewObject().With(metric, min), nil
	}
	return nil, Unsupported("my-runner has no metric " + metric)
}

func main() {
	Serve("my-runner", "0", []Op{
		// {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
		// → {"rewards":{key:number} | null}, after validation by VerifierResult
		{"parse_reward", nil},
		// {"exit_code":int}, 0 to 255 → {"reward.txt":content}
		{"terminal_bench_reward", nil},
		// {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]} → the metric's object
		{"aggregate", aggregate},
		// {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
		{"evals_key", nil},
		// {"trials":[{"task":string,"rewards":{key:number} | null}]}, one group
		// → {"2":number,…} or {}
		{"pass_at_k", nil},
		// {"strategy":"mean"|"final" | null,"steps":[…]}
		// → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
		{"multi_step_reward", nil},
		// {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
		{"plan_trials", nil},
		// {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],
		//   "metric_py":bool}],"job_metrics":[name],"sources":[string | null]}, sources may be absent
		// → {"metrics":{dataset:[name]}}
		{"resolve_metrics", nil},
		// {"id":string,"started_at":string,"updated_at":string | null,"finished_at":string | null,
		//   "n_total_trials":int,"n_retries":int,"metrics":{dataset:[name]},"trials":[…]}
		// → {"result.json":content}
		{"job_result", nil},
		// the same, but the trials have files instead of rewards
		// → {"result.json":content,"line":string}
		{"pipeline", nil},
		// {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
		//   "exception":{"type":string,"message":string} | null}]}
		// → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},"pass_at_k":{…}}}}
		{"scores", nil},
		// {"result.json":content | null}, null for no file → {"line":string}, no newline
		{"outcome", nil},
		// {"text":string | null} → {"reason_code":string | null}
		{"reason_code", nil},
		// {"stdout":string,"returncode":int,"timed_out":bool}
		// → {"status":string,"score":float,"reason_code":string | null}
		{"read_outcome", nil},
		// {"result.json":content | null}, null for no file
		// → {"score":float | null}, also null for a malformed one
		{"result_score", nil},
	})
}
