"""Runs actions and workflows as GitHub's runner does, as far as the tests of the kit's own action need it.

Steps with ``run`` are executed by the same shell and with the same files as on GitHub; their output is
searched for workflow commands. Of the actions that a step ``uses``, the kit's own is executed, those for
artifacts and caches are simulated with folders, a checkout is skipped, and any other is refused.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
MOST_SUMMARY = 1 << 20
COMMAND = re.compile(
    r"^[^\S\n]*::([A-Za-z][\w-]*)(?: ([^\n]*?))?::([^\n]*)$|##\[([A-Za-z][\w-]*)[^\n\]]*\]([^\n]*)",
    re.MULTILINE,
)
"""GitHub's commands in a log, in the old and the new form."""
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
TERM = re.compile(r"&&|\|\||!=|==|!|'(?:[^']|'')*'|[A-Za-z_][\w.\-]*(?:\(\))?")
SHELLS = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], None: ["bash", "-e"]}
OWN_PREFIXES = ("GITHUB_", "RUNNER_", "PYTEST_")
TIME_LIMIT = 600


@dataclass
class Step:
    name: str
    exit_code: int | None
    """None if it was skipped."""
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    uses: str = ""
    given: dict[str, str] = field(default_factory=dict)

    @property
    def commands(self) -> list[tuple[str, str]]:
        return [(groups[0] or groups[3], groups[2] or groups[4]) for groups in COMMAND.findall(self.log)]


@dataclass
class Result:
    steps: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    exit_code: int = 0

    @property
    def summary(self) -> str:
        return "".join(step.summary for step in self.steps)

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)


OPERATORS = {"&&": " and ", "||": " or ", "!": " not ", "==": "==", "!=": "!="}


def evaluate(text: str, context: Mapping[str, Any], *, failed: bool) -> Any:
    """The value of an expression; its operators are translated to Python's."""

    def in_python(term: re.Match[str]) -> str:
        return OPERATORS.get(term[0]) or repr(value_of(term[0], context, failed=failed))

    return eval(TERM.sub(in_python, text.strip()) or "''", {"__builtins__": {}})


def value_of(word: str, context: Mapping[str, Any], *, failed: bool) -> Any:
    if word.startswith("'"):
        return word[1:-1].replace("''", "'")
    if word in ("always()", "success()", "cancelled()", "true", "false"):
        return word in ("always()", "true") or (word == "success()" and not failed)
    value: Any = context
    for part in word.split("."):
        value = value.get(part, "") if isinstance(value, Mapping) else ""
    return value


def expand(text: Any, context: Mapping[str, Any]) -> str:
    if isinstance(text, bool):
        return str(text).lower()
    return EXPRESSION.sub(lambda match: str(evaluate(match[1], context, failed=False)), str(text))


def file_commands(text: str) -> dict[str, str]:
    """Parses a file of outputs or variables; raises an error wherever GitHub's runner fails."""
    values: dict[str, str] = {}
    lines = iter(text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else [])
    for line in lines:
        if not line:
            continue
        heredoc = re.match(r"([^=<]+)<<(.+)$", line)
        if heredoc:
            value: list[str] = []
            for body in lines:
                if body == heredoc[2]:
                    break
                value.append(body)
            else:
                raise ValueError(f"Matching delimiter not found {heredoc[2]}")
            values[heredoc[1]] = "\n".join(value)
            continue
        name, equals, content = line.partition("=")
        if not equals:
            raise ValueError(f"Invalid format {line!r}")
        values[name] = content
    return values


@dataclass
class Machine:
    """A machine that runs one job: a workspace, a temporary folder, the artifacts of the whole workflow."""

    workspace: Path
    temp: Path
    artifacts: Path
    kit: str = ""
    """The name by which workflows refer to the repository of this action."""
    variables: dict[str, str] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    _count: int = 0
    _to_save: list[tuple[Path, Path]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.temp.mkdir(parents=True, exist_ok=True)
        self.artifacts.mkdir(parents=True, exist_ok=True)

    def action(
        self, folder: Path, inputs: Mapping[str, Any], context: Mapping[str, Any] | None = None
    ) -> Result:
        """Runs a composite action."""
        action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        assert action["runs"]["using"] == "composite"
        unknown = set(inputs) - set(action["inputs"])
        assert not unknown, f"the action has no input {sorted(unknown)}"
        own = {
            "inputs": {
                name: expand(inputs.get(name, item.get("default", "")), context or {})
                for name, item in action["inputs"].items()
            },
            "steps": {},
            "github": {"action_path": str(folder), "workspace": str(self.workspace)},
            "runner": {"temp": str(self.temp)},
            "strategy": (context or {}).get("strategy", {}),
        }
        done = self.steps(action["runs"]["steps"], own, {"GITHUB_ACTION_PATH": str(folder)}, composite=True)
        for source, target in self._to_save if done.exit_code == 0 else ():
            shutil.copytree(source, target, symlinks=True)
        self._to_save.clear()
        done.outputs = {name: expand(item["value"], own) for name, item in action.get("outputs", {}).items()}
        return done

    def steps(
        self,
        steps: list[dict[str, Any]],
        context: dict[str, Any],
        variables: Mapping[str, str],
        *,
        composite: bool = False,
    ) -> Result:
        """Runs steps in order; after a failure, only those with ``always()``."""
        done = Result()
        for number, entry in enumerate(steps):
            name = entry.get("name") or entry.get("id") or entry.get("uses") or f"step {number}"
            condition = str(entry.get("if", "success()"))
            match = EXPRESSION.fullmatch(condition.strip())
            condition = match[1] if match else condition
            if not re.search(r"\b(always|success|failure|cancelled)\(\)", condition):
                condition = f"success() && {condition}"
            if not evaluate(condition, context, failed=done.exit_code != 0):
                done.steps.append(Step(name, None))
                continue
            if "run" in entry:
                assert not composite or "shell" in entry, f"{name}: a composite action names its shells"
                step = self._run(entry, name, context, variables)
            else:
                step = self._use(entry, name, context)
            done.steps.append(step)
            if "id" in entry:
                context["steps"][entry["id"]] = {"outputs": step.outputs}
            done.exit_code = done.exit_code or step.exit_code or 0
        return done

    def _run(
        self, entry: dict[str, Any], name: str, context: dict[str, Any], variables: Mapping[str, str]
    ) -> Step:
        self._count += 1
        folder = self.temp / "_runner_file_commands"
        folder.mkdir(exist_ok=True)
        files = {
            f"GITHUB_{kind}": folder / f"{kind.lower()}_{self._count}"
            for kind in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH", "STATE")
        }
        for file in files.values():
            file.touch()
        script = folder / f"script_{self._count}.sh"
        script.write_text(expand(entry["run"], context), encoding="utf-8")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(OWN_PREFIXES)},
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
            **variables,
            **self.variables,
            **{key: expand(value, context) for key, value in entry.get("env", {}).items()},
            **{key: str(value) for key, value in files.items()},
        }
        environment["PATH"] = os.pathsep.join([*reversed(self.path), environment["PATH"]])
        where = self.workspace / expand(entry.get("working-directory", "."), context)
        ran = subprocess.run(
            [*SHELLS[entry.get("shell")], str(script)],
            cwd=where,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT,
            check=False,
        )
        log = ran.stdout.decode("utf-8", "replace")
        code, outputs = ran.returncode, dict[str, str]()
        try:
            outputs = file_commands(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
            self.variables |= file_commands(files["GITHUB_ENV"].read_text(encoding="utf-8"))
        except ValueError as error:
            code, log = code or 1, f"{log}\nError: {error}\n"
        self.path += files["GITHUB_PATH"].read_text(encoding="utf-8").splitlines()
        summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        if len(summary.encode()) > MOST_SUMMARY:
            summary, log = "", f"{log}\n$GITHUB_STEP_SUMMARY upload aborted\n"
        return Step(name, code, log, outputs, summary)

    def _use(self, entry: dict[str, Any], name: str, context: dict[str, Any]) -> Step:
        action, _, _ = entry["uses"].partition("@")
        inputs = {key: expand(value, context) for key, value in entry.get("with", {}).items()}
        step = Step(name, 0, uses=entry["uses"], given=inputs)
        if self.kit and action == self.kit:
            done = self.action(ROOT, entry.get("with", {}), context)
            step.exit_code, step.outputs, step.summary = done.exit_code, done.outputs, done.summary
            step.log = "".join(inner.log for inner in done.steps)
        elif action == "actions/upload-artifact":
            step.exit_code = self._upload(inputs)
        elif action == "actions/download-artifact":
            self._download(inputs)
        elif action == "actions/cache":
            step.outputs = {"cache-hit": self._restore(inputs)}
        else:
            assert action in ("actions/checkout", "actions/setup-python"), action
        return step

    def _restore(self, inputs: Mapping[str, str]) -> str:
        """Restores a cache; a missing one is saved when the action has succeeded."""
        path, cached = Path(inputs["path"]), self.artifacts.parent / "caches" / inputs["key"]
        if cached.is_dir():
            if not path.exists():
                shutil.copytree(cached, path, symlinks=True)
            return "true"
        self._to_save.append((path, cached))
        return ""

    def _upload(self, inputs: Mapping[str, str]) -> int:
        source, target = Path(inputs["path"]), self.artifacts / inputs["name"]
        source = source if source.is_absolute() else self.workspace / source
        assert not re.search(r'[":<>|*?\r\n\\/]', inputs["name"]), "a name that an artifact can't have"
        if target.exists():
            return 1  # a name may be used once
        if not source.exists() or not any(source.iterdir()):
            assert inputs.get("if-no-files-found", "warn") == "warn"
            return 0
        shutil.copytree(source, target)
        return 0

    def _download(self, inputs: Mapping[str, str]) -> None:
        for artifact in self.artifacts.iterdir():
            if fnmatch(artifact.name, inputs["pattern"]):
                shutil.copytree(artifact, self.workspace / inputs["path"] / artifact.name)


def matrix_of(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The combinations of a job's matrix of one dimension."""
    ((name, values),) = job.get("strategy", {}).get("matrix", {"": [None]}).items()
    return [{name: value} if name else {} for value in values]


def workflow(machine: Machine, path: Path, change: Callable[[dict[str, Any]], Any]) -> dict[str, Result]:
    """Runs a workflow's jobs one after the other, each combination of a matrix as a separate job.

    ``change`` replaces a step's inputs.
    """
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    results: dict[str, Result] = {}
    for name, job in jobs.items():
        needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
        failed = any(done.exit_code for earlier, done in results.items() if earlier.split(" ")[0] in needs)
        condition = EXPRESSION.sub(lambda match: match[1], str(job.get("if", "success()")))
        if not evaluate(condition, {}, failed=failed):
            continue
        matrix = matrix_of(job)
        for index, chosen in enumerate(matrix):
            context = {
                "matrix": chosen,
                "strategy": {"job-index": index, "job-total": len(matrix)},
                "steps": {},
            }
            steps = [raw | ({"with": change(raw["with"])} if "with" in raw else {}) for raw in job["steps"]]
            label = " ".join([name, *map(str, chosen.values())])
            results[label] = machine.steps(steps, context, {})
    return results
