"""What readers of the document alone understood of how scores and results are written as JSON."""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.json_lines import as_text
from reference_impl.runner.wire import decode_content

in_decode_json = family("harness.score", of=described.decode_json, clause="004-8-normalised")
in_as_dict = family("harness.score", of=score_rules.Score.as_dict, clause="004-8-normalised")


def _written(value: Any, text: Callable[[str], str], number: Callable[[Any], str]) -> str:
    """JSON as Python writes it, but for its texts and numbers."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(item, text, number) for item in value)}]"
    if isinstance(value, dict):
        names = {name: json.loads(json.dumps({name: 0})[1:-4]) for name in value}
        members = (f"{text(names[name])}: {_written(it, text, number)}" for name, it in value.items())
        return f"{{{', '.join(members)}}}"
    return json.dumps(value) if value is None or isinstance(value, bool) else number(value)


@way("harness.score", clause="004-8-json-record")
def texts(reference: Variant, text: Callable[[str], str]) -> None:
    """Changes how texts are written."""
    reference.replace(as_text, lambda value: _written(value, text, json.dumps))


@way("harness.score", clause="004-8-json-record")
def floats(reference: Variant, number: Callable[[float], str]) -> None:
    """Changes how floats are written."""
    either = lambda it: number(it) if isinstance(it, float) else json.dumps(it)  # noqa: E731
    reference.replace(as_text, lambda value: _written(value, json.dumps, either))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


@in_as_dict.wrapped(invited_by="Go's maps, BTreeMap")
def harness_metadata_sorted(as_dict: Callable[[Any], Any], score: Any) -> Any:
    """Members inside a score's metadata are sorted by name. Some maps keep no other order."""
    members = as_dict(score)
    return {name: _sorted(it) if name == "metadata" else it for name, it in members.items()}


@in_decode_json.wrapped(invited_by="parsers that keep the first")
def harness_first_duplicate_kept(decode: Callable[[Any], Any], content: Any) -> Any:
    """Of members with the same name in a file of JSON the first is kept. The standard leaves it open."""
    value = decode(content)
    if content is None:
        return value
    first = lambda members: dict(reversed(members))  # noqa: E731
    backwards = json.loads(decode_content(content).decode("utf-8"), object_pairs_hook=first)
    return _in_order(value, backwards)


def _in_order(order: Any, value: Any) -> Any:
    if isinstance(order, dict) and isinstance(value, dict):
        return {name: _in_order(order[name], value[name]) for name in order}
    if isinstance(order, list) and isinstance(value, list) and len(order) == len(value):
        return [_in_order(one, other) for one, other in zip(order, value, strict=True)]
    return value


@texts.made(invited_by="encoding/json of Go")
def harness_html_escaped(text: str) -> str:
    """The characters <, > and & are escaped in what is written. JSON may stand in a page."""
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text))


@texts.made(invited_by="{:04X}")
def harness_escapes_in_capitals(text: str) -> str:
    """The hexadecimal digits of escapes are capitals. Code points are usually written so."""
    capital = lambda found: f"\\u{found[1].upper()}" if found[1] else found[0]  # noqa: E731
    return re.sub(r"\\u([0-9a-f]{4})|\\(.)", capital, json.dumps(text))


@texts.made(invited_by="bytes >= 0x80, RFC 8259")
def harness_delete_unescaped(text: str) -> str:
    """The character U+007F stands unescaped in what is written. It is within ASCII."""
    plain = lambda found: "\x7f" if found[1] else found[0]  # noqa: E731
    return re.sub(r"\\(u007f)|\\(.)", plain, json.dumps(text))


@texts.made(invited_by="json_encode of PHP")
def harness_slashes_escaped(text: str) -> str:
    """Slashes are escaped in what is written. JSON allows it."""
    return json.dumps(text).replace("/", "\\/")


@texts.made(invited_by="String of Rust, encoding/json of Go")
def harness_lone_surrogates_replaced(text: str) -> str:
    """Half a surrogate pair is written as U+FFFD. Texts of most languages cannot hold one."""
    return json.dumps(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


@floats.made(invited_by="JavaScript, Rust, Go's shortest formats")
def harness_exponents_short(number: float) -> str:
    """Exponents of written floats have no zero in front. 1e-7 says all that 1e-07 does."""
    return json.dumps(number).replace("e-0", "e-").replace("e+0", "e+")


@floats.made(invited_by="JSON.stringify")
def harness_whole_floats_as_ints(number: float) -> str:
    """Whole floats are written without a fraction. 1.0 and 1 are one number there."""
    return json.dumps(number).removesuffix(".0")


@floats.made(invited_by="JavaScript, which changes at 1e21")
def harness_large_floats_in_full(number: float) -> str:
    """Floats from 1e16 up to 1e21 are written without an exponent. Where exponents begin is a habit."""
    return f"{number:.1f}" if 1e16 <= abs(number) < 1e21 else json.dumps(number)


@floats.made(invited_by="JavaScript, which changes at 1e-6")
def harness_small_floats_in_full(number: float) -> str:
    """Floats from 1e-6 up to 1e-4 are written without an exponent. Where exponents begin is a habit."""
    return f"{Decimal(repr(number)):f}" if 1e-6 <= abs(number) < 1e-4 else json.dumps(number)


@floats.made(invited_by="JSON.stringify, serde_json")
def harness_nan_written_as_null(number: float) -> str:
    """NaN and the infinities are written as null. JSON has no such numbers."""
    return json.dumps(number) if math.isfinite(number) else "null"


@family("harness.score", of=as_text, clause="004-8-json-record").replaced(invited_by="JavaScript, f64")
def harness_big_ints_as_doubles(value: Any) -> str:
    """Ints beyond 2**53 lose their last digits. All numbers are doubles in some languages."""

    def number(it: Any) -> str:
        return str(int(float(it))) if isinstance(it, int) and 2**53 < abs(it) < 2**1023 else json.dumps(it)

    return _written(value, json.dumps, number)
