"""`--dataset`: compares a job's trials, and their number, with the manifest of one of the kit's datasets."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.extensions.audit.findings import AuditError, Findings
from conformance.extensions.audit.formats import JOB_FILE, Part, Record
from conformance.extensions.audit.reading import pointer, show
from conformance.extensions.audit.rewards import reward_difference
from conformance.judging.levels import Level
from conformance.pages.words import enumerated
from conformance.suite.schemas import first_fault
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, reason
from reference_impl.runner.wire import decode_number

Json = Any

_MANIFEST = "manifest.json"
_LARGEST = 4 * MIB
_SHOWN = 200
"""The most characters of an outcome that a finding shows."""
_LISTED = 10
"""The most tasks that a finding names."""
_VERBATIM, _AGENT = "003-6-plan-names-verbatim", "003-3.3-evals-key-without-model"


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected attempts and tasks of one dataset's job."""

    attempts: int
    tasks: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Manifest:
    """All datasets in a folder that `harbor-conformance dataset` wrote."""

    agent: str
    datasets: dict[str, Expected]
    """By name; a dataset's folder has the same name."""


def load_manifest(path: Path) -> Manifest:
    """Reads the manifest in a folder, or the manifest file itself.

    Raises:
        AuditError: there is none, or this version can't read it.
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
    datasets = {
        dataset["name"]: Expected(dataset["attempts"], {task["name"]: task for task in dataset["tasks"]})
        for dataset in document["datasets"]
    }
    return Manifest(document["agent"], datasets)


class AgainstDataset:
    """Checks one job while its trials are read, in any order; keeps none of them."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self._manifest = manifest
        self._findings = findings
        self._tried: dict[str, Counter[str]] = defaultdict(Counter)
        """The number of trials of each task, by dataset."""

    @property
    def datasets(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return [name for name in self._manifest.datasets if name in self._tried]

    def trial(self, folder: str, record: Record) -> None:
        """Checks a trial's record; `folder` is the trial's directory, relative to the job's."""
        file, name, datasets = f"{folder}/{JOB_FILE}", record.task_name, self._manifest.datasets
        names = [record.source] if record.source in datasets else [*datasets]
        dataset = next((key for key in names if key is not None and name in datasets[key].tasks), None)
        if dataset is None:
            rule = "A job of a dataset has only trials of the dataset's tasks."
            details = (file, "/task_name", show(name), "a task of the dataset", _VERBATIM)
            self._findings.add("dataset-task", *details, rule=rule)
            return
        self._tried[dataset][name] += 1
        wanted, agent, task = self._manifest.agent, record.agent_info.name, datasets[dataset].tasks[name]
        if agent != wanted:
            details = (file, "/agent_info/name", show(agent), show(wanted), _AGENT)
            rule = f"The expectations are for the agent {wanted}."
            self._findings.add("dataset-task", *details, "Another agent was run.", rule=rule)
        steps, wanted_steps = record.steps or [], task["steps"] or []
        pairs: list[tuple[str, Mapping[str, Json], Record | Part]] = [("", task, record)]
        both = enumerate(zip(wanted_steps, steps, strict=False))
        pairs += [(pointer("step_results", index), wanted, step) for index, (wanted, step) in both]
        gaps = [
            (path + gap[0], _recorded_outcome(part), _expected_outcome(outcome), gap[1])
            for path, outcome, part in pairs
            if (gap := _difference(outcome, part)) is not None
        ]
        if task["steps"] is not None and len(steps) != len(wanted_steps):
            gaps.append(("/step_results", f"{len(steps)} steps", f"{len(wanted_steps)} steps", Level.VALUE))
        more = {"rule": task["rule"], "task": f"{dataset}/{name}", "vector": task["vector"]}
        for *ends, level in gaps:
            self._findings.add("dataset-task", file, *ends, task["clause"], task["catches"], level, **more)

    def finish(self) -> None:
        """Checks, after the last trial, whether the job has all of the dataset's trials.

        It does not check the job's numbers: the audit recomputes them from the trials.
        """
        if not self._tried:
            wanted = f"trials of {', '.join(self._manifest.datasets)}"
            hint = "The directory is another job's, or the manifest is another dataset's."
            rule = "A job of a dataset has trials of the dataset's tasks."
            details = (JOB_FILE, "", "no trial of the dataset", wanted, _VERBATIM, hint)
            self._findings.add("dataset-job", *details, rule=rule)
        for dataset, tried in self._tried.items():
            expected = self._manifest.datasets[dataset]
            odd = [f"{tried[name]} of {name}" for name in expected.tasks if tried[name] != expected.attempts]
            wanted = f"{expected.attempts} trials of each task of {dataset}"
            likely = f"The job was not run with {expected.attempts} attempts (-k {expected.attempts})."
            rule = (
                "A job makes the configured number of attempts at each task, and every trial leaves a record."
            )
            if odd:
                details = ("", "", f"trials: {enumerated(odd, _LISTED)}", wanted, "003-6-plan-order", likely)
                self._findings.add("dataset-job", *details, rule=rule)


def _difference(wanted: Mapping[str, Json], part: Record | Part) -> tuple[str, Level] | None:
    """Return the pointer to the first difference between a record and the expected outcome, and its level."""
    raised, result, rewards = part.exception_info, part.verifier_result, wanted["rewards"]
    if (None if raised is None else raised.exception_type) != wanted["exception"]:
        return "/exception_info", Level.VALUE
    if (result is not None) != wanted["verified"]:
        return "/verifier_result", Level.VALUE
    numbers = rewards and {key: decode_number(spelled) for key, spelled in rewards.items()}
    gap = reward_difference(None if result is None else result.rewards, numbers, ordered=False)
    return gap and ("/verifier_result/rewards" + ("" if gap[0] is None else pointer(gap[0])), gap[1])


def _recorded_outcome(part: Record | Part) -> str:
    """The recorded outcome of a trial or step."""
    raised, result = part.exception_info, part.verifier_result
    rewards = "not verified" if result is None else show(result.rewards)
    if raised is None:
        return rewards
    text = f"{raised.exception_type}: {raised.exception_message}".rstrip(": ")
    return shortened(f"{text}; {rewards}", _SHOWN)


def _expected_outcome(wanted: Mapping[str, Json]) -> str:
    """The outcome that the manifest expects of a trial or step."""
    if wanted["exception"] is not None:
        return str(wanted["exception"])
    if not wanted["verified"] or wanted["rewards"] is None:
        return "rewards null" if wanted["verified"] else "no verifier result"
    special = any(isinstance(value, str) for value in wanted["rewards"].values())
    return show(wanted["rewards"]) + (", recorded as null" if special else "")
