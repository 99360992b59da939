"""`check` as its users run it, in this process, and what the tests do with jobs and reports.

Nothing else here imports what is behind the command, but tests of limits, which no option sets one by one.
"""

import json
import re
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from conformance.extensions.audit.command import check
from conformance.extensions.audit.job import audit
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.report import JobAudit, Options
from conformance.extensions.audit.rules import rules_named
from conformance.judging.comparison import Level
from conformance.suite.schemas import first_fault
from conformance.wire.pointers import keys_of
from conformance.wire.untrusted_files import Folder

JOB = "result.json"
T0, T1 = "t0__0000000", "t1__0000001"
HELP = ["-h", "--help"]
"""What the group gives its commands; click keeps the option of a command's first call."""
Json = Any


def run(*arguments: object, command: Any = check) -> Result:
    result = CliRunner().invoke(command, [*map(str, arguments)], help_option_names=HELP)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def report(*arguments: object, exits: int | None = None) -> Json:
    """What `check --json` reports, and its schema accepts."""
    result = run("--json", "--jobs", 1, *arguments)
    document = json.loads(result.stdout)
    assert first_fault("check-report", document) is None
    assert result.exit_code == document["exit_code"]
    assert exits in (None, result.exit_code)
    return document


def audited(folder: Path, *options: object) -> Json:
    (job,) = report(*options, folder)["jobs"]
    return job


def lines(*arguments: object) -> list[str]:
    return without_version(run("--jobs", 1, *arguments).stdout).splitlines()


def without_version(text: str) -> str:
    """A page without the line that has the kit's version."""
    return re.sub(r"(?m)^kit:.*\n", "", text)


def squeezed(text: str) -> str:
    """A text without white space: however its lines are broken."""
    return "".join(text.split())


def compared(*arguments: object) -> Json:
    result = run("--json", "--pair", *arguments)
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert first_fault("comparison", document) is None
    return document


def explained(asked: str, *folders: Path) -> list[str]:
    """The lines after the head of what `--explain` prints."""
    told = run("--explain", asked, *folders).stdout.splitlines()
    assert all(line.isprintable() for line in told)
    return told[told.index("") + 1 :]


def found(job: Json, *members: str) -> list[tuple[str, ...]]:
    """A job's findings: kind, file and place of each, or what is named."""
    return [tuple(one[name] for name in members or ("kind", "file", "path")) for one in job["findings"]]


def grave(job: Json, *members: str) -> list[tuple[str, ...]]:
    return found({"findings": [one for one in job["findings"] if one["severity"] != "note"]}, *members)


def edit(file: Path, *pairs: tuple[str, str]) -> Path:
    """Replaces texts that are in a file."""
    text = file.read_bytes().decode()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    file.write_bytes(text.encode())
    return file


def put(file: Path, **members: Json) -> Path:
    """Changes members of a file by their pointers, and lays it out as harbor does; `...` leaves one out."""
    value = json.loads(file.read_text())
    for path, new in members.items():
        *above, last = keys_of(path)
        inner = value
        for key in above:
            inner = inner[int(key) if isinstance(inner, list) else key]
        inner[last] = new
        if new is ...:
            del inner[last]
    file.write_text(json.dumps(value, indent=4, ensure_ascii=False))
    return file


def judged(folder: Path, *rules: str, **limits: int) -> JobAudit:
    source = Folder.top(str(folder))
    try:
        return audit(source, Options(Level.BYTES, Limits(**limits), under=[*map(rules_named, rules)]))
    finally:
        source.leave()
