"""``harbor-conformance new`` as somebody types it: what is written, what is printed, what is in the way."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.templates.languages import LANGUAGES, named
from conformance.templates.writing import is_name, name_of, project
from tests.templates.echoing.building import fetched, languages, look_for, ran

BY_SLUG = pytest.mark.parametrize("language", [pytest.param(one, id=one.slug) for one in LANGUAGES])
DAY = "2026-01-02"


def tree(folder):
    """Every file below a folder, and every empty folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if path.is_file() or path.is_symlink() or not any(path.iterdir())
    }


@BY_SLUG
def test_a_project_is_written(language, cli, tmp_path) -> None:
    done = cli("new", language.slug, "A Tried One", "--day", DAY)
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "A Tried One"
    files = tree(folder)
    assert files == project(language, "a-tried-one", DAY)
    kept = {"README.md", ".gitignore", "known-failures.txt", ".github/workflows/conformance.yml"}
    assert {language.protocol, language.author, *kept} <= set(files)
    for name, content in files.items():
        assert not any(word in name.encode() + content for word in (b"my-runner", b"0000-00-00"))
        assert bool((folder / name).stat().st_mode & 0o111) == content.startswith(b"#!")
    assert "a-tried-one" in files[language.author].decode()
    assert f"a-tried-one, in {language.name}: {len(files)} files in A Tried One\n" in done.stdout
    assert all(f"  {name} " in done.stdout for name in (language.protocol, language.author))


@BY_SLUG
def test_the_readme_has_ten_lines_and_the_workflow_is_as_safe_as_the_guides(language) -> None:
    files = project(language, "tried", DAY)
    author = files[language.author].decode()  # each operation has its place, with what goes in and comes out
    assert "→" in author
    for op in {vector.op.name for vector in load_spec(DEFAULT_SPEC)}:
        assert re.search(rf"\b{op}\b", author), op
    text, workflow = (files[name].decode() for name in ("README.md", ".github/workflows/conformance.yml"))
    assert len([line for line in text.splitlines() if line.strip()]) <= 10
    list_of = ("--update known-failures.txt", "--known-failures known-failures.txt")
    for part in (*language.build, language.run, *list_of, language.author, "docs/first-runner.md"):
        assert part.replace("my-runner", "tried") in text
    assert text.count("--oneshot") == (3 if language.oneshot else 0)
    assert "<<" not in text + workflow
    assert "${{" not in workflow
    read = yaml.safe_load(workflow)
    assert read["permissions"] == {"contents": "read"}
    steps = read["jobs"]["gate"]["steps"]
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"OWNER/harbor-conformance@COMMIT|\S+@[0-9a-f]{40}", step["uses"])
    assert steps[0]["with"]["persist-credentials"] is False
    assert steps[-1]["with"]["runner"] == language.run.replace("my-runner", "tried")
    assert steps[-1]["with"].get("oneshot", False) is language.oneshot


def test_a_language_by_any_of_its_names(cli, tmp_path) -> None:
    """No two share one; a word that is none names them all, and nothing is written."""
    slugs = ("python", "typescript", "rust", "go", "java", "csharp", "cpp", "shell")
    done = cli("new", "cob\x1bol", "x")
    sentence = f"there is no template for cob\\x1bol; there is one for {', '.join(slugs)}"
    assert (done.returncode, done.stderr) == (2, f"harbor-conformance: {sentence}\n")
    assert not list(tmp_path.iterdir())
    words = ("Py", "TypeScript", "RUST", "golang", "JAVA", "c#", "C++", "sh")
    for word, slug in (*zip(words, slugs, strict=True), ("ts", "typescript"), ("POSIX shell", "shell")):
        assert [one.slug for one in LANGUAGES if one is named(word)] == [slug]
        assert cli("new", word, f"in/{word}").returncode == 0
    names = [name for one in LANGUAGES for name in {one.slug, one.name.lower(), *one.aliases}]
    assert len(names) == len({name.lower() for name in names})
    assert names == [name.lower() for name in names]


def test_help_says_what_each_needs(cli, tmp_path, monkeypatch) -> None:
    """And whether it is here; without arguments it is the same help."""
    (tmp_path / "bin").mkdir()
    for program in ("python3", "sh", "mono"):
        (tmp_path / "bin" / program).write_text("")
        (tmp_path / "bin" / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    done = cli("new")
    assert (done.returncode, done.stderr) == (0, "")
    assert cli("new", "--help").stdout == done.stdout
    said = " ".join(done.stdout.split())
    for sentence in (
        "python, py Python; needs python3: found",
        "rust, rs Rust; needs cargo: no cargo found (on Debian: apt-get install cargo)",
        "C#; needs mcs and mono: no mcs found (on Debian: apt-get install mono-mcs",
        "shell, sh, posix POSIX shell; needs sh and awk: no awk found (on Debian: apt-get install mawk)",
    ):
        assert sentence in said
    missing = cli("new", "typescript", "x").stdout
    assert "There is no node on PATH (on Debian: apt-get install nodejs npm).\n" in missing
    assert "There is no npm on PATH" in missing
    assert "There is no" not in cli("new", "python", "y").stdout


def test_folders_that_do(cli, tmp_path) -> None:
    """New ones at any depth, empty ones, one with .git, a link to one, and the one that one is in."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "git" / ".git").mkdir(parents=True)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for folder in ("new", "a/b/c d", "empty", "git", "link", "-y", str(tmp_path / "whole"), "é 'q\"", "a\nb"):
        assert cli("new", "python", "--", folder).returncode == 0, folder
        assert (tmp_path / folder / "runner.py").is_file()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "git" / ".git").is_dir()
    for path in tmp_path.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    done = cli("new", "python", ".")
    assert (done.returncode, done.stdout.partition(",")[0]) == (0, name_of(tmp_path))
    assert (tmp_path / "runner.py").is_file()


def test_what_is_in_the_way(cli, tmp_path) -> None:
    """One sentence, and nothing is written; so it is where no folder is named."""
    (tmp_path / "two" / ".git").mkdir(parents=True)
    (tmp_path / "full").mkdir()
    for name in ("full/b\x1b.txt", "two/a", "two/.hidden", "file"):
        (tmp_path / name).touch()
    (tmp_path / "nowhere").symlink_to("gone")
    before = tree(tmp_path)
    for folder, says in {
        "full": "full is not empty, b\\x1b.txt would be in the way: name a folder that is new or empty",
        "two": "two is not empty, .hidden and 1 more would be in the way: name a folder that is new or empty",
        "file": "file exists already, and is not a folder",
        "nowhere": "nowhere is a symbolic link to nothing",
        "file/below": "file/below can't be written: Not a directory",
        "x" * 300: f"{'x' * 300} can't be written: File name too long",
    }.items():
        done = cli("new", "rust", folder)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"harbor-conformance: {says}\n")
        assert tree(tmp_path) == before
    for words, sentence in (
        ((), "Missing argument 'DIR': the folder to write the project into.\n"),
        (("",), "DIR is empty: name the folder to write the project into"),
    ):
        done = cli("new", "rust", *words)
        assert (done.returncode, done.stdout, sentence in done.stderr) == (2, "", True)
        assert tree(tmp_path) == before


@pytest.mark.parametrize("made", [False, True])
@pytest.mark.parametrize("failing", ["write_bytes", "chmod", "rename", "mkdir"])
@pytest.mark.parametrize("late", [0, 2])
def test_all_or_nothing(failing, late, made, cli, tmp_path, monkeypatch) -> None:
    """A disk that fills up at any step leaves what was there before."""
    if made:
        (tmp_path / "a" / "b" / ".git").mkdir(parents=True)
    calls, real = [], getattr(Path, failing)

    def full(self, *given, **options):
        if tmp_path in self.parents:
            calls.append(self)
            if len(calls) > late:
                raise OSError(28, "No space left on device")
        return real(self, *given, **options)

    before = tree(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, failing, full)
        done = cli("new", "shell", tmp_path / "a" / "b")
    if len(calls) <= late:
        assert failing in ("chmod", "mkdir")  # it is not done so often
        return
    sentence = f"harbor-conformance: {tmp_path / 'a' / 'b'} can't be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, sentence)
    assert tree(tmp_path) == before
    assert (tmp_path / "a").exists() == made


def test_names(cli, tmp_path) -> None:
    """What a folder's name makes of a project's, and what is none."""
    for folder, name in (
        *(("My Runner", "my-runner"), ("x", "x"), ("42-tries", "tries"), ("Ünïcode_Große", "unicode-groe")),
        *(("--", "my-runner"), ("日本", "my-runner"), ("a.b.c", "a-b-c"), ("build", "build-runner")),
        *(("a" * 100, "a" * 60), ("-a-", "a"), ("7", "my-runner")),
    ):
        assert name_of(Path("/somewhere") / folder) == name
        assert is_name(name)
    assert project(named("go"), "fmt", "2026-01-02")["go.mod"].startswith(b"module fmt.example\n")  # not Go's
    for bad in ("", "A", "1a", "-a", "a_b", "a b", "é", "a\n", "a" * 61, "a/b", "a.b", "build"):
        done = cli("new", "go", "x", "--name", bad)
        assert (done.returncode, "is not a valid project name" in done.stderr) == (2, True), bad
        assert not list(tmp_path.iterdir())
    assert cli("new", "go", "x", "--name", "of-2", SOURCE_DATE_EPOCH="86400").stdout.startswith("of-2, in Go")
    assert "since 1970-01-02" in (tmp_path / "x" / "known-failures.txt").read_text()


def in_a_shell(script, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return ran(["sh", "-c", script], folder, PATH=path)


@languages()
def test_what_is_printed_and_what_the_readme_says(slug, cli, tmp_path) -> None:
    """Every command as it stands there, from a folder with a space and a quote in its name, under git.

    An untouched project has much to do; the list that comes with it expects that, and nothing else.
    """
    (language,) = (one for one in LANGUAGES if one.slug == slug)
    look_for(language)
    (tmp_path / "it's mine").mkdir()
    printed = cli("new", language.slug, "it's mine/a runner").stdout
    lines = [line.removeprefix("  ") for line in printed.partition("Build and check it:\n")[2].splitlines()]
    folder = tmp_path / "it's mine" / "a runner"
    commit = "git init -q . && git add . && git -c user.name=a -c user.email=a@b.c commit -qm made"
    assert in_a_shell(commit, folder).returncode == 0
    if language.slug == "typescript":
        fetched(language, folder)
    done = in_a_shell("\n".join(lines), tmp_path)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    assert "To fix (" in done.stdout
    assert "187 of 380 passed" in " ".join(done.stdout.split())
    block = re.search(r"```sh\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    assert block is not None
    *printed_too, baseline, gate = block[1].replace(" && ", "\n").splitlines()
    assert printed_too == lines[1:]  # which is done
    assert in_a_shell(baseline, folder).returncode == 0
    done = in_a_shell(gate, folder)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    assert "gate: passed: 0 new failures, 0 unexpected passes, 0 stale entries" in done.stdout
    report = json.loads((folder / "conformance-report" / "report.json").read_text())
    assert report["runner"]["name"] == "a-runner"
    left = in_a_shell("git status --porcelain", folder).stdout.splitlines()
    assert set(left) <= {"?? package-lock.json", "?? Cargo.lock"}  # for their authors to keep
