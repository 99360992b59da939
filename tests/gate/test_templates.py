"""The workflow that ``harbor-conformance new`` writes, as on GitHub: green, and red where scores change."""

import json
import shutil

from conformance.templates.languages import LANGUAGES
from conformance.templates.writing import write
from tests.templates.echoing.building import languages, look_for
from tools import github

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
