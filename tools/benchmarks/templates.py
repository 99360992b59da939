"""From ``new`` to the first passing vectors, in seconds and lines: python -m tools.benchmarks.templates

For each language whose compiler is here, with nothing built and nothing in the caches of Go and npm:

- new: ``harbor-conformance new LANGUAGE DIR``;
- build: the README's commands (TypeScript's fetch its compiler from the npm registry);
- run: ``harbor-conformance run`` on the vectors of aggregation, of which more than half pass;

and the lines, without empty ones and comments, of three operations as an author writes them
(``tests/templates/LANGUAGE/three.*``: evals_key, terminal_bench_reward and pass_at_k, right to the byte) and
of the protocol file that comes with the template.
"""

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conformance.assessment.benchmarks import Figure
from conformance.templates.languages import LANGUAGES, Language, named
from conformance.templates.writing import project
from tools.benchmarks.measuring import ROOT, finish, options, table

KIT = f'{shlex.quote(sys.executable)} -c "from conformance.cli import main; main()"'
A_MINUTE = 60.0
MOST_LINES = 120
STEPS = ("new", "build", "run")


def lines_of(text: str, file: str) -> int:
    """The lines of code: without empty lines, comments and docstrings."""
    mark = "#" if file.endswith((".py", ".sh")) else "//"
    count, within = 0, ""
    for line in map(str.strip, text.splitlines()):
        if within:
            within = "" if within in line else within
            continue
        opening = {'"""': '"""', "/*": "*/"}.get(line[:3] if file.endswith(".py") else line[:2])
        if opening and (file.endswith(".py") or mark == "//"):
            within = "" if opening in line[len(opening) :] else opening
        elif line and not line.startswith(mark):
            count += 1
    return count


def author_lines(language: Language) -> int:
    path = ROOT / "tests" / "templates" / language.slug / f"three{Path(language.author).suffix}"
    return lines_of(path.read_text("utf-8"), path.name)


def protocol_lines(language: Language) -> int:
    """The lines of the protocol file, which authors never edit."""
    return lines_of(project(language, "tried", "2026-01-02")[language.protocol].decode(), language.protocol)


def tried(language: Language, folder: Path) -> dict[str, float]:
    """The seconds for each step, starting from nothing."""
    oneshot = " --oneshot" if language.oneshot else ""
    run = f"{KIT} run --runner {shlex.quote(language.run.replace('my-runner', 'tried'))}{oneshot}"
    commands = {
        "new": f"{KIT} new {language.slug} {shlex.quote(str(folder))} --name tried",
        "build": " && ".join(["true", *language.build]),
        "run": f"{run} --failures 0 --report report.json 'harbor-0.13.1/aggregation/*'",
    }
    caches = {"GOCACHE": str(folder.parent / "go"), "npm_config_cache": str(folder.parent / "npm")}
    seconds = {}
    for step, command in commands.items():
        began = time.perf_counter()
        where = folder.parent if step == "new" else folder
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=where,
            env={**os.environ, **caches},
            capture_output=True,
            text=True,
            timeout=900,
        )
        seconds[step] = time.perf_counter() - began
        if done.returncode != (1 if step == "run" else 0):  # the simple version of an operation has failures
            sys.exit(f"{language.name}, {step}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    if not any(report["passed"].values()):
        sys.exit(f"{language.name}: no vector passed")
    return seconds


def main() -> None:
    every = ",".join(one.slug for one in LANGUAGES)
    chosen = options(__doc__, 1, {"--languages": {"metavar": "X,Y", "default": every}})
    title = f"from new to the first passing vectors, {chosen.rounds} rounds"
    seconds_of = (f"{step} s" for step in STEPS)
    shown = table(title, "language", *seconds_of, "whole s", "author's lines", "protocol's lines")
    figures: list[Figure] = []
    more: dict[str, dict[str, float]] = {}
    for word in chosen.languages.split(","):
        if (language := named(word)) is None:
            continue
        missing = [program for program in language.needs if shutil.which(program) is None]
        if missing:
            print(f"{language.name}: no {' and no '.join(missing)} here")
            continue
        rounds = []
        for _ in range(chosen.rounds):
            with tempfile.TemporaryDirectory() as name:
                rounds.append(tried(language, Path(name) / "tried"))
        seconds = {step: statistics.median(one[step] for one in rounds) for step in STEPS}
        whole = sum(seconds.values())
        written, protocol = author_lines(language), protocol_lines(language)
        figures.append(Figure(f"{language.name}: new to first passing vectors", whole, "s", A_MINUTE))
        figures.append(Figure(f"{language.name}: three operations", written, "lines", MOST_LINES))
        more[language.slug] = {**seconds, "author_lines": written, "protocol_lines": protocol}
        shown.add_row(
            language.name,
            *(f"{seconds[step]:.1f}" for step in STEPS),
            *(f"{whole:.1f}", str(written), str(protocol)),
        )
    finish(chosen, "templates", figures, {"rounds": chosen.rounds, "languages": more}, shown)


if __name__ == "__main__":
    main()
