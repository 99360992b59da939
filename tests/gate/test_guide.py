"""What docs/gating-a-fork.md tells maintainers to do, done, and the workflow that ``new`` writes."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conformance.templates.languages import LANGUAGES
from conformance.templates.writing import write
from tests.templates.echoing.building import languages, look_for
from tools import github

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "gating-a-fork.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```yaml (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
TASK = re.compile(r"^```(sh gate(?: fails)?|yaml \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ASKED = "'python src/harbor/metrics/mean.py' --spec evsys"
"""A runner of one operation, in the file that has its mean: a fork would take a minute."""
MEAN = """\
import sys

import reference_impl.evsys.metrics as metrics
import reference_impl.runner.serving as runner


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


metrics.compensated_sum = lambda values: mean(list(values)) * len(list(values))
runner.HELLO["ops"] = ["evsys.compute"]
if __name__ == "__main__":
    runner.main()
"""


@pytest.fixture
def fork(repository):
    """A repository with a runner that the document's change breaks."""
    path = repository / "src" / "harbor" / "metrics" / "mean.py"
    path.parent.mkdir(parents=True)
    path.write_text(MEAN)
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    return repository


@pytest.fixture
def listed(fork, bash):
    """The list of what fails today, in that repository."""
    bash(f"harbor-conformance baseline --runner {ASKED} -o known-failures.txt", fork)
    return fork


@pytest.fixture
def bash(command, quick_python):
    """Runs a script where the kit is installed, and where Python installs nothing."""
    (command.parent / "python").symlink_to(quick_python)

    def run(script, folder, **variables):
        path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
        streams = {"capture_output": True, "text": True, "timeout": 300}
        environment = {**os.environ, "PATH": path, **variables}
        return subprocess.run(["bash", "-euc", script], cwd=folder, env=environment, **streams)

    return run


def cheaper(given, python):
    """The inputs that a workflow gives, with the runner that is asked here, and a Python that has the kit."""
    if "runner" in given:
        runner = shlex.split(ASKED)[0].replace("python", shlex.quote(sys.executable), 1)
        given = given | {"runner": runner, "spec": "evsys", "fuzz-seconds": 1}
    return given | ({"python": python} if {"runner", "merge"} & given.keys() else {})


def test_a_gate_in_five_minutes(fork, bash, command, quick_python, installing, machine) -> None:
    """Each step as it stands there, and then the workflow."""
    (command.parent / "python3").symlink_to(quick_python)
    who = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    exports, section = [], TEXT.partition("## A gate in five minutes")[2].partition("\n## ")[0]
    tasks = TASK.findall(section)
    assert len(tasks) == 7
    for kind, text in tasks:
        if kind.startswith("yaml "):
            file = fork / kind.removeprefix("yaml ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            continue
        cheap = text.replace("harbor:.", ASKED).replace("--fuzz 20", "--fuzz 1")
        done = bash("\n".join([*exports, cheap]), fork, KIT="/the/kit", **who)
        assert done.returncode == kind.endswith("fails"), cheap + done.stdout + done.stderr
        exports += [line for line in text.splitlines() if line.startswith("export ")]
    assert "/the/kit[oracle]" in installing.read_text()
    assert (fork / "conformance-report" / "report.html").is_file()
    path = fork / ".github" / "workflows" / "conformance.yml"
    (done,) = github.workflow(machine, path, lambda given: cheaper(given, quick_python)).values()
    assert done.exit_code == 0, done.steps[-1].log


def test_the_workflow_in_parts(listed, machine, quick_python, tmp_path) -> None:
    """All four parts are right, and so is the whole; without one of them it fails and says which."""
    path = tmp_path / "parts.yml"
    path.write_text(FILES[".github/workflows/conformance-in-parts.yml"])
    jobs = github.workflow(machine, path, lambda given: cheaper(given, quick_python))
    codes = [(name, done.exit_code) for name, done in jobs.items()]
    assert codes == [(name, 0) for name in ("part 1", "part 2", "part 3", "part 4", "whole")]
    whole = json.loads((machine.artifacts / "conformance-report" / "report.json").read_text())
    passed = sum(map(len, whole["passed"].values()))
    assert passed + len(whole["results"]) == whole["vectors"]["total"] == 334


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(".github/")])
def test_a_workflow_is_as_safe_as_it_can_be(name) -> None:
    """No more permissions than needed, everything pinned, no text of others in a script."""
    workflow = yaml.safe_load(FILES[name])
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in FILES[name]
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            action, _, version = step["uses"].partition("@")
            assert version == "COMMIT" or re.fullmatch(r"[0-9a-f]{40}", version), action
            if action == "actions/checkout":
                assert step["with"]["persist-credentials"] is False


def test_gitlab(listed, bash, installing) -> None:
    """Its two jobs, and every file that it is told to keep."""
    jobs = yaml.safe_load(FILES[".gitlab-ci.yml"])
    variables = jobs["variables"]
    for name in ("conformance", "pages"):
        for line in jobs[name]["script"]:
            line = line.replace("harbor:.", ASKED).replace("--fuzz 20", "--fuzz 1")
            done = bash(line, listed, CI_COMMIT_BRANCH="main", **variables)
            assert done.returncode == 0, line + done.stdout + done.stderr
    assert "harbor-conformance[oracle]" in installing.read_text()
    kept = jobs["conformance"]["artifacts"]
    assert all((listed / path).is_dir() for path in kept["paths"])
    assert [path.name for path in listed.glob(kept["reports"]["junit"])] == ["junit.xml"]
    assert {path.name for path in (listed / "public").iterdir()} == {"index.html", "badge.json", "badge.svg"}


def test_pre_commit(listed, bash) -> None:
    """The hook's entry, as pre-commit would start it; and that it is one that pre-commit knows."""
    ((hook,),) = [one["hooks"] for one in yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"]]
    assert hook["language"] == "system"
    assert re.match(hook["files"], "src/harbor/metrics/mean.py")
    assert not re.match(hook["files"], "docs/index.md")
    entry = hook["entry"].replace("harbor:.", ASKED)
    done = bash(entry, listed)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("gate: passed: ")


PLAYED = ("python", "shell", "rust")
"""One of each kind of step before the gate; tests/templates tries what every project says."""


@languages(PLAYED)
def test_the_workflow_of_a_new_project(slug, repository, machine, quick_python) -> None:
    """The list that comes with a project is what fails; a sum that is wrong in another way is new."""
    (language,) = (one for one in LANGUAGES if one.slug == slug)
    look_for(language)
    write(language, repository, "tried", "2026-01-02")
    root = repository.parent / "root"
    root.mkdir()
    (root / "sudo").write_text("#!/bin/sh\nexec true\n")  # what it would install is here
    (root / "sudo").chmod(0o755)
    machine.path.append(str(root))
    path = repository / ".github" / "workflows" / "conformance.yml"

    def with_python(given):
        return given | ({"python": quick_python} if "runner" in given else {})

    (done,) = github.workflow(machine, path, with_python).values()
    assert done.exit_code == 0, done.steps[-1].log[-3000:]
    assert [step.name for step in done.steps if step.name == "Build"] == (["Build"] if language.build else [])
    kept = machine.artifacts / "conformance-report"
    report = json.loads((kept / "report.json").read_text())
    assert report["runner"]["name"] == "tried"
    assert int(done.steps[-1].outputs["known-failures"]) > 100
    shutil.rmtree(kept)
    author = repository / language.author
    text = author.read_text("utf-8")
    assert text.count("total += ") == 1
    author.write_text(text.replace("total += ", "total -= "), "utf-8")
    (done,) = github.workflow(machine, path, with_python).values()
    assert done.exit_code == 1, done.steps[-1].log[-3000:]
    assert done.steps[-1].outputs["verdict"] == "failed"
    assert int(done.steps[-1].outputs["new-failures"]) > 10
