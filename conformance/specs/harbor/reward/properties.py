"""What holds of every reading of reward files."""

import json
import math
from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.files import (
    JSON_SPACE,
    as_content,
    contents,
    json_texts,
    json_values,
    number_texts,
    reward_json_texts,
    reward_texts,
    spaces,
    valid_members,
    valid_values,
)
from conformance.drawing.strategies.numbers import doubles, ints
from conformance.drawing.strategies.rewards import keys
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
    return _json("{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in members) + "}")


@holds("parse-reward-json-hides-text", st.tuples(contents(reward_json_texts()), contents(reward_texts())))
def _json_hides_text(asker: Asker, given: Any) -> None:
    written, hidden = given
    both = {"files": {"reward.txt": hidden, "reward.json": written}}
    asker.same(_OP, {"files": {"reward.json": written}}, both, "reward.txt counts beside reward.json")


@holds("parse-reward-empty-json-is-final", contents(st.one_of(number_texts, st.just(""))))
def _empty_json_is_final(asker: Asker, given: Any) -> None:
    asker.refused(_OP, {"files": {"reward.json": _EMPTY, "reward.txt": given}}, "RewardFileEmptyError")


@holds("parse-reward-space-around-text", st.tuples(number_texts, spaces, spaces))
def _space_around_text(asker: Asker, given: Any) -> None:
    text, before, after = given
    asker.same(_OP, _text(text), _text(before + text + after), "white space around the number matters")


@holds("parse-reward-final-line-feed", number_texts)
def _final_line_feed(asker: Asker, given: str) -> None:
    asker.same(_OP, _text(given), _text(given + "\n"), "a final line feed matters")


@holds(
    "parse-reward-white-space-is-no-number", st.tuples(spaces, st.sampled_from((" ", "\n", "\x85", "\u3000")))
)
def _white_space_is_no_number(asker: Asker, given: Any) -> None:
    asker.refused(_OP, _text("".join(given)), "VerifierOutputParseError")


@holds("parse-reward-text-equals-json-float", doubles)
def _text_equals_json_float(asker: Asker, given: float) -> None:
    why = "the same float differs between the files"
    asker.same(_OP, _text(repr(given)), _json(f'{{"reward": {given!r}}}'), why)


@holds("parse-reward-text-is-always-float", ints)
def _text_is_always_float(asker: Asker, given: int) -> None:
    why = "an int in reward.txt is not the float that it spells"
    asker.same(_OP, _text(str(given)), _json(f'{{"reward": {given}.0}}'), why)


@holds("parse-reward-sign-mirrors", doubles.map(abs))
def _sign_mirrors(asker: Asker, given: float) -> None:
    plus, minus = (asker.ok(_OP, _text(sign + repr(given)))["rewards"]["reward"] for sign in ("", "-"))
    asker.equal(-plus, minus, "the reward with a minus")


@holds("parse-reward-read-back", doubles)
def _read_back(asker: Asker, given: float) -> None:
    """The shortest digits of a double are read as that double."""
    for one in (_text(repr(given)), _json(f'{{"reward": {given!r}}}')):
        asker.equal(given, asker.ok(_OP, one)["rewards"]["reward"], "the reward")


@holds("parse-reward-ints-kept", ints)
def _ints_kept(asker: Asker, given: int) -> None:
    asker.equal(given, asker.ok(_OP, _json(f'{{"reward": {given}}}'))["rewards"]["reward"], "the reward")


_spaced = st.tuples(valid_members(), st.lists(st.sampled_from(JSON_SPACE), min_size=1, max_size=4))


@holds("parse-reward-json-space", _spaced)
def _json_space(asker: Asker, given: Any) -> None:
    members, space = given
    tokens = ["{", *(token for key, value in members for token in (json.dumps(key), ":", value, ",")), "}"]
    del tokens[-2]
    spread = "".join(token + space[index % len(space)] for index, token in enumerate(tokens))
    asker.same(_OP, _json("".join(tokens)), _json(spread), "white space between tokens matters")


@holds("parse-reward-json-escapes", valid_members())
def _json_escapes(asker: Asker, given: Any) -> None:
    one, other = (
        ", ".join(f"{json.dumps(key, ensure_ascii=escaped)}: {value}" for key, value in given)
        for escaped in (True, False)
    )
    asker.same(_OP, _json(f"{{{one}}}"), _json(f"{{{other}}}"), "how a key is escaped matters")


@st.composite
def _orders(draw: Any) -> tuple[list[Any], list[Any]]:
    members = draw(valid_members(2))
    return members, draw(st.permutations(members))


@holds("parse-reward-key-order", _orders())
def _key_order(asker: Asker, given: Any) -> None:
    one, other = (asker.ok(_OP, _object(members))["rewards"] for members in given)
    if asker.level is Level.BYTES:
        asker.equal([key for key, _ in given[1]], list(other), "the list of keys")
    for key in one:
        asker.equal(one[key], other.get(key), f"the reward of {key!a} in another order")


@holds("parse-reward-last-duplicate-wins", st.tuples(valid_members(), valid_values, st.integers(0, 2)))
def _last_duplicate_wins(asker: Asker, given: Any) -> None:
    members, value, index = given
    again = members[index % len(members)][0]
    replaced = [(key, value if key == again else old) for key, old in members]
    twice = _object([*members, (again, value)])
    asker.same(_OP, _object(replaced), twice, "a key that comes twice is not the last one in the first place")


_no_number = st.sampled_from(("null", "[]", "{}", '""', '"x"', "[1]", '"0x1"', '"1__0_"', '"\u0663"'))


@holds("parse-reward-one-bad-value-refuses-all", st.tuples(valid_members(0), _no_number, st.integers(0, 3)))
def _one_bad_value_refuses_all(asker: Asker, given: Any) -> None:
    members, bad, place = given
    asker.refused(_OP, _object([*members[:place], ("bad", bad), *members[place:]]), "ValidationError")


@holds(
    "parse-reward-no-object-no-rewards",
    st.one_of(json_values.filter(lambda text: text[0] in '["tf'), ints.map(str)),
)
def _no_object_no_rewards(asker: Asker, given: str) -> None:
    asker.refused(_OP, _json(given), "ValidationError")


@holds("parse-reward-bool-is-float", st.tuples(keys, st.booleans(), valid_members(0)))
def _bool_is_float(asker: Asker, given: Any) -> None:
    key, value, members = given
    rest = [member for member in members if member[0] != key]
    one = _object([*rest, (key, json.dumps(value))])
    asker.same(
        _OP, one, _object([*rest, (key, "1.0" if value else "0.0")]), "a bool is not the float 1.0 or 0.0"
    )


_spelled = st.one_of(doubles, ints.map(lambda value: value if abs(value) < 10**308 else 0))


@holds(
    "parse-reward-string-is-float", st.tuples(keys, _spelled, st.sampled_from(("", " ", "\n", "\t", "\xa0")))
)
def _string_is_float(asker: Asker, given: Any) -> None:
    key, number, space = given
    text = json.dumps(space + str(spell(number)) + space)
    why = "a number in a string is not the float that it spells"
    asker.same(_OP, _object([(key, text)]), _object([(key, repr(float(number)))]), why)


@holds("parse-reward-only-numbers", json_texts(valid_members()))
def _only_numbers(asker: Asker, given: str) -> None:
    rewards = asker.ok(_OP, _json(given))["rewards"]
    for key, value in rewards.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        asker.holds(number, f"the reward of {key!a} is {value!r}, no number")


@holds("parse-reward-underscores-between-digits", st.tuples(ints.map(abs), st.integers(1, 20)))
def _underscores_between_digits(asker: Asker, given: Any) -> None:
    digits, place = str(given[0]), given[1]
    split = f"{digits[:place]}_{digits[place:]}" if place < len(digits) else digits
    asker.same(_OP, _text(digits), _text(split), "an underscore between digits matters")


@holds("terminal-bench-reward-two-files", st.integers(0, 99).map(lambda drawn: drawn * 37 % 255 + 1))
def _two_files(asker: Asker, given: int) -> None:
    why = "the exit code of a failed test matters"
    asker.same("terminal_bench_reward", {"exit_code": 1}, {"exit_code": given}, why)


@holds("terminal-bench-reward-reads-back", st.integers(0, 5))
def _reads_back(asker: Asker, given: int) -> None:
    files = asker.ok("terminal_bench_reward", {"exit_code": given})
    found = asker.ok(_OP, {"files": {"reward.txt": files["reward.txt"]}})["rewards"]["reward"]
    asker.holds(not math.isnan(found), "the file does not hold a number")
    asker.equal(1.0 if given == 0 else 0.0, found, f"the reward for exit code {given}")
