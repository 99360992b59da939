// A runner in stock Node.js: two ops, numbers as strings, nothing installed.
import { createInterface } from "node:readline";

const fields = { runner: "stock-node", version: "1.0", protocol: 1, numbers: "string" };
const float = (x) => (Number.isInteger(x) ? x.toFixed(1) : String(x)); // 1 is an int, "1.0" a float
const sum = (values) => { // CPython 3.12's
  let [total, lost] = [0, 0];
  for (const x of values) {
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return total + lost;
};
const estimate = (n, c, k) => {
  if (n - c < k) return 1;
  let product = 1;
  for (let i = 0; i < k; i++) product *= (n - c - i) / (n - i);
  return 1 - product;
};
const ops = {
  hello: () => ({ ...fields, ops: ["evals_key", "pass_at_k"] }),
  evals_key: ({ agent, model, source }) => ({ evals_key: [agent, ...(model ? [model] : []), source || "adhoc"].join("__") }),
  pass_at_k: ({ trials }) => {
    const tasks = new Map();
    for (const { task, rewards } of trials) {
      const values = rewards === null ? ["0"] : Object.values(rewards);
      if (values.length !== 1 || ![0, 1].includes(Number(values[0]))) return {};
      tasks.set(task, [...(tasks.get(task) ?? []), Number(values[0])]);
    }
    const least = Math.min(...[...tasks.values()].map((tries) => tries.length)), ok = {};
    for (let k = 2; tasks.size && k <= least; k++) {
      if (k % 5 && k & (k - 1)) continue;
      const each = [...tasks.values()].map((tries) => estimate(tries.length, tries.filter(Boolean).length, k));
      ok[k] = float(sum(each) / tasks.size);
    }
    return ok;
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, input } = JSON.parse(line);
  console.log(JSON.stringify(op in ops ? { id, ok: ops[op](input) } : { id, unsupported: `no ${op} here` }));
}
