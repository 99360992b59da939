"""Reports what a new release of harbor changes in scores.

    python -m tools.upstream                        # the newest on PyPI, pre-releases included
    python -m tools.upstream --new 0.26.0 --known 0.25.0

The known releases are those that docs/harbor-releases.json has executed. A newer one is compared with the
newest of them: the modules that decide scores, without comments and docstrings, and the answers to every
vector of the newest spec.

Exit codes: 0 nothing is new, 1 something that decides scores changed, 2 it could not be determined.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.version import Version

from conformance.oracle.python import find_uv, locate
from conformance.outcomes.words import counted
from conformance.registry.ops import SPECS
from tools.releases_page import matrix_and_rules, newest_executed

MOST_RULES = 10
DECIDING = (
    *("job.py", "job_diff.py", "job_plan.py", "metrics/*.py", "models/dataset/*.py", "models/job/*.py"),
    *("models/metric/*.py", "models/task/*.py", "models/trial/*.py", "models/verifier/*.py", "tasks/*.py"),
    *("trial/*.py", "utils/pass_at_k.py", "verifier/*.py"),
)
"""The modules that read rewards, plan trials, aggregate, or write result.json."""
CODE = """
import ast, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            text = [one for one in body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
            node.body = [one for one in body if one not in text]
    print(ast.dump(tree))
"""
"""Prints each module's code on a line; harbor's own Python runs it, as older ones can't read its syntax."""
SECONDS = "60"
"""The time-out for a reply: playing a job may take long."""


class UpstreamError(Exception):
    """The check failed; the message is one sentence."""


def install(requirement: str, folder: Path) -> str:
    """Installs only harbor into a folder; returns its version.

    Raises:
        UpstreamError: uv can't.
    """
    uv_pip("--no-deps", "--python", locate().path, "--target", folder, requirement)
    (named,) = folder.glob("harbor-*.dist-info")
    return named.name.removeprefix("harbor-").removesuffix(".dist-info")


def uv_pip(*words: object) -> None:
    command = [find_uv(), "pip", "install", "-q", "--only-binary", ":all:", "--prerelease", "allow", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise UpstreamError(f"uv can't install {words[-1]}: {done.stderr.strip().splitlines()[-1]}")


def newest_spec() -> str:
    releases = [name for name in SPECS if name.removeprefix("harbor-")[0].isdigit()]
    return max(releases, key=lambda name: Version(name.removeprefix("harbor-")))


def known_changes(known: str) -> Iterator[str]:
    """The known changes since the newest release that has a spec."""
    spec = newest_spec().removeprefix("harbor-")
    _, rules = matrix_and_rules()
    since = [rule for rule in rules["rules"] if Version(spec) < Version(rule["since"]) <= Version(known)]
    if not since:
        yield f"nothing that decides scores changed from harbor {spec} to {known}"
        return
    yield f"from harbor {spec}, the newest with a spec, to {known}, {counted(len(since), 'rule')} changed:"
    for rule in since:
        yield from textwrap.wrap(
            f"{rule['since']}: {rule['rule']}", 100, initial_indent="  ", subsequent_indent="    "
        )
    yield "docs/harbor-releases.md says what each does to a score"


def code_of(folder: Path) -> dict[str, str]:
    """The code of the modules that decide scores."""
    paths = sorted({path for pattern in DECIDING for path in (folder / "harbor").glob(pattern)})
    command = [locate().path, "-c", CODE, *paths]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {str(path.relative_to(folder)): line for path, line in zip(paths, lines, strict=True)}


def changed_modules(known: Path, new: Path) -> list[str]:
    old_code, new_code = code_of(known), code_of(new)
    names = sorted({*old_code, *new_code})
    return [name for name in names if old_code.get(name) != new_code.get(name)]


def subject(version: str, work: Path) -> str:
    """The subject of ``matrix`` for a version: a release's number, or an environment with a pre-release."""
    if re.fullmatch(r"\d+\.\d+\.\d+", version):
        return version
    environment = work / version
    subprocess.run([find_uv(), "venv", "-q", "--python", str(locate().path), environment], check=True)
    uv_pip("--python", environment / "bin" / "python", f"harbor=={version}")
    return f"{version}=harbor:{environment}"


def ask_both(known: str, new: str, work: Path) -> Mapping[str, Any]:
    """Asks both versions the vectors; returns the report of ``matrix``.

    Raises:
        UpstreamError: one of them could not be asked.
    """
    kit = Path(sys.executable).with_name("harbor-conformance")
    words = ["--spec", newest_spec(), "--again-seed", "1", "--runner-timeout", SECONDS, "--json"]
    file = work / "matrix.json"
    command = [kit, "matrix", *(subject(version, work) for version in (known, new)), *words, file]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise UpstreamError(f"the vectors could not be run: {(done.stderr or done.stdout).strip()[-500:]}")
    report: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
    if unanswered := [row["why_not"] for row in report["rows"] if row["result"] is None]:
        raise UpstreamError(f"the vectors could not be run: {unanswered[0]}")
    return report


def vector_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The rules with different answers, those with the most vectors first."""
    (change,) = report["changes"]
    old, new = change["from"], change["to"]
    rules = sorted(change["rules"], key=lambda rule: -rule["count"])
    compared = f"{change['compared']:,} vectors of {change['spec']}"
    yield f"{compared}: {new} answers {counted(len(rules), 'rule')} differently"
    for key, state in (("ops_gone", "gone"), ("ops_new", "new")):
        yield from (f"  operation {op['op']}: {state}" for op in change[key])
    for rule in rules[:MOST_RULES]:
        yield f"  {rule['count']:4} {rule['clause']}, such as {rule['example'].partition('/')[2]}"
        yield f"       {textwrap.shorten(rule['statement'], 93, placeholder=' …')}"
    if len(rules) > MOST_RULES:
        yield f"  and {len(rules) - MOST_RULES} more: harbor-conformance matrix {old} {new}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known_by_default = newest_executed(matrix_and_rules()[0])
    parser.add_argument("--known", default=known_by_default, help=f"the release known ({known_by_default})")
    parser.add_argument("--new", help="the release to look at; the newest by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        try:
            return report_news(options.known, options.new, Path(name))
        except UpstreamError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2


def report_news(known: str, wanted: str | None, work: Path) -> int:
    """Prints what changed; returns 1 if something did."""
    new = install("harbor" if wanted is None else f"harbor=={wanted}", work / "new")
    if Version(new) <= Version(known):
        print(f"nothing is newer than harbor {known}, which is known", *known_changes(known), sep="\n")
        return 0
    install(f"harbor=={known}", work / "known")
    modules = changed_modules(work / "known", work / "new")
    print(f"harbor {new} is newer than {known}: {counted(len(modules), 'module')} that decide scores changed")
    print(*(f"  {name}" for name in modules), sep="\n", flush=True)
    report = ask_both(known, new, work)
    print(*vector_lines(report), sep="\n")
    if report["changes"][0]["rules"]:
        print('next: CONTRIBUTING.md, "Record a new release of harbor"')
        return 1
    if modules:
        print("no vector shows a change: compare the modules")
        return 1
    print("nothing that decides scores changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
