"""Properties of every reading of reward files."""

import json
import math
from typing import Any

from conformance.drawing.files import (
    JSON_SPACE,
    json_object,
    json_value_text,
    reward_json_text,
    valid_members,
    valid_value,
)
from conformance.drawing.numbers import double, integer
from conformance.drawing.rewards import key
from conformance.drawing.source import Source
from conformance.drawing.texts import as_content, content, number_text, reward_text, spaces
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.wire.numbers import spell

__all__: list[str] = []

_OP = "parse_reward"
_EMPTY = as_content("")


def _text(text: str) -> dict[str, Any]:
    return {"files": {"reward.txt": as_content(text)}}


def _json(text: str) -> dict[str, Any]:
    return {"files": {"reward.json": as_content(text)}}


def _object(members: list[tuple[str, str]]) -> dict[str, Any]:
    return _json("{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in members) + "}")


@holds(
    "parse-reward-json-hides-text",
    lambda source: (content(source, reward_json_text(source)), content(source, reward_text(source))),
)
def _json_hides_text(asker: Asker, drawn: Any) -> None:
    written, hidden = drawn
    both = {"files": {"reward.txt": hidden, "reward.json": written}}
    asker.same(_OP, {"files": {"reward.json": written}}, both, "reward.txt counts next to reward.json")


@holds(
    "parse-reward-empty-json-is-final",
    lambda source: content(source, number_text(source) if source.below(2) else ""),
)
def _empty_json_is_final(asker: Asker, reward_txt: Any) -> None:
    asker.refused(_OP, {"files": {"reward.json": _EMPTY, "reward.txt": reward_txt}}, "RewardFileEmptyError")


@holds("parse-reward-space-around-text", lambda source: (number_text(source), spaces(source), spaces(source)))
def _space_around_text(asker: Asker, drawn: Any) -> None:
    text, before, after = drawn
    asker.same(_OP, _text(text), _text(before + text + after), "white space around the number matters")


@holds("parse-reward-final-line-feed", number_text)
def _final_line_feed(asker: Asker, text: str) -> None:
    asker.same(_OP, _text(text), _text(text + "\n"), "a final line feed matters")


@holds(
    "parse-reward-white-space-is-no-number",
    lambda source: (spaces(source), source.pick((" ", "\n", "\x85", "\u3000"))),
)
def _white_space_is_no_number(asker: Asker, drawn: Any) -> None:
    asker.refused(_OP, _text("".join(drawn)), "VerifierOutputParseError")


@holds("parse-reward-text-equals-json-float", double)
def _text_equals_json_float(asker: Asker, number: float) -> None:
    why = "the same float differs between the files"
    asker.same(_OP, _text(repr(number)), _json(f'{{"reward": {number!r}}}'), why)


@holds("parse-reward-text-is-always-float", integer)
def _text_is_always_float(asker: Asker, number: int) -> None:
    why = "an int in reward.txt is not the float that it spells"
    asker.same(_OP, _text(str(number)), _json(f'{{"reward": {number}.0}}'), why)


@holds("parse-reward-sign-mirrors", lambda source: abs(double(source)))
def _sign_mirrors(asker: Asker, number: float) -> None:
    plus, minus = (asker.ok(_OP, _text(sign + repr(number)))["rewards"]["reward"] for sign in ("", "-"))
    asker.equal(-plus, minus, "the reward with a minus")


@holds("parse-reward-read-back", double)
def _read_back(asker: Asker, number: float) -> None:
    """The shortest digits of a double are read as the same double."""
    for files in (_text(repr(number)), _json(f'{{"reward": {number!r}}}')):
        asker.equal(number, asker.ok(_OP, files)["rewards"]["reward"], "the reward")


@holds("parse-reward-ints-kept", integer)
def _ints_kept(asker: Asker, number: int) -> None:
    asker.equal(number, asker.ok(_OP, _json(f'{{"reward": {number}}}'))["rewards"]["reward"], "the reward")


@holds(
    "parse-reward-json-space",
    lambda source: (valid_members(source), source.several(4, lambda source: source.pick(JSON_SPACE))),
)
def _json_space(asker: Asker, drawn: Any) -> None:
    members, space = drawn
    tokens = ["{", *(token for name, value in members for token in (json.dumps(name), ":", value, ",")), "}"]
    del tokens[-2]
    spread = "".join(token + space[index % len(space)] for index, token in enumerate(tokens))
    asker.same(_OP, _json("".join(tokens)), _json(spread), "white space between tokens matters")


@holds("parse-reward-json-escapes", valid_members)
def _json_escapes(asker: Asker, members: Any) -> None:
    ascii_only, literal = (
        ", ".join(f"{json.dumps(name, ensure_ascii=escaped)}: {value}" for name, value in members)
        for escaped in (True, False)
    )
    asker.same(_OP, _json(f"{{{ascii_only}}}"), _json(f"{{{literal}}}"), "how a key is escaped matters")


def _in_two_orders(source: Source) -> tuple[list[Any], list[Any]]:
    members = valid_members(source, 2)
    return members, source.shuffled(members)


@holds("parse-reward-key-order", _in_two_orders)
def _key_order(asker: Asker, orders: Any) -> None:
    left, right = (asker.ok(_OP, _object(members))["rewards"] for members in orders)
    if asker.level is Level.BYTES:
        asker.equal([name for name, _ in orders[1]], list(right), "the list of keys")
    for name in left:
        asker.equal(left[name], right.get(name), f"the reward of {name!a} in another order")


@holds(
    "parse-reward-last-duplicate-wins",
    lambda source: (valid_members(source), valid_value(source), source.below(3)),
)
def _last_duplicate_wins(asker: Asker, drawn: Any) -> None:
    members, value, index = drawn
    again = members[index % len(members)][0]
    replaced = [(name, value if name == again else old) for name, old in members]
    twice = _object([*members, (again, value)])
    asker.same(
        _OP, _object(replaced), twice, "a duplicate key does not have the last value at the first position"
    )


_NO_NUMBERS = ("null", "[]", "{}", '""', '"x"', "[1]", '"0x1"', '"1__0_"', '"\u0663"')


@holds(
    "parse-reward-one-bad-value-refuses-all",
    lambda source: (valid_members(source, 0), source.pick(_NO_NUMBERS), source.below(4)),
)
def _one_bad_value_refuses_all(asker: Asker, drawn: Any) -> None:
    members, bad, index = drawn
    asker.refused(_OP, _object([*members[:index], ("bad", bad), *members[index:]]), "ValidationError")


def _no_object(source: Source) -> str:
    text = json_value_text(source)
    return text if text[0] in '["tf' else str(integer(source))


@holds("parse-reward-no-object-no-rewards", _no_object)
def _no_object_no_rewards(asker: Asker, text: str) -> None:
    asker.refused(_OP, _json(text), "ValidationError")


@holds(
    "parse-reward-bool-is-float",
    lambda source: (key(source), bool(source.below(2)), valid_members(source, 0)),
)
def _bool_is_float(asker: Asker, drawn: Any) -> None:
    name, value, members = drawn
    kept = [member for member in members if member[0] != name]
    bools = _object([*kept, (name, json.dumps(value))])
    asker.same(
        _OP, bools, _object([*kept, (name, "1.0" if value else "0.0")]), "a bool is not the float 1.0 or 0.0"
    )


def _spelled(source: Source) -> int | float:
    if source.below(2) == 0:
        return double(source)
    value = integer(source)
    return value if abs(value) < 10**308 else 0


@holds(
    "parse-reward-string-is-float",
    lambda source: (key(source), _spelled(source), source.pick(("", " ", "\n", "\t", "\xa0"))),
)
def _string_is_float(asker: Asker, drawn: Any) -> None:
    name, number, space = drawn
    text = json.dumps(space + str(spell(number)) + space)
    why = "a number in a string is not the float that it spells"
    asker.same(_OP, _object([(name, text)]), _object([(name, repr(float(number)))]), why)


@holds("parse-reward-only-numbers", lambda source: json_object(source, valid_members(source)))
def _only_numbers(asker: Asker, text: str) -> None:
    rewards = asker.ok(_OP, _json(text))["rewards"]
    for name, value in rewards.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        asker.holds(number, f"the reward of {name!a} is {value!r}, not a number")


@holds(
    "parse-reward-underscores-between-digits", lambda source: (abs(integer(source)), source.between(1, 20))
)
def _underscores_between_digits(asker: Asker, drawn: Any) -> None:
    digits, index = str(drawn[0]), drawn[1]
    split = f"{digits[:index]}_{digits[index:]}" if index < len(digits) else digits
    asker.same(_OP, _text(digits), _text(split), "an underscore between digits matters")


@holds("terminal-bench-reward-two-files", lambda source: source.between(1, 255))
def _two_files(asker: Asker, exit_code: int) -> None:
    why = "the exit code of a failed test matters"
    asker.same("terminal_bench_reward", {"exit_code": 1}, {"exit_code": exit_code}, why)


@holds("terminal-bench-reward-reads-back", lambda source: source.below(6))
def _reads_back(asker: Asker, exit_code: int) -> None:
    files = asker.ok("terminal_bench_reward", {"exit_code": exit_code})
    reward = asker.ok(_OP, {"files": {"reward.txt": files["reward.txt"]}})["rewards"]["reward"]
    asker.holds(not math.isnan(reward), "the file does not hold a number")
    asker.equal(1.0 if exit_code == 0 else 0.0, reward, f"the reward for exit code {exit_code}")
