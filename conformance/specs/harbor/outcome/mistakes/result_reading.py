"""Mistakes in reading a job's result: its bytes, its JSON, and objects that are not there."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

JUDGED = "outcome.summarise"
SUMMARISE = "outcome._summarise"


def _bytes(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Has the bytes of the result file pass through ``change``, where that can be done."""

    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: bytes | None) -> Any:
            try:
                return summarise(None if result_json is None else change(result_json))
            except UnicodeDecodeError:
                return summarise(result_json)

        return judged

    reference.wrap(JUDGED, around)


def _parsed(reference: Variant, parse: Callable[[str], Any]) -> None:
    """Has ``parse`` read the text, once the rule's own parser has accepted it."""

    def around(parse_json: Callable[[str], Any]) -> Callable[[str], Any]:
        def reading(text: str) -> Any:
            parse_json(text)
            return parse(text)

        return reading

    reference.replace_use("outcome.parse_json", around(reference.get("outcome.parse_json")))


@mistake(
    "result-mark-skipped",
    says="a byte order mark in front of the result is skipped",
    op="outcome",
    clause="003-5-json-grammar",
    why="Readers of text files take it away.",
    invited_by="utf-8-sig, .NET, Java's BOMInputStream, JavaScript's TextDecoder",
)
def _(reference: Variant) -> None:
    _bytes(reference, lambda content: content.removeprefix(b"\xef\xbb\xbf"))


@mistake(
    "result-bad-utf-8-replaced",
    says="bytes of the result that are not UTF-8 are replaced",
    op="outcome",
    clause="003-5-file-encoding",
    why="It is how bytes become a string without an error.",
    invited_by="Go, JavaScript's TextDecoder, Java's new String, errors='replace'",
)
def _(reference: Variant) -> None:
    _bytes(reference, lambda content: content.decode("utf-8", "replace").encode("utf-8"))


@mistake(
    "result-encoding-guessed",
    says="a result in UTF-16 or UTF-32 is read too",
    op="outcome",
    clause="003-5-file-encoding",
    why="json.loads on bytes detects the encoding.",
    invited_by="Python's json.loads(path.read_bytes()), requests, browsers",
)
def _(reference: Variant) -> None:
    def guessed(content: bytes) -> bytes:
        return content.decode(json.detect_encoding(content)).encode("utf-8")

    _bytes(reference, guessed)


@mistake(
    "result-ends-at-nul",
    says="the result ends at the first NUL",
    op="outcome",
    clause="003-5-json-grammar",
    why="A string does.",
    invited_by="C and C++ with fopen and cJSON",
)
def _(reference: Variant) -> None:
    _bytes(reference, lambda content: content.partition(b"\0")[0])


@mistake(
    "result-trimmed",
    says="all white space around the result is trimmed before it is parsed, no-break spaces too",
    op="outcome",
    clause="003-5-json-grammar",
    why="Text from files is stripped out of habit.",
    invited_by="str.strip, trim()",
)
def _(reference: Variant) -> None:
    _bytes(reference, lambda content: content.decode("utf-8").strip().encode("utf-8"))


@mistake(
    "result-trailing-text-ignored",
    says="what follows the first JSON value is ignored",
    op="outcome",
    clause="003-5-json-grammar",
    why="A decoder of streams stops there.",
    invited_by="Go's json.Decoder, Jackson's readValue, raw_decode, jq",
)
def _(reference: Variant) -> None:
    def first(content: bytes) -> bytes:
        text = content.decode("utf-8")
        try:
            _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip(" \t\n\r")))
        except (ValueError, RecursionError):
            return content
        return text[:end].encode("utf-8")

    _bytes(reference, first)


@mistake(
    "result-nan-refused",
    says="NaN and Infinity in the result make it malformed",
    op="outcome",
    clause="003-5-json-constants",
    why="They are not JSON.",
    invited_by="every JSON library but Python's and a few others",
)
def _(reference: Variant) -> None:
    def refuse(token: str) -> Any:
        raise ValueError(token)

    _parsed(reference, lambda text: json.loads(text, parse_constant=refuse))


@mistake(
    "result-duplicate-keys-first",
    says="of a repeated key in the result the first value counts",
    op="outcome",
    clause="003-5-duplicate-keys",
    why="A look-up in a list of members finds it first.",
    invited_by="C and C++: cJSON, RapidJSON; insert-if-absent maps",
)
def _(reference: Variant) -> None:
    _parsed(reference, lambda text: json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs))))


@mistake(
    "result-duplicate-keys-refused",
    says="a repeated key makes the result malformed",
    op="outcome",
    clause="003-5-duplicate-keys",
    why="It is a sign of a fault.",
    invited_by="serde's structs, Jackson's STRICT_DUPLICATE_DETECTION, org.json",
)
def _(reference: Variant) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a repeated key")
        return dict(pairs)

    _parsed(reference, lambda text: json.loads(text, object_pairs_hook=once))


@mistake(
    "result-keys-without-case",
    says="keys of the result are matched without regard to case",
    op="outcome",
    clause="003-5-every-value",
    why="Fields of a struct are matched so.",
    invited_by="Go's encoding/json, PowerShell, .NET with PropertyNameCaseInsensitive",
)
def _(reference: Variant) -> None:
    _parsed(
        reference,
        lambda text: json.loads(text, object_pairs_hook=lambda pairs: {k.lower(): v for k, v in pairs}),
    )


@mistake(
    "result-integer-keys-moved",
    says="keys that look like ints are moved to the front when the result is read",
    op="outcome",
    clause="003-5-sample-order",
    why="Properties of an object come in this order.",
    invited_by="JavaScript, TypeScript",
)
def _(reference: Variant) -> None:
    def ints_first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        ints = sorted((k for k in members if k.isascii() and k.isdigit() and str(int(k)) == k), key=int)
        return {k: members[k] for k in [*ints, *members]}

    _parsed(reference, lambda text: json.loads(text, object_pairs_hook=ints_first))


@mistake(
    "result-keys-sorted",
    says="the groups and metrics of a result are gone through in the order of their names",
    op="outcome",
    clause="003-5-sample-order",
    why="Maps are read into sorted ones, or have no order and are sorted to be stable.",
    invited_by="serde_json's Map, BTreeMap, std::map in nlohmann's JSON, Go",
)
def _(reference: Variant) -> None:
    _parsed(
        reference, lambda text: json.loads(text, object_pairs_hook=lambda p: dict(sorted(dict(p).items())))
    )


@mistake(
    "result-nulls-as-empty",
    says="null where an object is due counts as an empty one: stats, evals, a group, metrics",
    op="outcome",
    clause="003-5-object-due",
    why="`result.get('stats') or {}`.",
    invited_by="Python's `or`, optional chaining, Go's nil maps, jq",
)
def _(reference: Variant) -> None:
    def around(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: read({} if value is None else value)

    reference.wrap("outcome._object", around)
    reference.wrap("outcome._entries", around)


@mistake(
    "result-bad-parts-skipped",
    says="groups and metrics that are no objects are skipped",
    op="outcome",
    clause="003-5-object-due",
    why="One bad entry should not cost the whole result.",
    invited_by="isinstance filters, filter_map, typeof checks",
)
def _(reference: Variant) -> None:
    def around(values: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        return lambda groups: values({k: g for k, g in groups.items() if isinstance(g, dict)})

    def around_entries(entries: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda metrics: [entry for entry in entries(metrics) if isinstance(entry, dict)]

    reference.wrap("outcome._metric_values", around)
    reference.wrap("outcome._entries", around_entries)


@mistake(
    "absent-stats-refused",
    says="a result without stats is malformed",
    op="outcome",
    clause="003-5-stats-absent",
    why="The member is always there in what harbor writes.",
    invited_by="result['stats'], required fields",
)
def _(reference: Variant) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda result: summarise({**result, "stats": result["stats"]})

    reference.wrap(SUMMARISE, around)


@mistake(
    "counters-at-both-levels",
    says="counters that stats lacks are looked for at the top of the result, and the reverse",
    op="outcome",
    clause="003-5-counter-places",
    why="Versions of harbor have kept them in different places.",
    invited_by="{**result, **stats}, recursive look-ups such as jq's ..",
)
def _(reference: Variant) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def merged(result: Any) -> Any:
            stats = result.get("stats", {})
            return summarise({**stats, **result, "stats": {**result, **stats}})

        return merged

    reference.wrap(SUMMARISE, around)


@mistake(
    "deep-result-escapes",
    says="a result that is nested too deeply is an error that nobody catches",
    op="outcome",
    clause="003-5-json-nesting",
    why="Only the errors of the JSON reader are expected.",
    invited_by="except ValueError, parsers that overflow the stack",
)
def _(reference: Variant) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: Any) -> Any:
            summary = summarise(result_json)
            if summary.reason_code == "harbor_result_malformed":
                try:
                    reference.get("cpython312.parsing.parse_json")(result_json.decode("utf-8"))
                except ValueError:
                    return summary
            return summary

        return judged

    reference.wrap(JUDGED, around)
