"""`--dataset`: compares a job with the manifest of the kit's tasks, trial by trial, and their number."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.extensions.audit.findings import AuditError, Finding, Findings
from conformance.extensions.audit.formats import JOB_FILE, Part, Record
from conformance.extensions.audit.reading import show
from conformance.judging.comparison import Level
from conformance.pages.words import enumerated
from conformance.suite.schemas import first_fault
from conformance.wire.pointers import pointer
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, reason
from reference_impl.runner.wire import decode_number

Json = Any

_MANIFEST = "manifest.json"
_LARGEST = 4 * MIB
_OTHER = "Another job's directory, or another dataset's manifest."
_SHOWN = 200
"""The most characters of an outcome that a finding quotes."""
_LISTED = 10
"""The most tasks that a finding names."""
_VERBATIM, _AGENT = "003-6-plan-names-verbatim", "003-3.3-evals-key-without-model"


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of one dataset's job."""

    name: str
    """The dataset's name, which is also its folder's."""
    attempts: int
    tasks: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Manifest:
    """All datasets of a written folder."""

    agent: str
    datasets: dict[str, Expected]


def load_manifest(path: Path) -> Manifest:
    """Reads the manifest in a folder, or the manifest file itself.

    Raises:
        AuditError: there is none, or it is not one of this version's.
    """
    path = (path / _MANIFEST if path.is_dir() else path).resolve()
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            raise AuditError(f"{path} can't be read: not a file, or larger than {_LARGEST // MIB} MiB")
        document = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise AuditError(f"{path} can't be read: {reason(error)}") from None
    except (ValueError, RecursionError):
        raise AuditError(f"{path} is not JSON") from None
    if (fault := first_fault("dataset-manifest", document)) is not None:
        raise AuditError(f"{path} is not a manifest of this kit: {fault}")
    every = (
        Expected(one["name"], one["attempts"], {task["name"]: task for task in one["tasks"]})
        for one in document["datasets"]
    )
    return Manifest(document["agent"], {one.name: one for one in every})


class AgainstDataset:
    """Checks one job as its trials are read, in any order; stores none of them."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self._manifest = manifest
        self._findings = findings
        self._tried: dict[str, Counter[str]] = defaultdict(Counter)
        """How often each task was tried, by dataset."""

    @property
    def datasets(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return [name for name in self._manifest.datasets if name in self._tried]

    def trial(self, folder: str, record: Record) -> None:
        """Checks a trial's record; `folder` is the trial's, relative to the job's."""
        file, name = f"{folder}/{JOB_FILE}", record.task_name
        named = self._manifest.datasets.get(record.source or "")
        every = [named] if named else self._manifest.datasets.values()
        expected = next((one for one in every if name in one.tasks), None)
        if expected is None:
            rule = "A job of the dataset has only trials of its tasks."
            other = (file, "/task_name", show(name), "a task of the dataset", _VERBATIM)
            self._findings.add(Finding("dataset-task", *other, rule=rule))
            return
        self._tried[expected.name][name] += 1
        wanted, agent = self._manifest.agent, record.agent_info.name
        if agent != wanted:
            what = (file, "/agent_info/name", show(agent), show(wanted), _AGENT, "Another agent was run.")
            rule = f"The expectations are for the agent {wanted}."
            self._findings.add(Finding("dataset-task", *what, rule=rule))
        for finding in _outcomes(file, record, expected, name):
            self._findings.add(finding)

    def finish(self) -> None:
        """Checks, after the last trial, whether the job has the dataset's trials.

        It does not check the job's figures: they follow from the trials, and the audit recomputes them.
        """
        if not self._tried:
            wanted = f"trials of {', '.join(self._manifest.datasets)}"
            what = (JOB_FILE, "", "no trial of the dataset", wanted, _VERBATIM, _OTHER)
            rule = "A job of the dataset has trials of its tasks."
            self._findings.add(Finding("dataset-job", *what, rule=rule))
        for dataset, tried in self._tried.items():
            expected = self._manifest.datasets[dataset]
            odd = [f"{tried[name]} of {name}" for name in expected.tasks if tried[name] != expected.attempts]
            wanted = f"{expected.attempts} trials of each task of {dataset}"
            likely = f"The job was not run with {expected.attempts} attempts (-k {expected.attempts})."
            rule = "A job makes the configured number of attempts per task, and every trial leaves a record."
            if odd:
                what = ("", "", f"trials: {enumerated(odd, _LISTED)}", wanted, "003-6-plan-order", likely)
                self._findings.add(Finding("dataset-job", *what, rule=rule))


def _outcomes(file: str, record: Record, expected: Expected, name: str) -> Iterator[Finding]:
    """Reports a trial, or one of its steps, whose outcome is not the expected one."""
    task = expected.tasks[name]
    steps, wanted_steps = record.steps or [], task["steps"] or []
    pairs: list[tuple[str, Mapping[str, Json], Record | Part]] = [("", task, record)]
    both = enumerate(zip(wanted_steps, steps, strict=False))
    pairs += [(pointer("step_results", at), wanted, step) for at, (wanted, step) in both]
    found: list[tuple[str, str, str, Level]] = []
    for place, wanted, part in pairs:
        texts = (_recorded(part), _expected(wanted))
        found += [(place + path, *texts, at) for path, at in _differs(wanted, part)]
    if task["steps"] is not None and len(steps) != len(wanted_steps):
        found.append(("/step_results", f"{len(steps)} steps", f"{len(wanted_steps)} steps", Level.VALUE))
    for path, stated, due, level in found:
        what = ("dataset-task", file, path, stated, due, task["clause"], task["catches"], level)
        yield Finding(*what, task["rule"], f"{expected.name}/{name}", task["vector"])


def _differs(wanted: Mapping[str, Json], part: Record | Part) -> Iterator[tuple[str, Level]]:
    """The first place where a trial's or a step's record differs from the expected outcome, if any."""
    raised, result = part.exception_info, part.verifier_result
    rewards, expected = None if result is None else result.rewards, wanted["rewards"]
    if (None if raised is None else raised.exception_type) != wanted["exception"]:
        yield "/exception_info", Level.VALUE
    elif (result is not None) != wanted["verified"]:
        yield "/verifier_result", Level.VALUE
    elif rewards is None or expected is None or rewards.keys() != expected.keys():
        if rewards is not expected:
            yield "/verifier_result/rewards", Level.VALUE
    else:
        for key, spelled in expected.items():
            number = decode_number(spelled)
            finite = number if isinstance(number, int) or math.isfinite(number) else None  # null for NaN
            if repr(finite) != repr(rewards[key]):
                level = Level.EXACT if finite == rewards[key] else Level.VALUE
                yield pointer("verifier_result", "rewards", key), level
                return


def _recorded(part: Record | Part) -> str:
    """The recorded outcome of a trial or step."""
    raised, result = part.exception_info, part.verifier_result
    rewards = "not verified" if result is None else show(result.rewards)
    if raised is None:
        return rewards
    text = f"{raised.exception_type}: {raised.exception_message}".rstrip(": ")
    return shortened(f"{text}; {rewards}", _SHOWN)


def _expected(wanted: Mapping[str, Json]) -> str:
    """The outcome that the manifest expects of a trial or step."""
    if wanted["exception"] is not None:
        return str(wanted["exception"])
    if not wanted["verified"] or wanted["rewards"] is None:
        return "rewards null" if wanted["verified"] else "no verifier result"
    special = any(isinstance(value, str) for value in wanted["rewards"].values())
    return show(wanted["rewards"]) + (", recorded as null" if special else "")
