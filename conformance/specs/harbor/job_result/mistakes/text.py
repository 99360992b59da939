"""Mistakes in the text of ``result.json``: its layout, and the spelling of numbers."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import NON_FINITE, by_java, by_javascript, spelled
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_objects
from reference_impl import json_text
from reference_impl.job_result import JobResult

changed_objects = way("job_result", clause="003-3.3-first-seen-order")(change_objects)
Members = list[tuple[str, Any]]


@family("job_result", clause="003-3.3-text").changed(
    invited_by="serde_json's to_string_pretty, JSON.stringify(x, null, 2), Jackson, jq"
)
def two_space_indent(reference: Variant) -> None:
    """result.json is indented by two spaces. Most pretty-printers do so by default."""
    reference.replace((json_text, "INDENT"), "  ")


@family("job_result", of=JobResult.text, clause="003-3.3-text").wrapped(
    invited_by=".NET's Encoding.UTF8, Windows PowerShell, utf-8-sig"
)
def byte_order_mark(text: Callable[..., str], self: Any) -> str:
    """result.json begins with a byte order mark. .NET's Encoding.UTF8 and some editors write one."""
    return "\ufeff" + text(self)


@changed_objects.made(
    clause="003-3.3-members",
    invited_by="json.dumps(sort_keys=True), jq -S, serde_json's Value, Swift's .sortedKeys",
)
def sorted_members(members: Members) -> Members:
    """The members of every object of result.json are sorted by name. Sorted output is reproducible."""
    return _sorted(members)


@changed_objects.made(invited_by="Go's encoding/json, Rust's BTreeMap, Java's TreeMap, C++'s std::map")
def go_map_order(members: Members) -> Members:
    """Groups, metrics, rewards and exception types are sorted as text, as Go writes maps.
    The fields of a struct have an order; maps have none, so the encoder sorts them."""
    return members if {name for name, _ in members} & _FIELDS else _sorted(members)


@changed_objects.made(
    clause="003-3.3-members",
    invited_by="exclude_none=True, serde's skip_serializing_if, Jackson's NON_NULL, undefined in JavaScript",
)
def nulls_left_out(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Members that are null are left out of result.json. Many readers treat absent and null alike."""
    return [m for m in members if m[1] is not None]


@changed_objects.made(
    clause="003-4-empty-group-dropped", invited_by="optional fields, a reading of the document"
)
def pass_at_k_left_out(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """pass_at_k is left out if there is none. The document says that groups without one are dropped."""
    return [m for m in members if m[0] != "pass_at_k" or m[1].members]


def _sorted(members: Members) -> Members:
    return sorted(members, key=lambda member: member[0])


_ALWAYS = (
    "id started_at updated_at finished_at n_total_trials stats n_completed_trials n_errored_trials "
    "n_running_trials n_pending_trials n_cancelled_trials n_retries evals n_input_tokens n_cache_tokens "
    "n_output_tokens cost_usd n_trials n_errors metrics pass_at_k reward_stats exception_stats"
)
_FIELDS = frozenset(_ALWAYS.split())
"""The members that every result has."""
in_float_text = family("job_result", of=json_text._float_text, clause="003-3.3-number-text")
in_number_key = family("job_result", of=json_text.number_key, clause="003-3.3-key-text")


@way("job_result", clause="003-3.3-number-text")
def finite(reference: Variant, text: Callable[[float], str]) -> None:
    """Spells the finite floats that are values with ``text``."""
    reference.wrap(
        json_text._float_text,
        lambda original: lambda number: text(number) if math.isfinite(number) else original(number),
    )


@finite.made(invited_by="JavaScript, TypeScript")
def javascript_numbers(number: float) -> str:
    """Floats are written as JSON.stringify writes them: 100 for 100.0, 0.000001, 1e+21.
    JavaScript has one kind of number, and writes an exponent only from 1e21 on and below 1e-6."""
    return by_javascript(number)


@finite.made(invited_by="Go's encoding/json")
def go_json_numbers(number: float) -> str:
    """Floats are written as Go's encoding/json writes them: 100 for 100.0, -0, 1e+21.
    The encoder follows JavaScript, except for the sign of zero."""
    return spelled(number, range(-6, 21), "e{:+d}", whole="")


@finite.made(invited_by="Go's strconv.FormatFloat(x, 'g', -1, 64) and fmt's %v")
def go_g_numbers(number: float) -> str:
    """Floats are written with Go's format 'g': an exponent of two digits below 1e-4 and from 1e+06 on.
    'g' is the format with the fewest digits."""
    return spelled(number, range(-4, 6), "e{:+03d}", whole="")


@finite.made(
    clause="003-3.3-exponent-sign", invited_by="Rust: ryu, serde_json while it used ryu; pydantic before 2.13"
)
def rust_ryu_exponents(number: float) -> str:
    """Large floats have an exponent without a plus sign, 1e16.
    The ryu crate writes them so, and pydantic did before 2.13."""
    return spelled(number, range(-5, 16), "e{}")


@finite.made(invited_by="Rust's format!")
def rust_debug_numbers(number: float) -> str:
    """Floats are written with Rust's {:?}: 1e-5 and 1e16.
    It keeps the .0 of whole numbers, which {} drops."""
    return spelled(number, range(-4, 16), "e{}", ties_up=True)


@finite.made(invited_by="Rust's to_string; formats such as %f with trailing zeros cut")
def rust_display_numbers(number: float) -> str:
    """Floats are written with Rust's {}: never an exponent, and 1 for 1.0.
    to_string is the obvious choice."""
    return spelled(number, range(-400, 400), "", whole="", ties_up=True)


@finite.made(invited_by="Rust's {:e} as a source of digits")
def rust_ties(number: float) -> str:
    """If two shortest spellings of a float are equally near, the greater is written: ...944.3 for ...944.25.
    Rust's formatting rounds such ties up; it shows from 2**49 on, where doubles are an eighth apart."""
    return spelled(number, range(-5, 16), "e{:+d}", ties_up=True)


@finite.made(invited_by="Java, Kotlin, Scala")
def java_numbers(number: float) -> str:
    """Floats are written as Java writes them: 1.0E-4, 1.0E7, 4.9E-324.
    Jackson, Gson and string concatenation all use Double.toString."""
    return by_java(number)


@finite.made(invited_by="C#, F#")
def dotnet_numbers(number: float) -> str:
    """Floats are written as .NET writes them: 1E-05, 1E+15, and 1 for 1.0.
    System.Text.Json writes what ToString gives."""
    return spelled(number, range(-4, 15), "E{:+03d}", whole="")


@finite.made(invited_by="C++: nlohmann/json")
def cpp_json_numbers(number: float) -> str:
    """Floats are written as nlohmann's JSON for C++ writes them: 1e-05, and exponents from 1e+15 on.
    Its limit is the 15 digits that every double preserves."""
    return spelled(number, range(-4, 15), "e{:+03d}")


@finite.made(invited_by="C's printf, C++ streams, older JSON libraries")
def result_in_seventeen_digits(number: float) -> str:
    """Floats are written with 17 digits: 0.10000000000000001, 1 for 1.0.
    %.17g is the classic way to preserve every bit."""
    return f"{number:.17g}"


@in_float_text.wrapped(
    clause="003-6-nan-in-result",
    invited_by="Python's json, simplejson, Gson, Go and Rust writers made lenient",
)
def nan_spelled_out(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as NaN, Infinity and -Infinity, not as null.
    json.dumps allows it by default."""
    return NON_FINITE.get(repr(number)) or original(number)


@in_number_key.wrapped(invited_by="Go's %v, Rust's {}, Ruby, PHP; int(reward) where it is whole")
def whole_keys_as_ints(original: Callable[..., Any], number: Any) -> Any:
    """Whole rewards that are keys lose .0: "1" for 1.0.
    Most people think of rewards as 0 and 1."""
    return original(number).removesuffix(".0")


@in_number_key.wrapped(
    clause="003-3.3-reward-stats",
    invited_by="dict[str, float], Go's float64, Rust's f64, numpy and pandas columns",
)
def keys_always_floats(original: Callable[..., Any], number: Any) -> Any:
    """Int rewards that are keys are spelled as floats: "1.0" for 1.
    A reward's type is float."""
    return original(_as_double(number))


def _as_double(number: Any) -> Any:
    """The nearest double, or the int itself if there is none."""
    try:
        return float(number)
    except OverflowError:
        return number


@family("job_result", clause="003-3.3-key-text").each(
    Case(
        "rust-display-keys",
        'rewards that are keys are spelled by Rust\'s {}: "1" for 1.0, "NaN", and never an exponent',
        "A key is a text, and format!() makes one.",
        'Rust\'s to_string() and format!("{}")',
        lambda number: (
            rust_display_numbers(number) if math.isfinite(number) else str(number).replace("nan", "NaN")
        ),
    ),
    Case(
        "javascript-keys",
        'rewards that are keys are spelled by JavaScript: "1" for 1.0, "0" for -0.0, "NaN", "Infinity"',
        "A property's name is a text, and String() makes one.",
        "JavaScript's objects, String(reward), template literals",
        lambda number: by_javascript(number or 0.0) if math.isfinite(number) else NON_FINITE[repr(number)],
    ),
)
def _keys_spelled(reference: Variant, spell: Callable[[float], str]) -> None:
    reference.wrap(
        json_text.number_key,
        lambda original: lambda number: spell(number) if isinstance(number, float) else original(number),
    )
