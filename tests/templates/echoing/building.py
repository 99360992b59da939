"""Builds a language's project once for all workers, with an author's file of the template or of a test."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from conformance.templates.languages import LANGUAGES, Language
from conformance.templates.writing import with_name, write
from tests.processes import alone
from tools.languages import changed

HERE = Path(__file__).parents[1]
NAME = "my-runner"
DAY = "2026-01-02"
REQUIRE = "HARBOR_CONFORMANCE_REQUIRE_COMPILERS"
PATIENT = 600
NPM = "npm install"
CHANGED = set(changed())


def marks(slug: str, always: Collection[str] = ("python",)) -> Any:
    """``release`` for a language that is as it was at the last one, else ``slow``."""
    return pytest.mark.slow if slug in always or slug in CHANGED else pytest.mark.release


def languages(slugs: Collection[str] | None = None, always: Collection[str] = ("python",)) -> Any:
    slugs = [language.slug for language in LANGUAGES] if slugs is None else slugs
    return pytest.mark.parametrize("slug", [pytest.param(slug, marks=marks(slug, always)) for slug in slugs])


class LackingError(Exception):
    """Something that a build needs is not here; the message is one clause."""


@dataclass(frozen=True)
class Built:
    """A project that is ready to run."""

    language: Language
    folder: Path
    author: str
    """Whose author's file: `template`, `echo` or `three`."""

    @property
    def command(self) -> list[str]:
        return shlex.split(with_name(self.language.run, NAME))

    @property
    def runner(self) -> str:
        """The same for ``--runner``, from any folder."""
        words = (str(self.folder / word) if (self.folder / word).exists() else word for word in self.command)
        return shlex.join(words)


def authors_file(language: Language, author: str) -> Path:
    """The test's file that takes the place of the author's."""
    return HERE / language.slug / f"{author}{Path(language.author).suffix}"


def lacking(language: Language, why: str) -> None:
    """Skips the test, or fails it where the language must be there."""
    sentence = f"{language.name}: {why}"
    if {"all", language.slug} & {*os.environ.get(REQUIRE, "").replace(" ", "").split(",")}:
        pytest.fail(f"{sentence} ({REQUIRE} asks for it)")
    pytest.skip(sentence)


def look_for(language: Language) -> None:
    for program in language.needs:
        if shutil.which(program) is None:
            package = language.install or program
            lacking(language, f"there is no {program} here (on Debian: apt-get install {package})")


def ran(words: Sequence[str | Path], folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    streams: Any = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENT}
    return subprocess.run(words, cwd=folder, env={**os.environ, **variables}, **streams)


def run(command: str, folder: Path) -> tuple[int, str]:
    """A command as the README has it: its exit code, and all that it wrote."""
    done = ran(["sh", "-c", command], folder)
    return done.returncode, done.stdout + done.stderr


def fetched(language: Language, project: Path) -> None:
    """Gives a project what its package manager would fetch, from a folder that the machine keeps."""
    listed = (project / "package.json").read_text()
    kept = Path(platformdirs.user_cache_dir("harbor-conformance")) / "tests" / language.slug
    told = kept / "fetched.json"
    with alone(kept):
        if not told.exists() or told.read_text() != listed:
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            (kept / "package.json").write_text(listed)
            code, said = run(f"{NPM} --no-audit --no-fund", kept)
            if code:
                lines = [line for line in said.splitlines() if line.startswith(("npm error", "npm ERR!"))]
                raise LackingError(f"npm can't fetch what it needs: {(lines or ['?'])[0]}")
            told.write_text(listed)
    shutil.copytree(kept / "node_modules", project / "node_modules", symlinks=True)


def build(language: Language, project: Path) -> None:
    """Builds a project with the commands of its README."""
    for command in language.build:
        if command.startswith(NPM):
            fetched(language, project)
            continue
        code, said = run(with_name(command, NAME), project)
        assert (code, "warning" in said.lower()) == (0, False), f"{command}\n{said}"


class Builder:
    """Builds each pair of a language and an author's file once, whichever worker asks first."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def built(self, slug: str, author: str = "template") -> Built:
        (language,) = (one for one in LANGUAGES if one.slug == slug)
        look_for(language)
        folder = self.root / f"{slug}-{author}"
        told = self.root / f"{slug}-{author}.json"
        with alone(told):
            if not told.exists():
                told.write_text(json.dumps({"failed": "the build failed: the first test of it says why"}))
                write(language, folder, NAME, DAY)
                if author != "template":
                    shutil.copyfile(authors_file(language, author), folder / language.author)
                try:
                    build(language, folder)
                except LackingError as error:
                    told.write_text(json.dumps({"lacking": str(error)}))
                else:
                    told.write_text("{}")
            became = json.loads(told.read_text())
        if "lacking" in became:
            lacking(language, became["lacking"])
        assert "failed" not in became, f"{language.name}: {became['failed']}"
        return Built(language, folder, author)
