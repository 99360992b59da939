"""Single changes to job directories of the real harbor, and the one finding that each has to give."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.check.audit import audit
from conformance.judging.comparison import Level

Change = Callable[[Path], None]


@dataclass(frozen=True)
class Mutation:
    """A change, and the finding that it has to give."""

    name: str
    job: str
    change: Change
    kind: str
    file: str
    path: str
    clause: str | None
    likely: str = ""
    """Words of the likely mistake."""
    level: str = "value"
    """The lowest level at which it counts."""


def swap(file: str, *pairs: tuple[str, str]) -> Change:
    """Replaces texts that stand in a file once."""

    def change(folder: Path) -> None:
        content = (folder / file).read_bytes().decode()
        for old, new in pairs:
            assert content.count(old) == 1, (content.count(old), old)
            content = content.replace(old, new)
        (folder / file).write_bytes(content.encode())

    return change


def first(file: str, old: str, new: str) -> Change:
    """Replaces the first of several."""

    def change(folder: Path) -> None:
        content = (folder / file).read_bytes().decode()
        assert old in content
        (folder / file).write_bytes(content.replace(old, new, 1).encode())

    return change


def whole(file: str, make: Callable[[str], str]) -> Change:
    """Rewrites a file."""

    def change(folder: Path) -> None:
        content = (folder / file).read_bytes().decode()
        assert make(content) != content
        (folder / file).write_bytes(make(content).encode())

    return change


def put(file: str, content: str) -> Change:
    """Writes a file."""

    def change(folder: Path) -> None:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content.encode())

    return change


def remove(name: str) -> Change:
    """Removes a file or directory."""

    def change(folder: Path) -> None:
        target = folder / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    return change


def copy(name: str, other: str, rename: bool = False) -> Change:
    """Copies a trial; with `rename` its record gets the new name."""

    def change(folder: Path) -> None:
        shutil.copytree(folder / name, folder / other)
        if rename:
            record = folder / other / "result.json"
            record.write_text(record.read_text().replace(name, other))

    return change


def move(name: str, other: str) -> Change:
    """Renames a directory."""
    return lambda folder: (folder / name).rename(folder / other) and None


JOB = "result.json"
D = "/stats/evals/nop__d"
T0, T1, T2, T3 = (f"t{i}__000000{i}" for i in range(4))

BLANK = "\n" + 20 * " "

MUTATIONS = [
    # Metrics
    Mutation(
        "digit-of-a-metric",
        "fractions",
        swap(JOB, ('"mean": 0.26000002', '"mean": 0.26000003')),
        "metric",
        JOB,
        f"{D}/metrics/0/mean",
        "003-3.2-mean-division",
    ),
    Mutation(
        "naive-sum",
        "all-metrics",
        swap(JOB, ('"sum": 0.30000000000000004', '"sum": 0.3')),
        "metric",
        JOB,
        f"{D}/metrics/3/sum",
        "003-6-sum-compensated",
    ),
    Mutation(
        "another-sum",
        "twelve-trials",
        swap(JOB, ('"mean": 0.15\n', '"mean": 0.15000000000000002\n')),
        "metric",
        JOB,
        f"{D}/metrics/0/mean",
        "003-3.2-mean-division",
        "left to right without compensation (mistake naive-sum)",
    ),
    Mutation(
        "int-for-float",
        "several-keys",
        first(JOB, '"b": 0.3333333333333333', '"b": 0'),
        "metric",
        JOB,
        f"{D}/metrics/0/b",
        "003-3.2-mean-division",
    ),
    Mutation(
        "mean-one-as-int",
        "int-and-float",
        swap(JOB, ('"max": 1\n', '"max": 1.0\n')),
        "metric",
        JOB,
        f"{D}/metrics/0/max",
        "003-3.2-max-min-verbatim",
        "1 and 1.0",
        "exact",
    ),
    Mutation(
        "errored-trial-left-out",
        "reward-errors",
        first(JOB, '"mean": 0.14285714285714285', '"mean": 1.0'),
        "metric",
        JOB,
        f"{D}/metrics/0/mean",
        "003-3.2-mean-division",
        "the others being left out (mistake null-trials-left-out)",
    ),
    Mutation(
        "rounded-metric",
        "several-keys",
        swap(JOB, ('"a": 0.5', '"a": 0.50001')),
        "metric",
        JOB,
        f"{D}/metrics/0/a",
        "003-3.2-mean-division",
    ),
    Mutation(
        "named-after-the-key",
        "pass-and-fail",
        swap(JOB, ('"mean": 0.5', '"reward": 0.5')),
        "metric",
        JOB,
        f"{D}/metrics/0",
        "003-3.2-one-key-metric-name",
        "where the metric's name is due (mistake single-key-kept)",
    ),
    Mutation(
        "metrics-left-out",
        "pass-and-fail",
        whole(
            JOB,
            lambda t: t.replace(
                '"metrics": [' + BLANK + "{" + BLANK + '    "mean": 0.5' + BLANK + "}" + BLANK[:-4] + "]",
                '"metrics": []',
            ),
        ),
        "metric",
        JOB,
        f"{D}/metrics",
        "003-3.3-metrics-list",
        "left out",
    ),
    Mutation(
        "metrics-found-under-the-whole-name",
        "name-with-underscores",
        swap(
            JOB,
            (
                '"metrics": []',
                '"metrics": [' + BLANK + "{" + BLANK + '    "mean": 1.0' + BLANK + "}" + BLANK[:-4] + "]",
            ),
        ),
        "metric",
        JOB,
        "/stats/evals/nop__my__data/metrics",
        "003-3.3-metrics-by-last-part",
        "looks for metrics",
    ),
    Mutation(
        "another-metric",
        "registry",
        swap(JOB, ('"sum": 1.0', '"sum": 0.5')),
        "metric",
        JOB,
        f"{D}/metrics/1/sum",
        "003-6-sum-compensated",
        "the mean in the place",
    ),
    Mutation(
        "metric-keys-unsorted",
        "several-keys",
        swap(
            JOB,
            (
                '"a": 0.5,\n                        "b": 0.3333333333333333',
                '"b": 0.3333333333333333,\n                        "a": 0.5',
            ),
        ),
        "order",
        JOB,
        f"{D}/metrics/0",
        "003-3.2-keys-by-code-point",
        "",
        "bytes",
    ),
    Mutation(
        "nan-spelled-out",
        "not-a-number",
        swap(JOB, ('"mean": null', '"mean": NaN')),
        "metric",
        JOB,
        f"{D}/metrics/0/mean",
        "003-6-nan-in-result",
        "spelled out",
    ),
    # pass@k
    Mutation(
        "pass-at-1",
        "pass-at-k",
        swap(JOB, ('"pass_at_k": {', '"pass_at_k": {\n                    "1": 0.3,')),
        "pass-at-k",
        JOB,
        f"{D}/pass_at_k/1",
        "003-4.2-never-pass-at-1",
        "pass@1",
    ),
    Mutation(
        "last-bit-of-pass-at-k",
        "pass-at-k",
        whole(JOB, lambda t: t.replace("0.5499999999999999", "0.55")),
        "pass-at-k",
        JOB,
        f"{D}/pass_at_k/2",
        "003-4.3-product-order",
        "a quotient of two binomial coefficients (mistake binomials-divided)",
    ),
    Mutation(
        "pass-at-k-left-out",
        "same-agent-twice",
        whole(
            JOB,
            lambda t: t.replace(
                '"pass_at_k": {\n                    "2": 1.0\n                }', '"pass_at_k": {}'
            ),
        ),
        "pass-at-k",
        JOB,
        f"{D}/pass_at_k",
        "003-4.2-k-at-most-min",
        "left out",
    ),
    Mutation(
        "pass-at-k-of-one-attempt",
        "pass-and-fail",
        swap(JOB, ('"pass_at_k": {}', '"pass_at_k": {\n                    "2": 0.5\n                }')),
        "pass-at-k",
        JOB,
        f"{D}/pass_at_k/2",
        "003-4.1-any-trial-whole-group",
    ),
    # Counters
    Mutation(
        "completed-off-by-one",
        "pass-and-fail",
        swap(JOB, ('"n_completed_trials": 2', '"n_completed_trials": 3')),
        "counter",
        JOB,
        "/stats/n_completed_trials",
        "003-3.3-n-completed",
        "off by one",
    ),
    Mutation(
        "errored-not-completed",
        "verifier-errors",
        swap(JOB, ('"n_completed_trials": 3', '"n_completed_trials": 1')),
        "counter",
        JOB,
        "/stats/n_completed_trials",
        "003-3.3-n-completed",
        "left out",
    ),
    Mutation(
        "total-off-by-one",
        "pass-and-fail",
        swap(JOB, ('"n_total_trials": 2', '"n_total_trials": 3')),
        "counter",
        JOB,
        "/n_total_trials",
        "003-7.4-counters",
        "off by one",
    ),
    Mutation(
        "errored-off-by-one",
        "agent-errors",
        swap(JOB, ('"n_errored_trials": 4', '"n_errored_trials": 3')),
        "counter",
        JOB,
        "/stats/n_errored_trials",
        "003-3.3-n-errors",
        "off by one",
    ),
    Mutation(
        "cancelled-not-counted",
        "cancelled-trial",
        swap(JOB, ('"n_cancelled_trials": 1', '"n_cancelled_trials": 0')),
        "counter",
        JOB,
        "/stats/n_cancelled_trials",
        "003-3.3-n-cancelled",
    ),
    Mutation(
        "trials-without-rewards-counted",
        "reward-errors",
        swap(JOB, ('"n_trials": 1', '"n_trials": 7')),
        "counter",
        JOB,
        f"{D}/n_trials",
        "003-3.3-n-trials",
        "without rewards",
    ),
    Mutation(
        "errors-of-a-group",
        "agent-errors",
        swap(JOB, ('"n_errors": 4', '"n_errors": 5')),
        "counter",
        JOB,
        f"{D}/n_errors",
        "003-3.3-n-errors",
    ),
    Mutation(
        "pending-in-a-finished-job",
        "pass-and-fail",
        swap(JOB, ('"n_pending_trials": 0', '"n_pending_trials": 1')),
        "counter",
        JOB,
        "/stats/n_pending_trials",
        "003-3.3-pending",
    ),
    Mutation(
        "retries-negative",
        "retried",
        swap(JOB, ('"n_retries": 1', '"n_retries": -1')),
        "schema",
        JOB,
        "/stats/n_retries",
        "003-3.3-retries",
    ),
    Mutation(
        "a-counter-as-float",
        "pass-and-fail",
        swap(JOB, ('"n_errored_trials": 0', '"n_errored_trials": 0.0')),
        "counter",
        JOB,
        "/stats/n_errored_trials",
        "003-3.3-n-errors",
        "1 and 1.0",
        "exact",
    ),
    Mutation(
        "a-counter-as-string",
        "pass-and-fail",
        swap(JOB, ('"n_completed_trials": 2', '"n_completed_trials": "2"')),
        "counter",
        JOB,
        "/stats/n_completed_trials",
        "003-3.3-n-completed",
    ),
    Mutation(
        "a-counter-left-out",
        "pass-and-fail",
        swap(JOB, ('        "n_running_trials": 0,\n', "")),
        "schema",
        JOB,
        "/stats/n_running_trials",
        "003-3.3-members",
    ),
    Mutation(
        "tokens",
        "tokens-and-cost",
        swap(JOB, ('"n_output_tokens": 6', '"n_output_tokens": 8')),
        "total",
        JOB,
        "/stats/n_output_tokens",
        "003-3.3-token-totals",
    ),
    Mutation(
        "tokens-nobody-reported",
        "pass-and-fail",
        swap(JOB, ('"n_input_tokens": null', '"n_input_tokens": 0')),
        "total",
        JOB,
        "/stats/n_input_tokens",
        "003-3.3-token-totals",
    ),
    Mutation(
        "compensated-cost",
        "tokens-and-cost",
        swap(JOB, ('"cost_usd": 1.3', '"cost_usd": 1.4')),
        "total",
        JOB,
        "/stats/cost_usd",
        "003-3.3-cost-plain",
    ),
    # Lists
    Mutation(
        "names-swapped-between-rewards",
        "pass-and-fail",
        swap(JOB, (T0, "here"), (T1, T0), ("here", T1)),
        "listing",
        JOB,
        f"{D}/reward_stats/reward",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "a-name-left-out",
        "twelve-trials",
        swap(JOB, ('                            "t3__0000003",\n', "")),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/0.1",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "names-swapped-in-a-list",
        "twelve-trials",
        swap(JOB, ("t9__0000009", "here"), ("t11__0000011", "t9__0000009"), ("here", "t11__0000011")),
        "order",
        JOB,
        f"{D}/reward_stats/reward/0.1/6",
        "003-3.3-reward-stats",
        "trial order",
        "bytes",
    ),
    Mutation(
        "a-name-twice",
        "fractions",
        swap(JOB, (f'"{T1}"', f'"{T1}",\n                            "{T1}"')),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/0.2",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "a-name-misspelt",
        "pass-and-fail",
        swap(JOB, (T1, "t1__0000009")),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/0.0",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "a-reward-key-renamed",
        "several-keys",
        first(JOB, '"b": {', '"c": {'),
        "listing",
        JOB,
        f"{D}/reward_stats/c",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "a-reward-respelled-as-int",
        "pass-and-fail",
        swap(JOB, ('"1.0": [', '"1": [')),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/1",
        "003-3.3-key-text",
        "repr",
        "exact",
    ),
    Mutation(
        "a-reward-in-the-values-spelling",
        "extremes",
        swap(JOB, ('"1e-05": [', '"0.00001": [')),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/0.00001",
        "003-3.3-key-text",
        "repr",
        "bytes",
    ),
    Mutation(
        "a-reward-changed-in-the-list",
        "fractions",
        swap(JOB, ('"0.7": [', '"0.8": [')),
        "listing",
        JOB,
        f"{D}/reward_stats/reward/0.8",
        "003-3.3-reward-stats",
    ),
    Mutation(
        "nans-merged",
        "not-a-number",
        whole(
            JOB,
            lambda t: t.replace(
                f'"{T0}"{BLANK}    ],{BLANK}    "nan": [{BLANK}        "{T1}"',
                f'"{T0}",\n                            "{T1}"',
            ),
        ),
        "listing",
        JOB,
        f"{D}/reward_stats/reward",
        "003-3.3-reward-stats-nan",
        "each NaN",
    ),
    Mutation(
        "an-exception-left-out",
        "verifier-errors",
        whole(
            JOB,
            lambda t: t.replace(
                f'{BLANK}"SomeError": [{BLANK}    "{T1}"{BLANK}],',
                "",
            ),
        ),
        "listing",
        JOB,
        f"{D}/exception_stats/SomeError",
        "003-3.3-exception-stats",
    ),
    Mutation(
        "an-exception-renamed",
        "verifier-errors",
        swap(JOB, ('"VerifierTimeoutError"', '"TimeoutError"')),
        "listing",
        JOB,
        f"{D}/exception_stats/TimeoutError",
        "003-3.3-exception-stats",
    ),
    # Groups
    Mutation(
        "a-group-renamed",
        "agents-and-models",
        swap(JOB, ('"a__x/y__d"', '"a__p/x/y__d"')),
        "group",
        JOB,
        "/stats/evals/a__p~1x~1y__d",
        "003-3.3-evals-key-without-model",
    ),
    Mutation(
        "a-group-left-out",
        "several-datasets",
        whole(
            JOB,
            lambda t: (
                t[: t.index(',\n            "nop__d2"')] + t[t.index('\n        },\n        "n_input') :]
            ),
        ),
        "group",
        JOB,
        "/stats/evals/nop__d2",
        "003-3.3-evals-key-without-model",
    ),
    # Text
    Mutation(
        "a-final-newline",
        "pass-and-fail",
        whole(JOB, lambda t: t + "\n"),
        "text",
        JOB,
        "",
        "003-3.3-text",
        "final newline",
        "bytes",
    ),
    Mutation(
        "carriage-returns",
        "pass-and-fail",
        whole(JOB, lambda t: t.replace("\n", "\r\n")),
        "text",
        JOB,
        "",
        "003-3.3-text",
        "CR LF",
        "bytes",
    ),
    Mutation(
        "two-spaces",
        "pass-and-fail",
        whole(JOB, lambda t: t.replace("    ", "  ")),
        "text",
        JOB,
        "/id",
        "003-3.3-text",
        "layout",
        "bytes",
    ),
    Mutation(
        "escaped-to-ascii",
        "strange-keys",
        whole(JOB, lambda t: t.encode("ascii", "backslashreplace").decode().replace("\\xe9", "\\u00e9")),
        "text",
        JOB,
        f'{D}/metrics/0/a\u0001"~1~0\u2028\u007f',
        "003-3.3-string-text",
        "ASCII",
        "bytes",
    ),
    Mutation(
        "a-number-respelled",
        "extremes",
        swap(JOB, ('"max": 1.2345678901234568e+17', '"max": 123456789012345680.0')),
        "text",
        JOB,
        f"{D}/metrics/1/max",
        "003-3.3-number-text",
        "spelling",
        "bytes",
    ),
    Mutation(
        "members-in-another-order",
        "pass-and-fail",
        swap(
            JOB,
            (
                '        "n_running_trials": 0,\n        "n_pending_trials": 0,\n',
                '        "n_pending_trials": 0,\n        "n_running_trials": 0,\n',
            ),
        ),
        "order",
        JOB,
        "/stats",
        "003-3.3-members",
        "another order",
        "bytes",
    ),
    Mutation(
        "an-unknown-member",
        "pass-and-fail",
        swap(JOB, ('"n_retries": 0,', '"n_retries": 0,\n        "score": 0.5,')),
        "schema",
        JOB,
        "/stats/score",
        "003-3.3-members",
    ),
    Mutation(
        "a-key-twice",
        "pass-and-fail",
        swap(JOB, ('"n_retries": 0,', '"n_retries": 0,\n        "n_retries": 0,')),
        "duplicate-key",
        JOB,
        "/stats/n_retries",
        "003-3.3-text",
    ),
    Mutation(
        "updated-later",
        "pass-and-fail",
        swap(JOB, ('"updated_at": "2000-01-01T00:00:00"', '"updated_at": "2000-01-01T00:00:01"')),
        "time",
        JOB,
        "/updated_at",
        "003-3.3-finish-time",
    ),
    Mutation(
        "a-time-without-t",
        "pass-and-fail",
        swap(JOB, ('"started_at": "2000-01-01T00:00:00"', '"started_at": "2000-01-01 00:00:00"')),
        "schema",
        JOB,
        "/started_at",
        "003-3.3-identity-and-times",
    ),
    # Trials
    Mutation(
        "a-reward-file-edited",
        "pass-and-fail",
        put(f"{T1}/verifier/reward.txt", "1\n"),
        "reward-file",
        f"{T1}/verifier/reward.txt",
        "",
        "003-1.2-key-is-reward",
    ),
    Mutation(
        "a-reward-file-removed",
        "pass-and-fail",
        remove(f"{T0}/verifier/reward.txt"),
        "reward-file",
        f"{T0}/verifier/reward.txt",
        "",
        "003-1.1-no-file-is-not-found",
    ),
    Mutation(
        "a-reward-file-emptied",
        "pass-and-fail",
        put(f"{T0}/verifier/reward.txt", ""),
        "reward-file",
        f"{T0}/verifier/reward.txt",
        "",
        "003-1.2-zero-bytes-is-empty",
    ),
    Mutation(
        "a-reward-file-with-words",
        "pass-and-fail",
        put(f"{T0}/verifier/reward.txt", "pass\n"),
        "reward-file",
        f"{T0}/verifier/reward.txt",
        "",
        "003-1.2-not-a-number",
    ),
    Mutation(
        "a-reward-file-added",
        "reward-errors",
        put(f"{T1}/verifier/reward.txt", "1\n"),
        "reward-file",
        f"{T1}/verifier/reward.txt",
        "",
        "003-1.1-no-file-is-not-found",
    ),
    Mutation(
        "a-json-file-beside-the-text",
        "pass-and-fail",
        put(f"{T0}/verifier/reward.json", '{"reward": 0.5}'),
        "reward-file",
        f"{T0}/verifier/reward.json",
        "/reward",
        "003-1.3-object-keys-are-free",
    ),
    Mutation(
        "an-int-in-a-reward-file",
        "json-before-text",
        put(f"{T0}/verifier/reward.json", '{"reward": 1}'),
        "reward-file",
        f"{T0}/verifier/reward.json",
        "/reward",
        "003-1.3-object-keys-are-free",
    ),
    Mutation(
        "keys-of-a-reward-file-in-another-order",
        "several-keys",
        put(f"{T0}/verifier/reward.json", '{"a":0.5,"b":1}'),
        "reward-file",
        f"{T0}/verifier/reward.json",
        "",
        "003-1.3-object-keys-are-free",
        "another order",
        "bytes",
    ),
    Mutation(
        "a-recorded-reward-edited",
        "pass-and-fail",
        swap(f"{T1}/result.json", ('"reward": 0.0', '"reward": 1.0')),
        "record",
        f"{T1}/result.json",
        "/verifier_result/rewards/reward",
        "003-1.2-key-is-reward",
    ),
    Mutation(
        "a-recorded-reward-as-int",
        "pass-and-fail",
        swap(f"{T0}/result.json", ('"reward": 1.0', '"reward": 1')),
        "record",
        f"{T0}/result.json",
        "/verifier_result/rewards/reward",
        "003-1.2-key-is-reward",
        "1 and 1.0",
        "exact",
    ),
    Mutation(
        "a-recorded-nan-spelled-out",
        "not-a-number",
        swap(f"{T0}/result.json", ('"reward": null', '"reward": NaN')),
        "not-json",
        f"{T0}/result.json",
        "/verifier_result/rewards/reward",
        "003-6-nan-in-result",
        "spelled out",
    ),
    Mutation(
        "a-recorded-result-taken-out",
        "pass-and-fail",
        swap(
            f"{T1}/result.json",
            (
                '"verifier_result": {\n        "rewards": {\n            "reward": 0.0\n        }\n    }',
                '"verifier_result": null',
            ),
        ),
        "record",
        f"{T1}/result.json",
        "/verifier_result",
        "003-2-no-verifier-result",
    ),
    Mutation(
        "an-exception-taken-out",
        "agent-errors",
        whole(
            f"{T1}/result.json",
            lambda t: (
                t[: t.index('"exception_info": {')]
                + '"exception_info": null'
                + t[t.index(',\n    "started_at"') :]
            ),
        ),
        "record",
        f"{T1}/result.json",
        "/exception_info",
        "003-3.3-exception-stats",
    ),
    Mutation(
        "a-source-edited",
        "adhoc-and-dataset",
        swap(
            "t0__0000001/result.json",
            ('    "source": "d",\n    "task_checksum"', '    "source": "e",\n    "task_checksum"'),
        ),
        "record",
        "t0__0000001/result.json",
        "/source",
        "003-3.3-evals-key-verbatim",
    ),
    Mutation(
        "a-trial-removed",
        "pass-and-fail",
        remove(T1),
        "missing-trial",
        f"{T1}/result.json",
        "",
        "003-3.3-n-completed",
    ),
    Mutation(
        "a-record-removed",
        "twelve-trials",
        remove("t5__0000005/result.json"),
        "missing-trial",
        "t5__0000005/result.json",
        "",
        "003-3.3-n-completed",
    ),
    Mutation(
        "an-unverified-trial-removed",
        "not-verified",
        remove(T1),
        "missing-trial",
        "",
        "",
        "003-3.3-n-completed",
    ),
    Mutation(
        "a-trial-copied",
        "pass-and-fail",
        copy(T0, "t0__copy"),
        "duplicate-trial",
        "t0__copy/result.json",
        "/trial_name",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-trial-added",
        "pass-and-fail",
        copy(T0, "t9__0000009", rename=True),
        "extra-trial",
        "t9__0000009/result.json",
        "",
        "003-3.3-n-completed",
    ),
    Mutation(
        "a-directory-renamed",
        "pass-and-fail",
        move(T0, "t0__renamed"),
        "trial-name",
        "t0__renamed/result.json",
        "/trial_name",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-recorded-name-edited",
        "pass-and-fail",
        first(f"{T0}/result.json", f'"trial_name": "{T0}"', '"trial_name": "t7__0000007"'),
        "trial-name",
        f"{T0}/result.json",
        "/trial_name",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-recorded-name-of-another-trial",
        "pass-and-fail",
        first(f"{T1}/result.json", f'"trial_name": "{T1}"', f'"trial_name": "{T0}"'),
        "trial-name",
        f"{T1}/result.json",
        "/trial_name",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-record-cut-short",
        "one-key-each",
        whole("t1__0000001/result.json", lambda t: t[:-20]),
        "not-json",
        "t1__0000001/result.json",
        "",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-recorded-reward-as-string",
        "fractions",
        swap(f"{T3}/result.json", ('"reward": 0.7', '"reward": "nan"')),
        "schema",
        f"{T3}/result.json",
        "/verifier_result/rewards/reward",
        "003-3.3-trial-record",
    ),
    Mutation(
        "a-member-taken-out-of-a-record",
        "pass-and-fail",
        swap(f"{T0}/result.json", (',\n    "step_results": null', "")),
        "schema",
        f"{T0}/result.json",
        "/step_results",
        "003-3.3-trial-record",
        "",
        "bytes",
    ),
    Mutation(
        "a-member-added-to-a-record",
        "pass-and-fail",
        swap(
            f"{T0}/result.json",
            (',\n    "step_results": null', ',\n    "step_results": null,\n    "score": 1'),
        ),
        "schema",
        f"{T0}/result.json",
        "/score",
        "003-3.3-trial-record",
        "",
        "bytes",
    ),
    Mutation(
        "a-key-twice-in-a-record",
        "pass-and-fail",
        swap(
            f"{T0}/result.json",
            (',\n    "step_results": null', ',\n    "step_results": null,\n    "source": "d"'),
        ),
        "duplicate-key",
        f"{T0}/result.json",
        "/source",
        "003-3.3-text",
    ),
    Mutation(
        "tokens-as-strings",
        "tokens-and-cost",
        first(f"{T0}/result.json", '"n_output_tokens": 2', '"n_output_tokens": "2"'),
        "schema",
        f"{T0}/result.json",
        "/agent_result/n_output_tokens",
        "003-3.3-trial-record",
    ),
    # Steps
    Mutation(
        "a-step-file-edited",
        "steps-mean",
        put("m__0000000/steps/s1/verifier/reward.txt", "1\n"),
        "reward-file",
        "m__0000000/steps/s1/verifier/reward.txt",
        "",
        "003-1.2-key-is-reward",
    ),
    Mutation(
        "a-recorded-step-edited",
        "steps-mean",
        swap("m__0000000/result.json", ('"reward": 0.0', '"reward": 0.5')),
        "record",
        "m__0000000/result.json",
        "/step_results/1/verifier_result/rewards/reward",
        "003-1.2-key-is-reward",
    ),
    Mutation(
        "rewards-of-the-whole-edited",
        "steps-mean",
        swap("m__0000000/result.json", ('"reward": 0.5', '"reward": 0.75')),
        "steps",
        "m__0000000/result.json",
        "/verifier_result/rewards",
        "003-4.5-mean-per-key",
    ),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_one_change_gives_one_finding(mutation: Mutation, written: Callable[..., Path]) -> None:
    folder = written(mutation.job)
    mutation.change(folder)
    found = audit(str(folder), Level.BYTES).findings.ordered()
    assert [(finding.kind, finding.file, finding.path, finding.clause) for finding in found] == [
        (mutation.kind, mutation.file, mutation.path, mutation.clause)
    ]
    assert mutation.likely in (found[0].likely or "")
    assert str(found[0].breaks) == mutation.level


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_change_counts_from_its_level_on(mutation: Mutation, written: Callable[..., Path]) -> None:
    folder = written(mutation.job)
    mutation.change(folder)
    counts = {str(level): audit(str(folder), level).findings.total() for level in Level if level}
    order = ["value", "exact", "bytes"]
    due = order.index(mutation.level)
    assert counts == {level: int(index >= due) for index, level in enumerate(order)}


def test_every_change_is_another_one() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)


@pytest.mark.parametrize(
    "pair", [("a-reward-file-edited", "completed-off-by-one"), ("pass-at-1", "last-bit-of-pass-at-k")]
)
def test_two_changes_give_two_findings(pair: tuple[str, str], written: Callable[..., Path]) -> None:
    first_one, second_one = (next(m for m in MUTATIONS if m.name == name) for name in pair)
    assert first_one.job == second_one.job
    folder = written(first_one.job)
    first_one.change(folder)
    second_one.change(folder)
    found = {(finding.kind, finding.path) for finding in audit(str(folder), Level.BYTES).findings.ordered()}
    assert found == {(m.kind, m.path) for m in (first_one, second_one)}
