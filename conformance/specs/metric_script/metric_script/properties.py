"""Properties of every metric script: its input, and the use of its output (000)."""

import json
from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.rewards import key, reward_list
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.metric_script.files import LINES, rewards_file, text_in
from conformance.specs.metric_script.metric_script.draw import READING, document, writing
from conformance.wire.messages import Ok

__all__: list[str] = []

_SCRIPT = "metric_script"
_FEW = 10


def _output(asker: Asker, script: str, listed: Any = ()) -> str:
    answer = asker.ok(_SCRIPT, {"script": {"text": script}, "rewards": list(listed)})
    return text_in(answer["metric.json"])


@holds("metric-script-hands-on", document, examples=_FEW)
def _output_is_passed_on(asker: Asker, text: str) -> None:
    answer = asker.answer(_SCRIPT, {"script": {"text": writing(text)}, "rewards": []})
    expected = Ok({"metric.json": {"text": text}})
    asker.alike(_SCRIPT, expected, answer, "the script's output is not passed on unchanged")


@holds("metric-script-given-rewards-jsonl", reward_list, examples=_FEW)
def _given_rewards_jsonl(asker: Asker, listed: Any) -> None:
    echo = READING + "args.output_path.write_text(json.dumps({'read': args.input_path.read_text()}))\n"
    read = json.loads(_output(asker, echo, listed))["read"]
    expected, actual = (Ok({"rewards.jsonl": {"text": text}}) for text in (rewards_file(asker, listed), read))
    asker.alike(LINES, expected, actual, "the script gets a file other than rewards.jsonl")


@holds(
    "metric-script-exit-code-refuses",
    lambda source: (document(source), source.pick((1, 2, 255))),
    examples=_FEW,
)
def _exit_code_refuses(asker: Asker, drawn: Any) -> None:
    text, code = drawn
    script = {"text": f"{writing(text)}sys.exit({code})\n"}
    asker.refused(_SCRIPT, {"script": script, "rewards": []}, "RuntimeError")


@holds(
    "metric-script-printed-ignored",
    lambda source: (document(source), document(source), document(source)),
    examples=_FEW,
)
def _printed_ignored(asker: Asker, drawn: Any) -> None:
    written, out, err = drawn
    script = f"{writing(written)}print({out!r})\nprint({err!r}, file=sys.stderr)\n"
    silent, printing = ({"script": {"text": text}, "rewards": []} for text in (writing(written), script))
    asker.same(_SCRIPT, silent, printing, "what the script prints matters")


def _space(source: Source) -> str:
    return "".join(source.times(3, lambda source: source.pick((" ", "\n", "\t", "\n", "\r", "\n"))))


@holds(
    "metric-script-space-is-free",
    lambda source: (document(source), _space(source), _space(source)),
    examples=_FEW,
)
def _space_is_free(asker: Asker, drawn: Any) -> None:
    written, before, after = drawn
    plain, spaced = (
        {"script": {"text": writing(text)}, "rewards": []} for text in (written, before + written + after)
    )
    asker.same(_SCRIPT, plain, spaced, "white space around the document matters")


def _one_key(source: Source) -> list[Any]:
    return source.items(lambda source: {key(source): small_int(source)} if source.below(3) else None, (6,))


@holds("metric-script-document-mean", _one_key, examples=_FEW)
def _document_mean(asker: Asker, listed: Any) -> None:
    """The script in the document, on ints: their sum is exact in every Python."""
    script = READING + (
        "rewards = []\n"
        "for line in args.input_path.read_text().splitlines():\n"
        "    reward = json.loads(line)\n"
        "    rewards.append(0 if reward is None else next(iter(reward.values())))\n"
        "mean = sum(rewards) / len(rewards) if rewards else 0\n"
        "args.output_path.write_text(json.dumps({'mean': mean}))\n"
    )
    values = [next(iter(reward.values())) if reward else 0 for reward in listed]
    expected = sum(values) / len(values) if values else 0
    asker.equal(
        expected, json.loads(_output(asker, script, listed))["mean"], "the mean of the document's script"
    )
