"""Mistakes in laying out ``result.json`` and in spelling its strings."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_objects, change_result
from reference_impl import json_text
from reference_impl.job_result import JobResult

mistakes = family("job_result", clause="003-3.3-text")
in_block = family("job_result", of=json_text._block, clause="003-3.3-text")
in_quoted = family("job_result", of=json_text._quoted, clause="003-3.3-string-text")
in_key = family("pipeline", of=json_text._key, clause="003-3.3-surrogates")
mistakes_in_pipeline = family("pipeline", clause="003-3.3-surrogates")
changed_result = way("job_result", clause="003-4-empty-group-dropped")(change_result)
changed_objects = way("job_result", clause="003-3.3-first-seen-order")(change_objects)
Members = list[tuple[str, Any]]


@way("job_result", clause="003-3.3-text")
def changed_text(reference: Variant, change: Callable[[str], str]) -> None:
    """Has the whole text of a result pass through ``change``."""
    reference.wrap(JobResult.text, lambda original: lambda self: change(original(self)))


@family("job_result", clause="003-3.3-text").each(
    Case(
        "two-space-indent",
        "result.json is indented by two spaces",
        "It is the default of most pretty-printers.",
        "serde_json's to_string_pretty, JSON.stringify(x, null, 2), Jackson, jq",
        "  ",
    ),
    Case(
        "tab-indent",
        "result.json is indented by tabs",
        "It is the habit of the language's own formatter.",
        'Go\'s json.MarshalIndent(x, "", "\\t"), jq --tab',
        "\t",
    ),
)
def indented(reference: Variant, indent: str) -> None:
    """Indents by something else than four spaces."""
    reference.replace((json_text, "INDENT"), indent)


@mistakes.changed(invited_by="JSON.stringify, encoding/json, serde_json::to_string, orjson")
def compact_json(reference: Variant) -> None:
    """result.json stands on one line, without spaces. JSON is for machines, and this is the default."""
    own = reference.its(json_text)

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def text(tree: Any, margin: str = "") -> str:
            if isinstance(tree, own.JsonObject):
                members = (f"{own._quoted(own._key(k))}:{text(v)}" for k, v in tree.members)
                return f"{{{','.join(members)}}}"
            return f"[{','.join(map(text, tree))}]" if isinstance(tree, list) else original(tree)

        return text

    reference.wrap(json_text.json_text, around)


@changed_text.made(invited_by="shell redirection, json.Encoder of Go, print and println, editors")
def final_newline(text: str) -> str:
    """result.json ends in a newline. A text file ends in one."""
    return text + "\n"


@changed_text.made(invited_by="Windows: Python's open(…, 'w'), .NET's Environment.NewLine, PowerShell")
def crlf_line_ends(text: str) -> str:
    """The lines of result.json end in CR LF. A file opened as text translates line ends."""
    return text.replace("\n", "\r\n")


@changed_text.made(invited_by=".NET's Encoding.UTF8, Windows PowerShell, utf-8-sig")
def byte_order_mark(text: str) -> str:
    """result.json begins with a byte order mark. The encoding called UTF-8 has one there."""
    return "\ufeff" + text


@mistakes.changed(invited_by="Java: Jackson's DefaultPrettyPrinter")
def jackson_layout(reference: Variant) -> None:
    """result.json is laid out by Jackson: two spaces, "a" : 1, arrays on one line as [ 1, 2 ].
    It is the pretty-printer that comes with the library."""
    own = reference.its(json_text)

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def text(tree: Any, margin: str = "") -> str:
            if isinstance(tree, own.JsonObject):
                inner = margin + "  "
                lines = [f"{inner}{own._quoted(own._key(k))} : {text(v, inner)}" for k, v in tree.members]
                return "{\n" + ",\n".join(lines) + f"\n{margin}}}" if lines else "{ }"
            if isinstance(tree, list):
                return f"[ {', '.join(text(item, margin) for item in tree)} ]" if tree else "[ ]"
            return original(tree)

        return text

    reference.wrap(json_text.json_text, around)


@in_block.wrapped(invited_by="hand-written writers, PHP's and Perl's pretty-printers, Boost.PropertyTree")
def empty_blocks_opened(
    original: Callable[..., str], opening: str, entries: Any, closing: str, margin: str
) -> str:
    """Empty objects and arrays are written over two lines.
    A writer that puts a line end after each bracket needs no special case."""
    listed = list(entries)
    return original(opening, listed, closing, margin) if listed else f"{opening}\n{margin}{closing}"


@changed_objects.made(
    clause="003-3.3-members",
    invited_by="json.dumps(sort_keys=True), jq -S, serde_json's Value, Swift's .sortedKeys",
)
def sorted_members(members: Members) -> Members:
    """The members of every object of result.json are sorted by name. Sorted output is stable output."""
    return _sorted(members)


@changed_objects.made(invited_by="Go's encoding/json, Rust's BTreeMap, Java's TreeMap, C++'s std::map")
def go_map_order(members: Members) -> Members:
    """Groups, metrics, rewards and exception types are sorted as text, as Go writes maps.
    Fields of a struct keep their order and maps have none, so the encoder sorts them."""
    return members if {name for name, _ in members} & _FIELDS else _sorted(members)


@changed_objects.made(invited_by="JavaScript and TypeScript objects used as maps")
def result_integer_keys_first(members: Members) -> Members:
    """Keys that look like ints come first, in ascending order.
    Properties of an object come in this order, whatever the order in which they were set."""
    ints = [member for member in members if _is_index(member[0])]
    return sorted(ints, key=lambda member: int(member[0])) + [
        member for member in members if not _is_index(member[0])
    ]


@changed_objects.made(
    clause="003-3.3-reward-stats", invited_by="JavaScript and TypeScript objects used as maps"
)
def result_proto_key_lost(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """A key __proto__ is lost. Setting it sets the object's prototype, not a property."""
    return [m for m in members if m[0] != "__proto__"]


@changed_objects.made(
    clause="003-3.3-reward-stats-nan",
    invited_by="str(reward) as a dict key, JavaScript objects, Map<String, …> in Java",
)
def repeated_keys_overwritten(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Of entries with the same key only the last is written.
    Keys are made text before they are put into the map."""
    return list(dict(members).items())


@changed_objects.made(
    clause="003-3.3-members",
    invited_by="exclude_none=True, serde's skip_serializing_if, Jackson's NON_NULL, undefined in JavaScript",
)
def nulls_left_out(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Members that are null are left out of result.json. Absent and null mean the same to many readers."""
    return [m for m in members if m[1] is not None]


@changed_objects.made(clause="003-3.3-members", invited_by="Go's omitempty, protobuf's JSON")
def empty_members_left_out(members: Members) -> Members:
    """Members that are null, 0 or empty are left out of result.json.
    omitempty is on every field, as it is in the examples."""
    return [m for m in members if m[0] not in _FIELDS or not _is_empty(m[1])]


@changed_objects.made(
    clause="003-4-empty-group-dropped", invited_by="optional fields, a reading of the document"
)
def pass_at_k_left_out(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """pass_at_k is left out where there is none. The document says that groups without one are dropped."""
    return [m for m in members if m[0] != "pass_at_k" or m[1].members]


@changed_result.made(("stats", "evals", "*", "pass_at_k"), invited_by="Optional fields in any language")
def pass_at_k_null(given: Any) -> Any:
    """pass_at_k is null where there is none. Nothing was computed, and null says so."""
    return given if given.members else None


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


@way("job_result", clause="003-3.3-string-text")
def escaped(reference: Variant, escape: Callable[[str], str], pattern: str) -> None:
    """Has what matches ``pattern`` in a string's text written by ``escape``."""
    found = re.compile(pattern)

    def around(original: Callable[[str], str]) -> Callable[[str], str]:
        return lambda text: found.sub(lambda match: escape(match[0]), original(text))

    reference.wrap(json_text._quoted, around)


def _u_escape(text: str) -> str:
    return f"\\u{ord(text):04x}"


@in_quoted.replaced(
    invited_by="Python's json.dumps, PHP's json_encode, Ruby's ascii_only, Newtonsoft's EscapeNonAscii"
)
def ascii_escapes(text: Any) -> Any:
    r"""Characters beyond ASCII are escaped: \u00e9. It is the default, and any reader can take it."""
    return json.dumps(text)


@escaped.made("[<>&\u2028\u2029]", invited_by="Go's encoding/json, which has SetEscapeHTML(false)")
def html_escapes(_: str) -> str:
    """<, > and &, U+2028 and U+2029 are escaped.
    The text could end up in a script element; it is the encoder's default."""
    return _u_escape(_)


@escaped.made(
    "[\u2028\u2029]",
    invited_by="Gson, fastjson, PHP with JSON_UNESCAPED_UNICODE, serializers for script elements",
)
def line_separators_escaped(_: str) -> str:
    """U+2028 and U+2029 are escaped. JavaScript before 2019 took them for line ends inside a string."""
    return _u_escape(_)


@escaped.made("/", invited_by="PHP's json_encode, Swift's and Objective-C's JSONSerialization")
def slash_escaped(_: str) -> str:
    r"""The slash is escaped: \/. It guards </script>, and JSON allows it."""
    return "\\/"


@escaped.made("\x7f", invited_by="jq, System.Text.Json, writers that test for printable characters")
def delete_escaped(_: str) -> str:
    r"""U+007F is escaped: \u007f. It is a control character as well."""
    return _u_escape(_)


@escaped.made(r"\\.", invited_by="Go's encoding/json before 1.22, hand-written escaping")
def short_escapes_missing(pair: str) -> str:
    r"""Backspace and form feed are written \u0008 and \u000c, not \b and \f.
    Only the escapes that people know have a letter."""
    return {"\\b": "\\u0008", "\\f": "\\u000c"}.get(pair, pair)


@escaped.made(r"\\(?:u[0-9a-f]{4}|.)", invited_by="Jackson, System.Text.Json, printf's %04X")
def upper_case_escapes(pair: str) -> str:
    r"""Escapes have upper-case digits: \u001B. Some libraries write hexadecimal digits so."""
    return "\\u" + pair[2:].upper() if pair.startswith("\\u") else pair


@escaped.made(r"\\(?:u[0-9a-f]{4}|.)", invited_by="string templates and replace() chains in shell, awk, C")
def control_characters_raw(pair: str) -> str:
    """Control characters but for the five with a letter are written as they are.
    Only quotes, backslashes and line ends come to mind."""
    return chr(int(pair[2:], 16)) if pair.startswith("\\u") else pair


@in_quoted.wrapped(invited_by="Swift's string comparison, file systems, databases, clean-up of names")
def nfc_strings(original: Callable[..., Any], text: Any) -> Any:
    """Names are normalised to composed characters (NFC). Equal-looking names should be equal."""
    return original(unicodedata.normalize("NFC", text))


@in_key.replaced(invited_by="JavaScript's TextEncoder, Java's getBytes, Go, .NET")
def single_replacement_character(text: Any) -> Any:
    """A lone surrogate in a key becomes one U+FFFD instead of three.
    One bad unit is one replacement in UTF-16, three bad bytes in UTF-8."""
    return _LONE_SURROGATE.sub("\ufffd", text)


@mistakes_in_pipeline.changed(invited_by="JSON.stringify since ES2019, Python's json.dumps")
def lone_surrogate_escaped(reference: Variant) -> None:
    r"""A lone surrogate in a key is escaped: \ud800. The escape is valid JSON, and nothing is lost."""
    reference.replace(json_text._key, lambda text: text)
    escaped(reference, _u_escape, _LONE_SURROGATE.pattern)


@mistakes_in_pipeline.changed(invited_by="Python's str.encode, Rust's String, Swift")
def lone_surrogate_refused(reference: Variant) -> None:
    """A lone surrogate in a key cannot be written. It is no character, and encoding it raises."""
    reference.replace(json_text._key, reference.get(json_text.printable))


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
