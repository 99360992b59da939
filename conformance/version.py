"""The kit's version: a number, to which a development version adds its commit."""

from pathlib import Path

__all__ = ["RELEASE", "version"]

_NUMBER = "1.0.0"
RELEASE = _NUMBER.partition(".dev")[0]
"""The release that this is, or will become; ``since`` of its new vectors."""
_DIGITS = 9
"""The number of digits of a commit."""


def version() -> str:
    """A release's number, or one such as ``1.0.0.dev0+g1a2b3c4d5``; without a commit if none is known."""
    if _NUMBER == RELEASE:
        return _NUMBER
    package = Path(__file__).resolve().parent
    for installed in package.parent.glob(f"harbor_conformance-{_NUMBER}+g*.dist-info"):
        return installed.name.partition("-")[2].removesuffix(".dist-info")
    commit = (package / "commit.txt").read_text(encoding="ascii")
    if commit.startswith("$"):  # replaced only by ``git archive``, as in GitHub's tarballs
        commit = _commit(package.parent / ".git")
    return f"{_NUMBER}+g{commit[:_DIGITS]}" if commit else _NUMBER


def _commit(git: Path) -> str:
    """The commit of a checkout, from git's files, since starting git would delay every command."""
    try:
        if git.is_file():  # a worktree, or a submodule
            git = git.parent / _line(git).removeprefix("gitdir: ")
        head = _line(git / "HEAD")
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        shared = git / "commondir"
        branches = git / _line(shared) if shared.exists() else git
        if (branches / name).exists():
            return _line(branches / name)
        packed = (branches / "packed-refs").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")


def _line(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
