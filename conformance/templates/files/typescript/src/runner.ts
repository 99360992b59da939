// my-runner: one function per operation.
//
// A function takes the input, a Map, and returns the object that becomes `ok`; what it throws becomes the
// error. protocol.ts does the rest; its first lines list what it provides.

import { asList, asText, fail, get, rewards, serve, toDouble, unsupported } from "./protocol.ts";
import type { Answer, JsonObject, Operation } from "./protocol.ts";

function aggregate(input: JsonObject): Answer {
  const metric = asText(get(input, "metric"));
  // Each trial counts with its first reward; null counts as 0.
  const values = asList(get(input, "rewards")).map((trial) => {
    const [first] = rewards(trial)?.values() ?? [];
    return first === undefined ? 0 : toDouble(first);
  });
  const [first] = values;
  if (first === undefined) return fail("ZeroDivisionError", "division by zero");
  let total = 0;
  for (const value of values) total += value;
  switch (metric) {
    case "mean":
      return { mean: total / values.length };
    case "max":
      return { max: values.reduce((most, value) => (value > most ? value : most)) };
    case "min":
      return { min: values.reduce((least, value) => (value < least ? value : least)) };
    case "sum":
      return { sum: total };
    default:
      return unsupported(`my-runner has no metric ${metric}`);
  }
}

// To add an operation, put your function in place of null. The comment above it has its input and its ok.
const operations: { [op: string]: Operation | null } = {
  // {"metric":"mean"|"max"|"min"|"sum","rewards":[{key:number} | null]} → the metric's object
  aggregate,
  // {"files":{"reward.txt":content,"reward.json":content}}, absent files are left out
  // → {"rewards":{key:number} | null}
  parse_reward: null,
  // {"exit_code":int}, 0 to 255 → {"reward.txt":content}
  terminal_bench_reward: null,
  // {"agent":string,"model":string | null,"source":string | null} → {"evals_key":string}
  evals_key: null,
  // {"trials":[{"task":string,"rewards":{key:number} | null}]} → {"2":number,…} or {}
  pass_at_k: null,
  // {"strategy":"mean"|"final" | null,"steps":[…]}
  // → {"verifier_result":{"rewards":{…} | null} | null,"steps_run":int}
  multi_step_reward: null,
  // {"n_attempts":int,"tasks":[string],"agents":[string]} → {"trials":[[task,agent]]}
  plan_trials: null,
  // {"datasets":[{"name":string,"kind":"local"|"package"|"registry","metrics":[name],"metric_py":bool}],
  //  "job_metrics":[name],"sources":[string | null]}, sources may be absent → {"metrics":{dataset:[name]}}
  resolve_metrics: null,
  // {"id":string,"started_at":string,"updated_at":string | null,"finished_at":string | null,
  //  "n_total_trials":int,"n_retries":int,"metrics":{dataset:[name]},"trials":[…]} → {"result.json":content}
  job_result: null,
  // the same, but the trials have files instead of rewards → {"result.json":content,"line":string}
  pipeline: null,
  // {"trials":[{"group":string,"task":string,"attempt":int,"rewards":{key:number} | null,
  //  "exception":{"type":string,"message":string} | null}]}
  // → {"groups":{group:{"n":int,"n_scored":int,"n_errors":int,"mean":{…},"pass_at_k":{…}}}}
  scores: null,
  // {"result.json":content | null}, null for no file → {"line":string}, no newline
  outcome: null,
  // {"text":string | null} → {"reason_code":string | null}
  reason_code: null,
  // {"stdout":string,"returncode":int,"timed_out":bool}
  // → {"status":string,"score":float,"reason_code":string | null}
  read_outcome: null,
  // {"result.json":content | null}, null for no file
  // → {"score":float | null}, also null for a malformed one
  result_score: null,
};

await serve("my-runner", "0", operations);
