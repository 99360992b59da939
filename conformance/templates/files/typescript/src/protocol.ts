// The runner protocol of harbor-conformance, version 1, for TypeScript. You never edit this file.
//
// It reads requests, calls one function per operation, and writes replies. A complete runner:
//
//     import { asInt, get, serve, type JsonObject } from "./protocol.ts";
//
//     const terminal_bench_reward = (input: JsonObject) => ({
//       "reward.txt": { text: asInt(get(input, "exit_code")) === 0n ? "1\n" : "0\n" },
//     });
//     await serve("my-runner", "0", { terminal_bench_reward });
//
// JSON's ints are bigints here and its floats are numbers, so that 1 (1n) and 1.0 (1) stay distinct. Objects are
// Maps, which keep the order of their members, even "10" before "9". Answers may also contain plain objects. An
// exception becomes the reply's error: its name is the type; the reason code is from the table in PROTOCOL.md.
//
// - serve(name, version, operations) answers until standard input closes; spec() is the spec that hello named.
// - fail(type) and fail(type, message) reject the input; unsupported(why) declines it.
// - get(object, key) returns a member; asText, asInt, asBool, asList and asObject check a value's kind.
// - number(value) and rewards(value) read numbers, also from strings; toDouble(number) returns a float.
// - toBytes(file) returns the bytes of a file's content, content(bytes) the content for bytes.
// - text(string) marks a string where a number is expected; spell(float) and spelled(number) return strings.
//
// What functions print goes to standard error. Give child processes their own streams: with stdio "inherit" they
// would write among the replies. You need only Node.js 20 or later.

import { Buffer } from "node:buffer";
import process from "node:process";

/** A JSON value: a bigint is an int, a number is a float. */
export type Value = null | boolean | bigint | number | string | Value[] | JsonObject;
export type JsonObject = Map<string, Value>;
/** What can be written as JSON. Plain objects lose the order of keys that are numbers; use a Map for those. */
export type Answer =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Answer[]
  | ReadonlyMap<string, Answer>
  | { readonly [key: string]: Answer };
export type Operation = (input: JsonObject) => Answer | Promise<Answer>;

/** The reason codes of errors; all other types have null. */
const REASON_CODES = new Map([
  ["RewardFileNotFoundError", "harbor_reward_missing"],
  ["RewardFileEmptyError", "harbor_reward_empty"],
  ["VerifierOutputParseError", "harbor_reward_parse_error"],
]);
/** The deepest nesting of lists and objects, in requests and replies. */
const DEEPEST = 500;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The name of the runner, and what hello agreed on. */
const session = { name: "", spec: null as Value };

/** What a reply has instead of `ok`. */
class NoAnswer extends Error {
  readonly reply: { [key: string]: Answer };
  constructor(reply: { [key: string]: Answer }) {
    super("no answer");
    this.reply = reply;
  }
}

/** Rejects the input with an error of this type. */
export function fail(type: string, message?: string): never {
  throw new NoAnswer({ error: errorOf(type, message) });
}

/** Declines this input; the sentence says why. */
export function unsupported(why: string): never {
  throw new NoAnswer({ unsupported: printable(why) });
}

/** The spec that hello named. */
export const spec = (): Value => session.spec;

// --- Values ---

/** A member that must exist. */
export function get(object: JsonObject, key: string): Value {
  const value = object.get(key);
  return value === undefined ? fail("TypeError", `there is no ${JSON.stringify(key)}`) : value;
}

export function asText(value: Value): string {
  return typeof value === "string" ? value : wrong("a string", value);
}

export function asBool(value: Value): boolean {
  return typeof value === "boolean" ? value : wrong("a bool", value);
}

export function asInt(value: Value): bigint {
  const read = typeof value === "string" ? number(value) : value;
  return typeof read === "bigint" ? read : wrong("an int", value);
}

export function asList(value: Value): Value[] {
  return Array.isArray(value) ? value : wrong("a list", value);
}

export function asObject(value: Value): JsonObject {
  return value instanceof Map ? value : wrong("an object", value);
}

function wrong(wanted: string, value: Value): never {
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  const shown = typeof value === "object" ? kind : String(value).slice(0, 80);
  return fail("TypeError", `${wanted} is expected, not ${value instanceof Map ? "an object" : shown}`);
}

/** The number that a value is or spells: a bigint or a number. */
export function number(value: Value): bigint | number {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value === "NaN") return NaN;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  NUMBER.lastIndex = 0;
  const spells = typeof value === "string" && NUMBER.exec(value)?.[0] === value;
  return (spells ? readNumber(value) : undefined) ?? wrong("a number", value);
}

/** The number of a token; undefined beyond the double range. */
function readNumber(token: string): bigint | number | undefined {
  if (!/[.eE]/.test(token)) return BigInt(token);
  const found = Number(token);
  return Number.isFinite(found) ? found : undefined;
}

/** Keys with their numbers, in order, or null. */
export function rewards(value: Value): Map<string, bigint | number> | null {
  if (value === null) return null;
  return new Map([...asObject(value)].map(([key, item]) => [key, number(item)]));
}

/** The nearest double; OverflowError for an int beyond the double range. */
export function toDouble(value: bigint | number): number {
  const double = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(double)) {
    fail("OverflowError", "int too large to convert to float");
  }
  return double;
}

/** The bytes of a file's content, {"text": …} or {"base64": …}. */
export function toBytes(file: Value): Uint8Array {
  const [[form, held] = []] = asObject(file);
  if (form === "text" && typeof held === "string") return Buffer.from(held, "utf8");
  if (form === "base64" && typeof held === "string") {
    const bytes = Buffer.from(held, "base64");
    if (bytes.toString("base64") === held) return bytes;
  }
  return fail("TypeError", "an object is no content of a file");
}

/** The content of a file with these bytes. */
export function content(bytes: Uint8Array): { text: string } | { base64: string } {
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }); // a byte order mark is a character

/** Marks a string where a number is expected, so that it equals none. */
export const text = (string: string): { string: string } => ({ string });

/** Writes a float as Python does, with the fewest digits; NaN and the infinities as words. */
export function spell(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const plain = Object.is(value, -0) ? "-0" : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/** The string that spells a number. */
export function spelled(value: bigint | number): string {
  return typeof value === "bigint" ? String(value) : spell(value);
}

// --- Lines ---

/** A strict JSON reader: JSON.parse would lose large ints, the order of members and duplicate keys. */
class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): Value {
    const value = this.value(1);
    this.space();
    return this.at === this.text.length ? value : this.refuse("nothing more is expected");
  }

  private refuse(why: string): never {
    return fail("ProtocolError", `the line cannot be read: ${why} at character ${this.at + 1}`);
  }

  private space(): void {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at++;
  }

  /** Reads this character if it is next, and returns whether it was. */
  private takes(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private value(depth: number): Value {
    this.space();
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth);
      case "[":
        return this.list(depth);
      case '"':
        return this.string();
      case "n":
        return this.word("null", null);
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      default:
        return this.number();
    }
  }

  private word(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) this.refuse("a value is expected");
    this.at += word.length;
    return value;
  }

  private number(): Value {
    NUMBER.lastIndex = this.at;
    const token = NUMBER.exec(this.text)?.[0] ?? this.refuse("a value is expected");
    const read = readNumber(token) ?? this.refuse("there is a number that no double holds");
    this.at += token.length;
    return read;
  }

  private list(depth: number): Value[] {
    const items: Value[] = [];
    this.enter(depth);
    if (this.takes("]")) return items;
    do {
      items.push(this.value(depth + 1));
    } while (this.takes(","));
    return this.takes("]") ? items : this.refuse("a comma or the list's end is expected");
  }

  private object(depth: number): JsonObject {
    const members: JsonObject = new Map();
    this.enter(depth);
    if (this.takes("}")) return members;
    do {
      this.space();
      const key = this.text[this.at] === '"' ? this.string() : this.refuse("a key is expected");
      if (members.has(key)) this.refuse("a key is there twice");
      if (!this.takes(":")) this.refuse("a colon is expected");
      members.set(key, this.value(depth + 1));
    } while (this.takes(","));
    return this.takes("}") ? members : this.refuse("a comma or the object's end is expected");
  }

  private enter(depth: number): void {
    if (depth > DEEPEST) this.refuse(`there are more than ${DEEPEST} levels`);
    this.at++;
  }

  private string(): string {
    let read = "";
    let from = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at); // NaN at the end
      if (code === 0x22) break;
      if (!(code >= 0x20)) this.refuse("a string ends, or holds a control character,");
      if (code === 0x5c) {
        read += this.text.slice(from, this.at) + this.escaped();
        from = this.at;
      } else {
        this.at++;
      }
    }
    return read + this.text.slice(from, this.at++);
  }

  private escaped(): string {
    const letter = this.text[this.at + 1] ?? "";
    const plain = '"\\/bfnrt'.indexOf(letter || "x");
    if (plain >= 0) {
      this.at += 2;
      return '"\\/\b\f\n\r\t'.charAt(plain);
    }
    const unit = this.unit();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const low = unit < 0xdc00 ? this.unit() : 0;
    if (low < 0xdc00 || low > 0xdfff) this.refuse("half of a pair of surrogates ends");
    return String.fromCharCode(unit, low);
  }

  /** The 16 bits of an escape. */
  private unit(): number {
    const [, digits] = /^\\u([0-9a-fA-F]{4})$/.exec(this.text.slice(this.at, this.at + 6)) ?? [];
    if (digits === undefined) this.refuse("there is no such escape");
    this.at += 6;
    return parseInt(digits, 16);
  }
}

/** Parses a line into a request and its id. */
function readRequest(line: Uint8Array): [JsonObject, bigint] {
  let decoded: string;
  try {
    decoded = decoder.decode(line);
  } catch {
    return fail("ProtocolError", "the line cannot be read: it is not UTF-8");
  }
  const request = new Reader(decoded).document();
  if (!(request instanceof Map)) return fail("ProtocolError", "the line is no object");
  const id = request.get("id");
  return typeof id === "bigint" ? [request, id] : fail("ProtocolError", "the id is no int");
}

/** Writes a value as JSON; a TypeError if JSON has no such value. */
function write(value: Answer, depth = 1): string {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? spell(value) : `"${spell(value)}"`;
  if (typeof value === "string") return JSON.stringify(value); // writes half a surrogate pair as its escape
  if (depth > DEEPEST) throw new TypeError(`the answer has more than ${DEEPEST} levels, or holds itself`);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item, depth + 1)).join(",")}]`;
  const members = membersOf(value).map(([key, item]) => `${write(key)}:${write(item, depth + 1)}`);
  return `{${members.join(",")}}`;
}

function membersOf(value: Answer): [string, Answer][] {
  if (value instanceof Map) {
    const wrong = [...value.keys()].find((key) => typeof key !== "string");
    if (wrong !== undefined) throw new TypeError(`the answer has the key ${String(wrong)}, which is no string`);
    return [...(value as Map<string, Answer>)];
  }
  const plain: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : value;
  if (plain !== Object.prototype && plain !== null) {
    throw new TypeError(`the answer holds a ${value?.constructor.name ?? typeof value}, which JSON has not`);
  }
  const members = Object.entries(value as { [key: string]: Answer });
  if (members.length > 1 && members.some(([key]) => /^[0-9]+$/.test(key))) {
    throw new TypeError("the answer has a plain object with numbers for keys, which loses their order: use a Map");
  }
  return members;
}

// --- Serving ---

/**
 * Answers requests until standard input closes. An operation that is null is not offered. With stringNumbers,
 * numbers arrive as strings; number() reads both.
 */
export async function serve(
  name: string,
  version: string,
  operations: { readonly [op: string]: Operation | null },
  stringNumbers = false,
): Promise<void> {
  const offered = new Map(Object.entries(operations).filter((entry): entry is [string, Operation] => !!entry[1]));
  const hello = { runner: name, version, protocol: 1n, ops: [...offered.keys()] };
  const greeting = stringNumbers ? { ...hello, numbers: "string" } : hello;
  session.name = name;
  const output = process.stdout;
  const put = output.write.bind(output);
  output.on("error", () => process.exit()); // the reader is gone
  output.write = process.stderr.write.bind(process.stderr); // console.log must not write among the replies
  const answer = async (line: Uint8Array): Promise<void> => {
    const reply = await answerTo(line, greeting, offered);
    await new Promise<unknown>((written) => put(`${reply}\n`, written));
  };
  let pieces: Uint8Array[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      await answer(Buffer.concat([...pieces, chunk.subarray(from, end)]));
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length) await answer(Buffer.concat(pieces));
}

async function answerTo(line: Uint8Array, hello: Answer, offered: Map<string, Operation>): Promise<string> {
  let id: bigint | null = null;
  let op: Value | undefined;
  try {
    let request: JsonObject;
    [request, id] = readRequest(line);
    op = request.get("op");
    if (typeof op !== "string") return fail("ProtocolError", "the op is no string");
    if (op === "hello") {
      if (request.get("protocol") !== 1n) fail("ProtocolError", "only protocol 1 is spoken here");
      session.spec = request.get("spec") ?? null;
      return write({ id, ok: hello });
    }
    const operation = offered.get(op);
    if (!operation) return unsupported(`${session.name} has no ${op}`);
    const input = request.get("input");
    if (!(input instanceof Map)) return fail("ProtocolError", "the input is no object");
    const ok = await operation(input);
    if (typeof ok !== "object" || ok === null || Array.isArray(ok)) {
      throw new TypeError("the answer is no object");
    }
    return write({ id, ok });
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return write({ id, ...thrown.reply });
    const [type, message] = described(thrown);
    const [, place = "nowhere"] = /\n\s+at (.*)/.exec(String((thrown as Error | null)?.stack)) ?? [];
    process.stderr.write(`${String(op)}: ${type}: ${message} at ${place}\n`);
    return write({ id, error: errorOf(type, message) });
  }
}

/** The name of an exception (that of its class, unless it sets another) and its message. */
function described(thrown: unknown): [string, string] {
  if (!(thrown instanceof Error)) return [typeof thrown, String(thrown)];
  return [thrown.name === "Error" ? thrown.constructor.name : thrown.name, thrown.message];
}

function errorOf(type: string, message?: string): { [key: string]: Answer } {
  const error = { type: printable(type), reason_code: REASON_CODES.get(type) ?? null };
  return message === undefined ? error : { ...error, message: printable(message) };
}

/** A sentence as valid UTF-8, shortened for people. */
function printable(text: string): string {
  return text.slice(0, 2000).replace(/\p{Surrogate}/gu, "\ufffd");
}
