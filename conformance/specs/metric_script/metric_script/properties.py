"""What holds of every metric script: what it is given, and what becomes of what it writes (000)."""

import json
from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.numbers import small_ints
from conformance.drawing.strategies.rewards import keys, reward_lists, rewards
from conformance.drawing.strategies.scripts import READING, documents, writing
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.wire.messages import Ok

__all__: list[str] = []

_LINES = "rewards_jsonl"
_SCRIPT = "metric_script"
_FEW = 10
"""Scripts are processes: few of them are tried."""
_lists = reward_lists()


def _text(content: Any) -> str:
    text = content.get("text")
    if not isinstance(text, str):
        fail("the file is not UTF-8")
    return str(text)


def _file(asker: Asker, rewards_given: Any) -> str:
    return _text(asker.ok(_LINES, {"rewards": rewards_given})["rewards.jsonl"])


@holds("rewards-jsonl-one-line-per-trial", _lists)
def _one_line_per_trial(asker: Asker, given: Any) -> None:
    text = _file(asker, given)
    asker.equal(len(given), text.count("\n"), "the number of lines")
    asker.holds(text.endswith("\n") or not text, "the last line has no end")


@holds("rewards-jsonl-read-back", _lists)
def _read_back(asker: Asker, given: Any) -> None:
    """Spellings of numbers that are not finite stand for floats."""
    spelled = {"NaN", "Infinity", "-Infinity"}
    due = [
        reward and {key: float(value) if value in spelled else value for key, value in reward.items()}
        for reward in given
    ]
    try:
        found = [json.loads(line) for line in _file(asker, given).split("\n")[:-1]]
    except ValueError:
        fail("a line is no JSON")
    asker.equal(due, found, "the list of rewards read back")


@holds("rewards-jsonl-concatenates", st.tuples(_lists, _lists))
def _concatenates(asker: Asker, given: Any) -> None:
    one, other = given
    parts = _file(asker, one) + _file(asker, other)
    whole = asker.answer(_LINES, {"rewards": [*one, *other]})
    due = Ok({"rewards.jsonl": {"text": parts}})
    asker.alike(_LINES, due, whole, "the file of two lists is not the files of each")


@holds("rewards-jsonl-null-line", st.tuples(_lists, st.integers(0, 12)))
def _null_line(asker: Asker, given: Any) -> None:
    listed, place = given
    before, after = _file(asker, listed[:place]), _file(asker, listed[place:])
    whole = asker.answer(_LINES, {"rewards": [*listed[:place], None, *listed[place:]]})
    due = Ok({"rewards.jsonl": {"text": f"{before}null\n{after}"}})
    asker.alike(_LINES, due, whole, "a trial without rewards is not the line null")


@holds("rewards-jsonl-ascii", _lists)
def _ascii(asker: Asker, given: Any) -> None:
    text = _file(asker, given)
    asker.holds(asker.level < Level.BYTES or text.isascii(), "the file holds more than ASCII")


@holds(
    "rewards-jsonl-too-many-digits",
    st.tuples(_lists, st.integers(0, 12), keys, st.integers(0, 20)),
    examples=15,
)
def _too_many_digits(asker: Asker, given: Any) -> None:
    listed, place, key, more = given
    long = {key: "1" + "0" * (4300 + more)}
    asker.refused(_LINES, {"rewards": [*listed[:place], long, *listed[place:]]}, "ValueError")


def _said(asker: Asker, script: str, listed: Any = ()) -> str:
    answer = asker.ok(_SCRIPT, {"script": {"text": script}, "rewards": list(listed)})
    return _text(answer["metric.json"])


@holds("metric-script-hands-on", documents, examples=_FEW)
def _hands_on(asker: Asker, given: str) -> None:
    answer = asker.answer(_SCRIPT, {"script": {"text": writing(given)}, "rewards": []})
    due = Ok({"metric.json": {"text": given}})
    asker.alike(_SCRIPT, due, answer, "what the script wrote is not handed on as it is")


@holds("metric-script-given-rewards-jsonl", _lists, examples=_FEW)
def _given_rewards_jsonl(asker: Asker, given: Any) -> None:
    echo = READING + "args.output_path.write_text(json.dumps({'read': args.input_path.read_text()}))\n"
    read = json.loads(_said(asker, echo, given))["read"]
    due, found = (Ok({"rewards.jsonl": {"text": text}}) for text in (_file(asker, given), read))
    asker.alike(_LINES, due, found, "the script is given another file than rewards.jsonl")


@holds("metric-script-exit-code-refuses", st.tuples(documents, st.sampled_from((1, 2, 255))), examples=_FEW)
def _exit_code_refuses(asker: Asker, given: Any) -> None:
    document, code = given
    script = {"text": f"{writing(document)}sys.exit({code})\n"}
    asker.refused(_SCRIPT, {"script": script, "rewards": []}, "RuntimeError")


@holds("metric-script-printed-ignored", st.tuples(documents, documents, documents), examples=_FEW)
def _printed_ignored(asker: Asker, given: Any) -> None:
    document, out, err = given
    script = f"{writing(document)}print({out!r})\nprint({err!r}, file=sys.stderr)\n"
    one, other = ({"script": {"text": text}, "rewards": []} for text in (writing(document), script))
    asker.same(_SCRIPT, one, other, "what the script prints matters")


_space = st.lists(st.sampled_from((" ", "\n", "\t", "\r")), max_size=3).map("".join)


@holds("metric-script-space-is-free", st.tuples(documents, _space, _space), examples=_FEW)
def _space_is_free(asker: Asker, given: Any) -> None:
    document, before, after = given
    one, other = (
        {"script": {"text": writing(text)}, "rewards": []} for text in (document, before + document + after)
    )
    asker.same(_SCRIPT, one, other, "white space around the document matters")


_one_key = st.lists(st.one_of(rewards(small_ints, 1, 1), st.none()), max_size=6)


@holds("metric-script-document-mean", _one_key, examples=_FEW)
def _document_mean(asker: Asker, given: Any) -> None:
    """The script of the document, on ints: their sum is exact in every Python."""
    script = READING + (
        "rewards = []\n"
        "for line in args.input_path.read_text().splitlines():\n"
        "    reward = json.loads(line)\n"
        "    rewards.append(0 if reward is None else next(iter(reward.values())))\n"
        "mean = sum(rewards) / len(rewards) if rewards else 0\n"
        "args.output_path.write_text(json.dumps({'mean': mean}))\n"
    )
    values = [next(iter(reward.values())) if reward else 0 for reward in given]
    due = sum(values) / len(values) if values else 0
    asker.equal(due, json.loads(_said(asker, script, given))["mean"], "the mean of the document's script")
