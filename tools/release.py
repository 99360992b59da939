"""Runs the checks of a release that .ci/run does not run for every change.

    python -m tools.release               # all of them, in an hour or two
    python -m tools.release --list        # the steps, each with what it shows
    python -m tools.release mutants wheel # only these

Needs what .ci/run needs, and for some steps the network, compilers or a browser: a step that can't be run has
failed. Each step's output is in a file in the folder that ``--output`` names.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.oracle.python import locate
from conformance.registry.ops import SPECS

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
KIT = shlex.quote(str(Path(sys.executable).with_name("harbor-conformance")))
PYTHON = shlex.quote(sys.executable)
ALL_LANGUAGES = "python,typescript,rust,go,java,csharp,cpp,shell"


@dataclass(frozen=True)
class Step:
    """Shell commands that must all end with exit code 0."""

    name: str
    shows: str
    commands: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()


def steps(folder: Path) -> Iterator[Step]:
    """All steps, the quick ones first; ``folder`` holds files that steps share."""
    yield Step("notes", "the changelog counts today's vectors", (f"{KIT} kit spec vectors",))
    yield Step(
        "wheel", "the wheel of the last commit, installed on every Python", tuple(_wheel_commands(folder))
    )
    yield Step(
        "seeds",
        "the oracles answer alike under other hash seeds",
        tuple(
            f"PYTHONHASHSEED={seed} {KIT} run --runner oracle --spec {spec} --runner-timeout 60"
            for seed in (1, 20260)
            for spec in SPECS
        ),
    )
    fuzz = f"{KIT} fuzz --runner oracle --runner-timeout 60 --time 120 --out {_counterexamples(folder)}"
    commands = tuple(f"{fuzz} --spec {spec}" for spec in SPECS)
    yield Step("random", "reference and oracles agree on random inputs", commands)
    yield Step("pythons", "the reference and the kit on every Python", tuple(_python_commands(folder)))
    yield Step(
        "mutants",
        "every mutant of the reference is caught by a vector",
        tuple(f"{KIT} kit mutants --record --spec {spec}" for spec in SPECS),
    )
    yield Step(
        "open-world",
        "what the to-do list says of made-up runners and of recorded ones",
        (f"{KIT} kit assess --open-world 200",),
    )
    yield Step("assessment", "SELF-ASSESSMENT.md matches the measurements", (f"{KIT} kit assess --check",))
    yield Step("sabotages", "the tests notice every sabotage of the kit", (f"{PYTHON} -m tools.sabotages",))
    yield Step(
        "tests",
        "all languages, the complete runner, forks, other plugins, derivations",
        (f"{PYTHON} -m pytest -q -n auto -m release --require-oracle", f"{PYTHON} -m tools.languages"),
        (("HARBOR_CONFORMANCE_REQUIRE_COMPILERS", ALL_LANGUAGES),),
    )
    yield Step(
        "pages",
        "the HTML page in a browser, without a violation of axe",
        (
            f"npm install --silent --prefix {shlex.quote(str(folder / 'browser'))} puppeteer-core axe-core",
            f"{PYTHON} -m pytest -q tests/pages/browser",
        ),
        (("HARBOR_CONFORMANCE_BROWSER", str(folder / "browser")),),
    )
    yield Step(
        "speed",
        "figures next to their targets, for information",
        (f"{PYTHON} -m tools.benchmarks.cost --json {shlex.quote(str(folder / 'cost.json'))}",),
    )


def _wheel_commands(folder: Path) -> Iterator[str]:
    """The wheel with its packages by hash, in a new environment of every Python, used in an empty folder."""
    root = shlex.quote(str(folder / "wheel"))
    yield f"mkdir {root} && {PYTHON} -m tools.wheel {root}"
    for version in PYTHONS:
        venv = f"{root}/{version}"
        pip, kit = f"{venv}/bin/pip install -q", f"{venv}/bin/harbor-conformance"
        yield f"{shlex.quote(str(locate(version).path))} -m venv {venv}"
        yield f"{pip} --require-hashes -r {root}/clone/constraints.txt"
        yield f"{pip} --no-deps {root}/clone/dist/*.whl && {venv}/bin/pip check"
        yield f"mkdir {venv}/empty && cd {venv}/empty && {venv}/bin/pytest -q --runner=reference"
        yield f"cd {venv}/empty && {kit} new python first && {kit} doctor"
        for spec in SPECS:
            yield f"cd {venv}/empty && {kit} run --runner reference --spec {spec}"
        gate = "gate --runner 'python3 runner.py' --known-failures known-failures.txt"
        yield f"cd {venv}/empty/first && {kit} {gate}"


def _python_commands(folder: Path) -> Iterator[str]:
    """An environment for every Python; in it the kernel's tests, and the reference's answers."""
    kernel = "tests/reference_impl tests/registry tests/suite tests/wire tests/judging tests/run"
    diagnosis = "tests/deviations tests/diagnosis/test_answers.py"
    uv = shlex.quote(str(Path(sys.executable).with_name("uv")))
    for version in PYTHONS:
        venv = shlex.quote(str(folder / version))
        yield f"{uv} venv -q --clear --python {shlex.quote(str(locate(version).path))} {venv}"
        yield f"{uv} pip install -q --python {venv}/bin/python -e '.[test]'"
        yield f"{venv}/bin/pytest -q -n auto -m 'not once and not oracle' {kernel} {diagnosis}"
        runner = f"--runner {shlex.quote(f'{venv}/bin/python -m reference_impl')}"
        for spec in SPECS:
            yield f"{venv}/bin/harbor-conformance run --runner reference --spec {spec}"
            yield f"{KIT} fuzz {runner} --spec {spec} --inputs 3000 --seed 2 --out {_counterexamples(folder)}"


def _counterexamples(folder: Path) -> str:
    return shlex.quote(str(folder / "counterexamples.json"))


def run_step(step: Step, folder: Path) -> bool:
    """Runs a step until one of its commands fails; prints how it ended, and its last output if it failed."""
    log, began, code = folder / f"{step.name}.log", time.monotonic(), 0
    print(f"{step.name}: {step.shows} ...", flush=True)
    with log.open("wb") as stream:
        for command in step.commands:
            stream.write(f"$ {command}\n".encode())
            stream.flush()
            variables = {**os.environ, **dict(step.variables)}
            code = subprocess.call(
                command, shell=True, cwd=ROOT, env=variables, stdout=stream, stderr=subprocess.STDOUT
            )
            if code:
                break
    if code:
        print(log.read_text("utf-8", "replace")[-3000:])
    print(
        f"{step.name}: {'failed' if code else 'passed'} in {time.monotonic() - began:.0f} s ({log})",
        flush=True,
    )
    return code == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="STEP", help="Only these; all if none is named.")
    parser.add_argument("--list", action="store_true", help="Only print the steps.")
    parser.add_argument("--output", type=Path, help="Folder for logs and reports; a new one if unset.")
    options = parser.parse_args()
    folder = options.output or Path(tempfile.mkdtemp(prefix="release-"))
    folder.mkdir(parents=True, exist_ok=True)
    known = list(steps(folder.absolute()))
    unknown = set(options.names) - {step.name for step in known}
    if unknown:
        parser.error(f"there is no step {min(unknown)!r}; there are {', '.join(step.name for step in known)}")
    chosen = [step for step in known if step.name in options.names or not options.names]
    if options.list:
        print("\n".join(f"{step.name:12} {step.shows}" for step in chosen))
        return 0
    failed = [step.name for step in chosen if not run_step(step, folder)]
    print(f"release: {len(chosen) - len(failed)} of {len(chosen)} steps passed")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
