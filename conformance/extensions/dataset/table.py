"""The table of tasks by dataset.

Each dataset is a separate job, because its tasks together determine the job's report: one NaN
takes the mean from all, one fraction takes pass@k. Within a dataset the job's answer does not
depend on the order of the tasks, which harbor 0.13.1 leaves to the file system.

Besides tasks that play a vector, there are own tasks for what the runner protocol can't express: ending by a
signal, writing twice, writing elsewhere.
"""

import json
from collections.abc import Mapping

from conformance.extensions.dataset.tasks import REWARD_JSON, REWARD_TEXT, Dataset, Scene, Task

__all__ = ["DATASETS"]


def _own(
    name: str,
    rule: str,
    clause: str,
    catches: str,
    files: Mapping[str, str],
    script: str | None = None,
) -> Task:
    scene = Scene({key: text.encode() for key, text in files.items()}, script)
    return Task(name, rule, clause, catches, {"": scene})


def _text(name: str, text: str, catches: str) -> Task:
    return _own(
        name,
        f"reward.txt with {json.dumps(text)} is the double next to one tenth.",
        "003-1.2-float-grammar",
        catches,
        {REWARD_TEXT: text},
    )


def _json(name: str, text: str, rule: str, clause: str, catches: str) -> Task:
    return _own(name, rule, clause, catches, {REWARD_JSON: text})


_EXIT_CODE = "Taking the verifier's exit code for its verdict."
_FILES = (
    _own(
        "exit-1-after-one",
        "A verifier that writes 1 and exits with 1 gives 1.0: its exit code plays no part.",
        "003-1.1-txt-without-json",
        _EXIT_CODE,
        {REWARD_TEXT: "1\n"},
        "echo 1 > /logs/verifier/reward.txt\nexit 1",
    ),
    _own(
        "exit-0-after-zero",
        "A verifier that writes 0 and exits with 0 gives 0.0: its exit code plays no part.",
        "003-1.1-txt-without-json",
        _EXIT_CODE,
        {REWARD_TEXT: "0\n"},
        "echo 0 > /logs/verifier/reward.txt\nexit 0",
    ),
    _own(
        "exit-0-without-file",
        "A verifier that exits with 0 and leaves no file is RewardFileNotFoundError.",
        "003-1.1-no-file-is-not-found",
        "Taking exit code 0 for a reward of 1.",
        {},
        "exit 0",
    ),
    _own(
        "exit-1-without-file",
        "A verifier that exits with 1 and leaves no file is RewardFileNotFoundError, not a reward of 0.",
        "003-1.1-no-file-is-not-found",
        "Taking a non-zero exit code for a reward of 0.",
        {},
        "exit 1",
    ),
    _own(
        "killed-after-one",
        "A verifier that kills itself after it has written 1 gives 1.0.",
        "003-1.1-txt-without-json",
        "Discarding the output of a verifier that a signal ended.",
        {REWARD_TEXT: "1\n"},
        "echo 1 > /logs/verifier/reward.txt\nkill -9 $$",
    ),
    _own(
        "killed-while-writing",
        "A verifier that is killed half-way through reward.json is VerifierOutputParseError.",
        "003-1.3-bad-json-is-parse-error",
        "Repairing cut-off JSON, or treating the trial as one without files.",
        {REWARD_JSON: '{"reward": 1'},
        "printf '{\"reward\": 1' > /logs/verifier/reward.json\nkill -9 $$",
    ),
    _own(
        "written-twice",
        "The file counts as it is when the verifier has ended: 0, then 1 over it, gives 1.0.",
        "003-1.1-txt-without-json",
        "Reading the file as soon as it appears.",
        {REWARD_TEXT: "1\n"},
        "echo 0 > /logs/verifier/reward.txt\necho 1 > /logs/verifier/reward.txt",
    ),
    _own(
        "appended",
        "The whole file is one number: 0 with a line 1 appended is VerifierOutputParseError.",
        "003-1.2-one-number-only",
        "Reading the first or the last line only.",
        {REWARD_TEXT: "0\n1\n"},
        "echo 0 > /logs/verifier/reward.txt\necho 1 >> /logs/verifier/reward.txt",
    ),
    _own(
        "on-stdout",
        "What the verifier prints is no reward: without a file it is RewardFileNotFoundError.",
        "003-1.1-no-file-is-not-found",
        "Looking for a reward in the verifier's output.",
        {},
        "echo 1",
    ),
    _own(
        "in-a-sub-folder",
        "A reward.txt in a folder below the verifier's own is not read: RewardFileNotFoundError.",
        "003-1.1-paths",
        "Searching for reward files recursively.",
        {},
        "mkdir -p /logs/verifier/output\necho 1 > /logs/verifier/output/reward.txt",
    ),
    _own(
        "other-names",
        "Only reward.json and reward.txt count, whatever lies next to them: reward.txt gives 1.0.",
        "003-1.1-paths",
        "Matching reward files by a pattern.",
        {REWARD_TEXT: "1\n"},
        "echo 0 > /logs/verifier/rewards.txt\necho 0 > /logs/verifier/reward\n"
        "echo '{\"reward\": 0}' > /logs/verifier/reward.json.bak\necho 1 > /logs/verifier/reward.txt",
    ),
    _own(
        "terminal-bench-pass",
        "The suffix of a Terminal-Bench verifier writes 1 after tests that pass, which gives 1.0.",
        "003-0-exit-zero-writes-one",
        "Expecting anything but the file to carry the verdict.",
        {REWARD_TEXT: "1\n"},
        "true\nif [ $? -eq 0 ]; then\n    echo 1 > /logs/verifier/reward.txt\nelse\n"
        "    echo 0 > /logs/verifier/reward.txt\nfi",
    ),
    _own(
        "terminal-bench-fail",
        "The suffix of a Terminal-Bench verifier writes 0 after tests that fail, which gives 0.0, no error.",
        "003-0-exit-nonzero-writes-zero",
        "Counting a failed task as an errored trial.",
        {REWARD_TEXT: "0\n"},
        "false\nif [ $? -eq 0 ]; then\n    echo 1 > /logs/verifier/reward.txt\nelse\n"
        "    echo 0 > /logs/verifier/reward.txt\n    exit 1\nfi",
    ),
    "precedence-json-zero",
    "precedence-json-bad",
    "precedence-json-bad-value",
    "precedence-json-empty-file",
)

_KEYS_RULE = "Each key of reward.json is a reward of its own, kept as it is written."
_KEYS_CATCHES = "Reading the key reward only, or adding keys that a trial lacks."


def _keys(name: str, text: str) -> Task:
    return _json(name, text, _KEYS_RULE, "003-1.3-object-keys-are-free", _KEYS_CATCHES)


DATASETS = (
    Dataset(
        "text",
        "Spellings of a number in reward.txt; the mean counts every errored trial as 0.",
        1,
        (
            *("txt-one", "txt-trailing-newline", "txt-crlf", "txt-plus-one", "txt-leading-point"),
            *("txt-trailing-point", "txt-exponent-minus", "txt-underscore-between-digits"),
            *("txt-zero-ten-is-not-octal", "txt-minus-one", "txt-minus-zero", "txt-digit-arabic-indic"),
            *("txt-digit-thai", "txt-space-no-break", "txt-space-em", "txt-vertical-tab"),
            *("txt-zero-bytes", "txt-only-space", "txt-pass", "txt-true", "txt-decimal-comma", "txt-hex"),
            *("txt-double-suffix", "txt-underscore-double", "txt-bom", "txt-bytes-ff-byte"),
            *("txt-nul-after", "txt-two-numbers", "txt-no-digit-superscript-two"),
            *("txt-not-space-file-separator",),
        ),
    ),
    Dataset(
        "json",
        "Coercions and refusals of reward.json, which are errors of several types.",
        1,
        (
            *("json-true", "json-false", "json-half", "json-string-float", "json-string-surrounding-spaces"),
            *("json-string-underscore", "json-string-underscore-after-point", "json-empty-object"),
            *("json-top-null", "json-exponent-upper-case-plus", "json-zero-bytes", "json-bom"),
            *("json-trailing-comma", "json-number-leading-zero", "json-number-leading-point"),
            *("json-single-quotes", "json-two-documents", "json-key-raw-newline", "json-int-4301-digits"),
            *("json-bytes-lone-continuation", "json-value-null", "json-value-object", "json-string-word"),
            *("json-string-arabic-digit", "json-string-underscore-double", "json-top-array-of-object"),
            *("json-top-true", "json-nesting-100000-value"),
        ),
    ),
    Dataset(
        "files",
        "How the files are written, and which of them counts; all rewards are 0 or 1, and with one "
        "attempt there is still no pass@k.",
        1,
        _FILES,
    ),
    Dataset(
        "integers",
        "Integers stay integers of any size, and a sum of nothing but integers is exact.",
        1,
        (
            *("json-int-one", "json-int-minus-zero", "json-int-2-53-plus-1", "json-int-2-64"),
            *("json-int-minus-2-63-minus-1", "json-duplicate-key", "precedence-txt-bad"),
            *("json-string-leading-zero-minus", "precedence-no-file"),
        ),
    ),
    Dataset(
        "tenths",
        "Ten spellings of 0.1: the sum is compensated, so the mean is 0.1 and the line says 0.1.",
        1,
        (
            "txt-float32-trap",
            _text("point-one", ".1", "Wanting a digit before the point."),
            _text("plus", "+0.1", "Refusing a plus sign."),
            _text("exponent-below", "1e-1", "Refusing an exponent without a point."),
            _text(
                "exponent-above", "0.01E1", "Computing mantissa and power of ten separately, each rounded."
            ),
            _text("trailing-zeros", "0.10000000000000000", "Cutting digits off."),
            _text("longer-than-a-double", "0.1000000000000000055511151231257827", "Rounding digit by digit."),
            _text("blank-lines", "\n\n0.1\n\n", "Reading the first line only."),
            _json(
                "json-number",
                '{"reward": 0.1}',
                "A JSON number with a point is a float.",
                "003-1.3-int-and-float-kept",
                "Reading it as a decimal.",
            ),
            _json(
                "json-exponent",
                '{"reward": 10E-2}',
                "A JSON number with an exponent is a float.",
                "003-1.3-number-grammar",
                "Multiplying the mantissa by a rounded power of ten.",
            ),
        ),
    ),
    Dataset(
        "binary",
        "Only passes and failures, five times each: pass@k for k of 2, 4 and 5, errored trials "
        "counted as failures.",
        5,
        (*("txt-one", "txt-zero", "json-true", "json-false", "precedence-no-file", "txt-pass"),),
    ),
    Dataset(
        "keys",
        "Several reward keys: the metric has a value for each key and loses its own name.",
        1,
        (
            _keys("both", '{"correctness": 1, "speed": 0.5}'),
            _keys("both-reversed", '{"speed": 1.0, "correctness": 0}'),
            _keys("correctness-alone", '{"correctness": 1}'),
            _keys("speed-alone", '{"speed": 0.25}'),
            _keys("case-differs", '{"Speed": 2.0}'),
            _keys("sorted-by-code-point", '{"\U00010000": 1, "\uffee": 3}'),
            *("txt-half", "json-empty-object", "json-top-null", "json-key-empty", "precedence-no-file"),
        ),
    ),
    Dataset(
        "one-key-each",
        "One key a trial, but not the same one: the metric has a value for each key, and pass@k stays.",
        2,
        (
            "txt-one",
            _keys("solved", '{"solved": 1}'),
            _keys("solved-not", '{"solved": 0}'),
        ),
    ),
    Dataset(
        "non-finite",
        "NaN and the infinities are rewards; result.json holds null for them and their mean, which the "
        "consumer calls malformed.",
        1,
        (
            *("txt-one", "txt-nan", "txt-inf-mixed-case", "txt-minus-inf", "txt-exponent-309", "json-nan"),
            *("json-infinity", "json-string-overflow", "json-string-minus-nan"),
        ),
    ),
    Dataset(
        "steps",
        "Tasks of several steps with one key: strategies, gates, steps without rewards, failing steps.",
        1,
        (
            *("strategy-mean-two-steps", "strategy-final-two-steps", "strategy-unset-two-steps"),
            *("strategy-unset-gate-stops", "gate-reward-equal-to-threshold", "gate-reward-below-threshold"),
            *("gate-null-rewards", "gate-nan-threshold", "gate-object-empty", "gate-not-judged-on-mean"),
            *("final-gate-stops-before-planned-last", "final-empty-object", "final-rewards-null"),
            *("mean-rewards-null-counts", "mean-null-and-empty", "mean-stopped-steps-do-not-count"),
            *("mean-negative-zeros", "one-step-int", "exception-reward-missing"),
        ),
    ),
    Dataset(
        "step-keys",
        "Tasks of several steps with several keys.",
        1,
        (
            *("mean-compensation-per-key", "mean-disjoint-keys", "mean-missing-key-first-step"),
            *("gate-object-first-key-low", "gate-object-missing-key", "gate-number-other-key"),
            *("final-not-merged", "mean-keys-union-of-three"),
        ),
    ),
    Dataset(
        "two__words",
        "A name with two underscores: the metrics are looked up under the last part (erratum E7), so "
        "there are none and the score is 0.0.",
        1,
        ("txt-one", "txt-half"),
    ),
)
"""All datasets, in listed order."""
