"""The kit's version: it names the commit, wherever the kit comes from."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.version import RELEASE
from reference_impl.runner.serving import HELLO
from tests.processes import module_at

ROOT = Path(__file__).resolve().parents[1]
DEVELOPMENT = f"{RELEASE}.dev0"


def ran(*words, folder):
    """What a program prints there."""
    streams = {"capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(words, cwd=folder, check=True, **streams).stdout.strip()


def git_in(folder):
    """Calls git there, whatever this machine's settings are."""
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
    return lambda *words: ran("git", *who, *words, folder=folder)


@pytest.fixture
def kit(tmp_path):
    """A folder with as much of the kit as knows its version, in development."""
    folder = tmp_path / "kit"
    for name in ("conformance/__init__.py", "conformance/version.py", ".gitattributes"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    # In an archive of git's, as GitHub's tarballs are, the kit's own file names a commit.
    (folder / "conformance" / "commit.txt").write_text("$Format:%H$\n", encoding="ascii")
    numbered(folder, DEVELOPMENT)
    return folder


@pytest.fixture
def git(kit):
    """The same as a repository with a commit."""
    call = git_in(kit)
    call("init", "-q")
    call("add", ".")
    call("commit", "-q", "-m", "all")
    return call


def numbered(kit, number) -> None:
    path = kit / "conformance" / "version.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [f'_NUMBER = "{number}"' if line.startswith("_NUMBER = ") else line for line in lines]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def version_of(kit):
    return ran(sys.executable, "-c", "import conformance; print(conformance.__version__)", folder=kit)


def named(git):
    return f"{DEVELOPMENT}+g{git('rev-parse', 'HEAD')[:9]}"


def test_the_commit_is_read_from_gits_files(kit) -> None:
    """As a clone has them, a packed one, one at no branch, and a worktree; the slow tests ask git itself."""
    copy = module_at(kit / "conformance" / "version.py")

    def with_files(**files):
        for name, text in files.items():
            path = kit / ".git" / name.replace("__", "/").replace("_", "-")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n", encoding="utf-8")
        return str(copy.version())

    assert with_files() == DEVELOPMENT
    assert with_files(HEAD="ref: refs/heads/a") == DEVELOPMENT, "a repository without a commit"
    assert with_files(packed_refs=f"# pack\n{'1' * 40} refs/heads/a") == f"{DEVELOPMENT}+g{'1' * 9}"
    assert with_files(refs__heads__a="2" * 40) == f"{DEVELOPMENT}+g{'2' * 9}"
    assert with_files(HEAD="3" * 40) == f"{DEVELOPMENT}+g{'3' * 9}"
    with_files(worktrees__w__HEAD="ref: refs/heads/a", worktrees__w__commondir="../..")
    (kit / ".git").rename(kit.parent / "git")
    (kit / ".git").write_text("gitdir: ../git/worktrees/w\n", encoding="utf-8")
    assert copy.version() == f"{DEVELOPMENT}+g{'2' * 9}"
    (kit / f"harbor_conformance-{DEVELOPMENT}+gabcdef012.dist-info").mkdir()
    assert copy.version() == f"{DEVELOPMENT}+gabcdef012", "as it was installed"
    (kit / "conformance" / "commit.txt").write_text("4" * 40, encoding="ascii")
    assert copy.version() == f"{DEVELOPMENT}+gabcdef012"
    (kit / f"harbor_conformance-{DEVELOPMENT}+gabcdef012.dist-info").rmdir()
    assert copy.version() == f"{DEVELOPMENT}+g{'4' * 9}", "as git archives it"
    numbered(kit, "1.0.0")
    assert module_at(kit / "conformance" / "version.py").version() == "1.0.0", "a release is a number"


@pytest.mark.slow
def test_a_clone_and_an_archive_name_their_commit_and_the_command_says_it(kit, git, tmp_path, cli) -> None:
    """As git itself writes them; GitHub's tarballs, and with them the action, are such archives."""
    first = named(git)
    assert version_of(kit) == first
    git("commit", "-q", "--allow-empty", "-m", "more")
    git("checkout", "-q", "-b", "some/branch")
    git("pack-refs", "--all")
    assert version_of(kit) == named(git) != first
    git("checkout", "-q", "--detach", "HEAD~1")
    assert version_of(kit) == first
    git("archive", "--format=zip", "--prefix=packed/", "-o", str(tmp_path / "packed.zip"), "HEAD")
    shutil.unpack_archive(tmp_path / "packed.zip", tmp_path)
    assert version_of(tmp_path / "packed") == first
    said = cli("--version").stdout
    assert said == f"harbor-conformance, version {version_of(ROOT)}\n"
    assert said.startswith(f"harbor-conformance, version {RELEASE}")
    if (ROOT / ".git").exists() and f"{RELEASE}.dev" in said:
        assert f"+g{git_in(ROOT)('rev-parse', 'HEAD')[:9]}" in said
    assert HELLO["version"] == RELEASE, "the reference says the same"
