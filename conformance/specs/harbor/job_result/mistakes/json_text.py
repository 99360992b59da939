"""Mistakes in writing ``result.json``: layout, order of members, members left out or added."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_objects, change_result

TEXT = "job_result.JobResult.text"
Members = list[tuple[str, Any]]


def _text(reference: Variant, change: Callable[[str], str]) -> None:
    """Has the whole text of a result pass through ``change``."""
    reference.wrap(TEXT, lambda original: lambda self: change(original(self)))


@mistake(
    "two-space-indent",
    says="result.json is indented by two spaces",
    op="job_result",
    clause="003-3.3-text",
    why="It is the default of most pretty-printers.",
    invited_by="serde_json's to_string_pretty, JSON.stringify(x, null, 2), Jackson, jq",
)
def _(reference: Variant) -> None:
    reference.replace("json_text.INDENT", "  ")


@mistake(
    "tab-indent",
    says="result.json is indented by tabs",
    op="job_result",
    clause="003-3.3-text",
    why="It is the habit of the language's own formatter.",
    invited_by='Go\'s json.MarshalIndent(x, "", "\\t"), jq --tab',
)
def _(reference: Variant) -> None:
    reference.replace("json_text.INDENT", "\t")


@mistake(
    "compact-json",
    says="result.json stands on one line, without spaces",
    op="job_result",
    clause="003-3.3-text",
    why="JSON is for machines, and this is the default.",
    invited_by="JSON.stringify, encoding/json, serde_json::to_string, orjson",
)
def _(reference: Variant) -> None:
    json_text = reference.module("json_text")

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def text(tree: Any, margin: str = "") -> str:
            if isinstance(tree, json_text.JsonObject):
                members = (f"{json_text._quoted(json_text._key(k))}:{text(v)}" for k, v in tree.members)
                return f"{{{','.join(members)}}}"
            return f"[{','.join(map(text, tree))}]" if isinstance(tree, list) else original(tree)

        return text

    reference.wrap("json_text.json_text", around)


@mistake(
    "final-newline",
    says="result.json ends in a newline",
    op="job_result",
    clause="003-3.3-text",
    why="A text file ends in one.",
    invited_by="shell redirection, json.Encoder of Go, print and println, editors",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: text + "\n")


@mistake(
    "crlf-line-ends",
    says="the lines of result.json end in CR LF",
    op="job_result",
    clause="003-3.3-text",
    why="A file opened as text translates line ends.",
    invited_by="Windows: Python's open(…, 'w'), .NET's Environment.NewLine, PowerShell",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: text.replace("\n", "\r\n"))


@mistake(
    "byte-order-mark",
    says="result.json begins with a byte order mark",
    op="job_result",
    clause="003-3.3-text",
    why="The encoding called UTF-8 has one there.",
    invited_by=".NET's Encoding.UTF8, Windows PowerShell, utf-8-sig",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: "\ufeff" + text)


@mistake(
    "jackson-layout",
    says='result.json is laid out by Jackson: two spaces, "a" : 1, arrays on one line as [ 1, 2 ]',
    op="job_result",
    clause="003-3.3-text",
    why="It is the pretty-printer that comes with the library.",
    invited_by="Java: Jackson's DefaultPrettyPrinter",
)
def _(reference: Variant) -> None:
    json_text = reference.module("json_text")

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def text(tree: Any, margin: str = "") -> str:
            if isinstance(tree, json_text.JsonObject):
                inner = margin + "  "
                lines = [
                    f"{inner}{json_text._quoted(json_text._key(k))} : {text(v, inner)}"
                    for k, v in tree.members
                ]
                return "{\n" + ",\n".join(lines) + f"\n{margin}}}" if lines else "{ }"
            if isinstance(tree, list):
                return f"[ {', '.join(text(item, margin) for item in tree)} ]" if tree else "[ ]"
            return original(tree)

        return text

    reference.wrap("json_text.json_text", around)


@mistake(
    "empty-blocks-opened",
    says="empty objects and arrays are written over two lines",
    op="job_result",
    clause="003-3.3-text",
    why="A writer that puts a line end after each bracket needs no special case.",
    invited_by="hand-written writers, PHP's and Perl's pretty-printers, Boost.PropertyTree",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., str]) -> Callable[..., str]:
        def block(opening: str, entries: Any, closing: str, margin: str) -> str:
            listed = list(entries)
            return original(opening, listed, closing, margin) if listed else f"{opening}\n{margin}{closing}"

        return block

    reference.wrap("json_text._block", around)


@mistake(
    "sorted-members",
    says="the members of every object of result.json are sorted by name",
    op="job_result",
    clause="003-3.3-members",
    why="Sorted output is stable output.",
    invited_by="json.dumps(sort_keys=True), jq -S, serde_json's Value, Swift's .sortedKeys",
)
def _(reference: Variant) -> None:
    change_objects(reference, _sorted)


@mistake(
    "go-map-order",
    says="groups, metrics, rewards and exception types are sorted as text, as Go writes maps",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="Fields of a struct keep their order and maps have none, so the encoder sorts them.",
    invited_by="Go's encoding/json, Rust's BTreeMap, Java's TreeMap, C++'s std::map",
)
def _(reference: Variant) -> None:
    def maps(members: Members) -> Members:
        return members if {name for name, _ in members} & _FIELDS else _sorted(members)

    change_objects(reference, maps)


@mistake(
    "result-integer-keys-first",
    says="keys that look like ints come first, in ascending order",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="Properties of an object come in this order, whatever the order in which they were set.",
    invited_by="JavaScript and TypeScript objects used as maps",
)
def _(reference: Variant) -> None:
    def ints_first(members: Members) -> Members:
        ints = [member for member in members if _is_index(member[0])]
        return sorted(ints, key=lambda member: int(member[0])) + [
            member for member in members if not _is_index(member[0])
        ]

    change_objects(reference, ints_first)


@mistake(
    "result-proto-key-lost",
    says="a key __proto__ is lost",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="Setting it sets the object's prototype, not a property.",
    invited_by="JavaScript and TypeScript objects used as maps",
)
def _(reference: Variant) -> None:
    change_objects(reference, lambda members: [m for m in members if m[0] != "__proto__"])


@mistake(
    "repeated-keys-overwritten",
    says="of entries with the same key only the last is written",
    op="job_result",
    clause="003-3.3-reward-stats-nan",
    why="Keys are made text before they are put into the map.",
    invited_by="str(reward) as a dict key, JavaScript objects, Map<String, …> in Java",
)
def _(reference: Variant) -> None:
    change_objects(reference, lambda members: list(dict(members).items()))


@mistake(
    "nulls-left-out",
    says="members that are null are left out of result.json",
    op="job_result",
    clause="003-3.3-members",
    why="Absent and null mean the same to many readers.",
    invited_by="exclude_none=True, serde's skip_serializing_if, Jackson's NON_NULL, undefined in JavaScript",
)
def _(reference: Variant) -> None:
    change_objects(reference, lambda members: [m for m in members if m[1] is not None])


@mistake(
    "empty-members-left-out",
    says="members that are null, 0 or empty are left out of result.json",
    op="job_result",
    clause="003-3.3-members",
    why="omitempty is on every field, as it is in the examples.",
    invited_by="Go's omitempty, protobuf's JSON",
)
def _(reference: Variant) -> None:
    def kept(members: Members) -> Members:
        return [m for m in members if m[0] not in _FIELDS or not _is_empty(m[1])]

    change_objects(reference, kept)


@mistake(
    "pass-at-k-left-out",
    says="pass_at_k is left out where there is none",
    op="job_result",
    clause="003-4-empty-group-dropped",
    why="The document says that groups without one are dropped.",
    invited_by="optional fields, a reading of the document",
)
def _(reference: Variant) -> None:
    change_objects(reference, lambda members: [m for m in members if m[0] != "pass_at_k" or m[1].members])


@mistake(
    "pass-at-k-null",
    says="pass_at_k is null where there is none",
    op="job_result",
    clause="003-4-empty-group-dropped",
    why="Nothing was computed, and null says so.",
    invited_by="Optional fields in any language",
)
def _(reference: Variant) -> None:
    change_result(
        reference, ("stats", "evals", "*", "pass_at_k"), lambda given: given if given.members else None
    )


def _sorted(members: Members) -> Members:
    return sorted(members, key=lambda member: member[0])


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name and int(name) < 2**32 - 1


def _is_empty(value: Any) -> bool:
    return value in (None, 0) or getattr(value, "members", value) == []


_ALWAYS = (
    "id started_at updated_at finished_at n_total_trials stats n_completed_trials n_errored_trials "
    "n_running_trials n_pending_trials n_cancelled_trials n_retries evals n_input_tokens n_cache_tokens "
    "n_output_tokens cost_usd n_trials n_errors metrics pass_at_k reward_stats exception_stats"
)
_FIELDS = frozenset(_ALWAYS.split())
"""The members that every result has."""
