"""Mistakes in reading a job's result: its bytes, its JSON, and objects that are not there."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import outcome
from reference_impl.cpython312 import parsing

mistakes = family("outcome", clause="003-5-object-due")
in_summarise = family("outcome", of=outcome._summarise)
in_whole = family("outcome", of=outcome.summarise, clause="003-5-json-nesting")


@way("outcome", clause="003-5-file-encoding")
def changed_bytes(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Has the bytes of the result file pass through ``change``, where that can be done."""

    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: bytes | None) -> Any:
            try:
                return summarise(None if result_json is None else change(result_json))
            except UnicodeDecodeError:
                return summarise(result_json)

        return judged

    reference.wrap(outcome.summarise, around)


@way("outcome", clause="003-5-duplicate-keys")
def parsed(reference: Variant, parse: Callable[[str], Any]) -> None:
    """Has ``parse`` read the text, once the rule's own parser has accepted it."""

    def around(parse_json: Callable[[str], Any]) -> Callable[[str], Any]:
        def reading(text: str) -> Any:
            parse_json(text)
            return parse(text)

        return reading

    reference.replace_use((outcome, parsing.parse_json), around(reference.get((outcome, parsing.parse_json))))


@changed_bytes.made(
    clause="003-5-json-grammar", invited_by="utf-8-sig, .NET, Java's BOMInputStream, JavaScript's TextDecoder"
)
def result_mark_skipped(content: bytes) -> bytes:
    """A byte order mark in front of the result is skipped. Readers of text files take it away."""
    return content.removeprefix(b"\xef\xbb\xbf")


@changed_bytes.made(invited_by="Go, JavaScript's TextDecoder, Java's new String, errors='replace'")
def result_bad_utf_8_replaced(content: bytes) -> bytes:
    """Bytes of the result that are not UTF-8 are replaced.
    It is how bytes become a string without an error."""
    return content.decode("utf-8", "replace").encode("utf-8")


@changed_bytes.made(invited_by="Python's json.loads(path.read_bytes()), requests, browsers")
def result_encoding_guessed(content: bytes) -> bytes:
    """A result in UTF-16 or UTF-32 is read too. json.loads on bytes detects the encoding."""
    return content.decode(json.detect_encoding(content)).encode("utf-8")


@changed_bytes.made(clause="003-5-json-grammar", invited_by="C and C++ with fopen and cJSON")
def result_ends_at_nul(content: bytes) -> bytes:
    """The result ends at the first NUL. A string does."""
    return content.partition(b"\0")[0]


@changed_bytes.made(clause="003-5-json-grammar", invited_by="str.strip, trim()")
def result_trimmed(content: bytes) -> bytes:
    """All white space around the result is trimmed before it is parsed, no-break spaces too.
    Text from files is stripped out of habit."""
    return content.decode("utf-8").strip().encode("utf-8")


@changed_bytes.made(
    clause="003-5-json-grammar", invited_by="Go's json.Decoder, Jackson's readValue, raw_decode, jq"
)
def result_trailing_text_ignored(content: bytes) -> bytes:
    """What follows the first JSON value is ignored. A decoder of streams stops there."""
    text = content.decode("utf-8")
    try:
        _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip(" \t\n\r")))
    except (ValueError, RecursionError):
        return content
    return text[:end].encode("utf-8")


@parsed.made(clause="003-5-json-constants", invited_by="every JSON library but Python's and a few others")
def result_nan_refused(text: str) -> Any:
    """NaN and Infinity in the result make it malformed. They are not JSON."""

    def refuse(token: str) -> Any:
        raise ValueError(token)

    return json.loads(text, parse_constant=refuse)


@parsed.made(invited_by="C and C++: cJSON, RapidJSON; insert-if-absent maps")
def result_duplicate_keys_first(text: str) -> Any:
    """Of a repeated key in the result the first value counts.
    A look-up in a list of members finds it first."""
    return json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))


@parsed.made(invited_by="serde's structs, Jackson's STRICT_DUPLICATE_DETECTION, org.json")
def result_duplicate_keys_refused(text: str) -> Any:
    """A repeated key makes the result malformed. It is a sign of a fault."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a repeated key")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


@parsed.made(
    clause="003-5-every-value",
    invited_by="Go's encoding/json, PowerShell, .NET with PropertyNameCaseInsensitive",
)
def result_keys_without_case(text: str) -> Any:
    """Keys of the result are matched without regard to case. Fields of a struct are matched so."""
    return json.loads(text, object_pairs_hook=lambda pairs: {k.lower(): v for k, v in pairs})


@parsed.made(clause="003-5-sample-order", invited_by="JavaScript, TypeScript")
def result_integer_keys_moved(text: str) -> Any:
    """Keys that look like ints are moved to the front when the result is read.
    Properties of an object come in this order."""

    def ints_first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        ints = sorted((k for k in members if k.isascii() and k.isdigit() and str(int(k)) == k), key=int)
        return {k: members[k] for k in [*ints, *members]}

    return json.loads(text, object_pairs_hook=ints_first)


@parsed.made(
    clause="003-5-sample-order", invited_by="serde_json's Map, BTreeMap, std::map in nlohmann's JSON, Go"
)
def result_keys_sorted(text: str) -> Any:
    """The groups and metrics of a result are gone through in the order of their names.
    Maps are read into sorted ones, or have no order and are sorted to be stable."""
    return json.loads(text, object_pairs_hook=lambda p: dict(sorted(dict(p).items())))


@mistakes.changed(invited_by="Python's `or`, optional chaining, Go's nil maps, jq")
def result_nulls_as_empty(reference: Variant) -> None:
    """Null where an object is due counts as an empty one: stats, evals, a group, metrics.
    `result.get('stats') or {}`."""

    def around(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: read({} if value is None else value)

    reference.wrap(outcome._object, around)
    reference.wrap(outcome._entries, around)


@mistakes.changed(invited_by="isinstance filters, filter_map, typeof checks")
def result_bad_parts_skipped(reference: Variant) -> None:
    """Groups and metrics that are no objects are skipped. One bad entry should not cost the whole result."""

    def around(values: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        return lambda groups: values({k: g for k, g in groups.items() if isinstance(g, dict)})

    def around_entries(entries: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda metrics: [entry for entry in entries(metrics) if isinstance(entry, dict)]

    reference.wrap(outcome._metric_values, around)
    reference.wrap(outcome._entries, around_entries)


@in_summarise.wrapped(clause="003-5-stats-absent", invited_by="result['stats'], required fields")
def absent_stats_refused(summarise: Callable[[Any], Any], result: Any) -> Any:
    """A result without stats is malformed. The member is always there in what harbor writes."""
    return summarise({**result, "stats": result["stats"]})


@in_summarise.wrapped(
    clause="003-5-counter-places", invited_by="{**result, **stats}, recursive look-ups such as jq's .."
)
def counters_at_both_levels(summarise: Callable[[Any], Any], result: Any) -> Any:
    """Counters that stats lacks are looked for at the top of the result, and the reverse.
    Versions of harbor have kept them in different places."""
    stats = result.get("stats", {})
    return summarise({**stats, **result, "stats": {**result, **stats}})


@in_whole.wrapped(invited_by="except ValueError, parsers that overflow the stack")
def deep_result_escapes(reference: Variant, summarise: Callable[[Any], Any], result_json: Any) -> Any:
    """A result that is nested too deeply is an error that nobody catches.
    Only the errors of the JSON reader are expected."""
    summary = summarise(result_json)
    if summary.reason_code == "harbor_result_malformed":
        try:
            reference.get(parsing.parse_json)(result_json.decode("utf-8"))
        except ValueError:
            return summary
    return summary
