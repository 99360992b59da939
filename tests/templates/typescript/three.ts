// Three operations, as an author would write them.

import { asInt, asList, asObject, asText, get, rewards, serve } from "./protocol.ts";
import type { Answer, JsonObject } from "./protocol.ts";

function evals_key(input: JsonObject): Answer {
  const { agent, model, source } = Object.fromEntries(input);
  const parts = model ? [agent, model, source || "adhoc"] : [agent, source || "adhoc"];
  return { evals_key: parts.join("__") };
}

function terminal_bench_reward(input: JsonObject): Answer {
  return { "reward.txt": { text: asInt(get(input, "exit_code")) === 0n ? "1\n" : "0\n" } };
}

function pass_at_k(input: JsonObject): Answer {
  const tasks = new Map<string, boolean[]>();
  for (const trial of asList(get(input, "trials")).map(asObject)) {
    const values = [...(rewards(get(trial, "rewards"))?.values() ?? [0])].map(Number);
    if (values.length !== 1 || (values[0] !== 0 && values[0] !== 1)) return {};
    const task = asText(get(trial, "task"));
    tasks.set(task, [...(tasks.get(task) ?? []), values[0] === 1]);
  }
  const fewest = tasks.size ? Math.min(...[...tasks.values()].map((attempts) => attempts.length)) : 0;
  const ok = new Map<string, number>();
  for (let k = 2; k <= fewest; k++) {
    if (k % 5 !== 0 && (k & (k - 1)) !== 0) continue;
    const estimates = [...tasks.values()].map((attempts) =>
      estimate(attempts.length, attempts.filter(Boolean).length, k),
    );
    ok.set(String(k), compensatedSum(estimates) / tasks.size);
  }
  return ok;
}

function estimate(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let product = 1;
  for (let i = 0; i < k; i++) product *= (n - c - i) / (n - i);
  return 1 - product;
}

// As CPython 3.12's sum.
function compensatedSum(values: number[]): number {
  let [total, lost] = [0, 0];
  for (const value of values) {
    const added = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - added + value : value - added + total;
    total = added;
  }
  return total + lost;
}

await serve("three", "1", { evals_key, terminal_bench_reward, pass_at_k });
