// Operations that show every part of protocol.ts to a test.

import {
  asList,
  asText,
  content,
  fail,
  get,
  number,
  rewards,
  serve,
  spec,
  spelled,
  text,
  toBytes,
  toDouble,
  unsupported,
  type JsonObject,
  type Operation,
  type Value,
} from "./protocol.ts";

const operations: { [op: string]: Operation | null } = {
  echo: (input) => ({ value: get(input, "value") }),
  number: (input) => {
    const value = number(get(input, "value"));
    const kind = typeof value === "bigint" ? "int" : "float";
    return { kind, value, spelled: spelled(value), double: toDouble(value) };
  },
  text: (input) => {
    const value = asText(get(input, "value"));
    const points = [...value].map((character) => BigInt(character.codePointAt(0) ?? 0));
    return { code_points: points, marked: text(value) };
  },
  rewards: (input) => ({ rewards: rewards(get(input, "rewards")) }),
  content: (input) => {
    const bytes = toBytes(get(input, "file"));
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return { hex, file: content(bytes), reversed: content(Uint8Array.from(bytes).reverse()) };
  },
  put: (input) => {
    const object: JsonObject = new Map();
    for (const pair of asList(get(input, "pairs"))) {
      const [key, value] = asList(pair);
      if (key === undefined || value === undefined) return fail("TypeError", "a pair is expected");
      object.set(asText(key), value);
    }
    return { object };
  },
  units: (input) => {
    const text = String.fromCharCode(...asList(get(input, "units")).map((unit) => toDouble(number(unit))));
    return { text, object: new Map([[text, 1n]]) };
  },
  not_finite: () => ({ nan: NaN, list: [Infinity, -Infinity], zero: -0 }),
  fail: (input) => {
    const message = input.get("message");
    return fail(asText(get(input, "type")), message === undefined ? message : asText(message));
  },
  unsupported: (input) => unsupported(asText(get(input, "why"))),
  unexpected: () => {
    const none: Value[][] = [];
    return { value: none[1]!.length };
  },
  spec: () => ({ spec: spec() }),
  stub: null,
  print: () => {
    console.log("on standard output");
    console.error("on standard error");
    return {};
  },
  leave: () => process.exit(3),
};

await serve("echo", "1", operations, process.argv.includes("--strings"));
