"""Writes a project in a language, completely or not at all."""

import contextlib
import os
import re
import shlex
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

import jinja2

from conformance import interrupts
from conformance.errors import UserError
from conformance.templates.languages import Language
from conformance.wire.text import printable

__all__ = ["PLACEHOLDER", "TAKEN", "TemplateError", "is_name", "name_of", "project", "with_name", "write"]

PLACEHOLDER = "my-runner"
"""The project's name in the template's files."""
_FILES = Path(__file__).parent / "files"
_DOT = "dot-"
"""The prefix for files whose name starts with a dot, since wheel builders may omit dotfiles."""
_RENDERED = ".jinja"
_NO_DAY = "0000-00-00"
"""The placeholder for the date in the list of known failures."""
_LONGEST = 60
TAKEN = frozenset({"build", "deps", "examples", "incremental", "main", "node-modules", "std", "test"})
"""Names reserved by compilers or package managers."""


class TemplateError(UserError):
    """The project can't be written; the message is one sentence."""


def is_name(word: str) -> bool:
    """Return whether a project can have this name in every language."""
    return word not in TAKEN and re.fullmatch(rf"[a-z][a-z0-9-]{{0,{_LONGEST - 1}}}", word) is not None


def name_of(folder: Path) -> str:
    """The default name of a project in this folder: the folder's name, simplified."""
    base = unicodedata.normalize("NFKD", Path(os.path.abspath(folder)).name).encode("ascii", "ignore")
    words = re.sub(r"[^a-z0-9]+", "-", base.decode().lower()).lstrip("-0123456789")
    word = words[:_LONGEST].strip("-")
    return f"{word}-runner" if word in TAKEN else word or PLACEHOLDER


def with_name(text: str, name: str) -> str:
    """A text of the template, or a command, with the project's name."""
    return text.replace(PLACEHOLDER, name)


def project(language: Language, name: str, day: str) -> dict[str, bytes]:
    """All files of a project, by relative path; known failures are dated with the day."""
    own, common = _FILES / language.slug, _FILES / "common"
    texts = {_target_path(path.relative_to(own)): path.read_text("utf-8") for path in _below(own)}
    for path in _below(common):
        text, target = path.read_text("utf-8"), _target_path(path.relative_to(common))
        if target.endswith(_RENDERED):
            text, target = _rendered(text, language), target.removesuffix(_RENDERED)
        texts[target] = text.replace(_NO_DAY, day)
    files = {with_name(target, name): with_name(text, name).encode() for target, text in texts.items()}
    if language.shim:
        files[language.protocol] = (_FILES.parents[1] / language.shim).read_bytes()
    return files


def _rendered(text: str, language: Language) -> str:
    rendering = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown and YAML, of our own table
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        variable_start_string="<<",  # workflows use braces themselves
        variable_end_string=">>",
    )
    return rendering.from_string(text).render(
        language=language,
        build=" && ".join(language.build),
        runner=shlex.quote(language.run),
        oneshot=" --oneshot" if language.oneshot else "",
    )


def _below(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.relative_to(folder).parts
    )


def _target_path(path: Path) -> str:
    return "/".join(f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part for part in path.parts)


def write(language: Language, folder: Path, name: str, day: str) -> list[str]:
    """Writes a project into a new or empty folder (except for ``.git``); returns its files' paths.

    Raises:
        TemplateError: something is in the way, or can't be written; nothing has changed then.
    """
    files = project(language, name, day)
    try:
        _refuse_what_is_there(folder)
        with (
            interrupts.held(),
            _created(folder) as inside,
            tempfile.TemporaryDirectory(prefix=".conformance-", dir=inside) as staging,
        ):
            _write_all(Path(staging), files)
            _take_places(Path(staging), inside)
    except OSError as error:
        raise TemplateError(f"{_path_text(folder)} can't be written: {error.strerror or error}") from None
    return sorted(files)


def _path_text(path: Path) -> str:
    return printable(str(path))


def _refuse_what_is_there(folder: Path) -> None:
    if folder.is_symlink() and not folder.exists():
        raise TemplateError(f"{_path_text(folder)} is a symbolic link to nothing")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise TemplateError(f"{_path_text(folder)} exists already, and is not a folder")
    names = sorted(path.name for path in folder.iterdir() if path.name != ".git")
    if names:
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        raise TemplateError(
            f"{_path_text(folder)} is not empty, {_path_text(Path(names[0]))}{more} would be in the way: "
            "name a folder that is new or empty"
        )


@contextlib.contextmanager
def _created(folder: Path) -> Iterator[Path]:
    """Creates the folder with its parents; removes new ones again if the block fails."""
    target = Path(os.path.realpath(folder))
    new = []
    for parent in (target, *target.parents):
        if parent.exists():
            break
        new.append(parent)
    try:
        target.mkdir(parents=True, exist_ok=True)
        yield target
    except BaseException:
        for parent in new:
            with contextlib.suppress(OSError):
                parent.rmdir()
        raise


def _write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if content.startswith(b"#!"):
            readable = target.stat().st_mode & 0o444
            target.chmod(target.stat().st_mode | readable >> 2)


def _take_places(staging: Path, folder: Path) -> None:
    """Moves the finished files into place; undoes it if one can't be moved."""
    moved: list[Path] = []
    try:
        for entry in sorted(staging.iterdir()):
            target = folder / entry.name
            if os.path.lexists(target):
                raise FileExistsError(None, f"{entry.name} has appeared in it meanwhile")
            entry.rename(target)
            moved.append(target)
    except BaseException:
        for path in moved:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        raise
