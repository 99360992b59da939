"""Archives: the same report as from the folder, and nothing done that an archive's maker asks for."""

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile

import pytest

from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import PlaceError, archives, located
from tests.extensions.audit.sources.conftest import kept


def zipped(folder, archive) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for one in sorted(folder.rglob("*")):
            name = str(one.relative_to(folder))
            if one.is_symlink():
                info = zipfile.ZipInfo(name)
                info.create_system = 3
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                file.writestr(info, os.readlink(one))
            elif not one.is_fifo():
                file.write(one, name)


def zipped_without_a_flag(folder, archive) -> None:
    """Names in UTF-8 that do not say so, as ``zip`` writes them where the locale is the plain one."""
    (folder / "submissions/first").rename(folder / "submissions/Ångström 智谱")
    zipped(folder, archive)
    content = archive.read_bytes()
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        begin, *members = content.split(mark)
        at = flags + 1 - len(mark)
        members = [one[:at] + bytes([one[at] & ~0x08]) + one[at + 1 :] for one in members]
        content = mark.join([begin, *members])
    archive.write_bytes(content)


def tarred(mode):
    def pack(folder, archive) -> None:
        with tarfile.open(archive, mode) as file:
            file.add(folder, ".")

    return pack


FORMS = {
    "without a flag.zip": zipped_without_a_flag,
    "x.tar": tarred("w"),
    "x.tgz": tarred("w:gz"),
    "x.tar.bz2": tarred("w:bz2"),
    "x.tar.xz": tarred("w:xz"),
}


def spoiled(leaderboard) -> None:
    """Adds what only a file system and some archives can hold."""
    job = leaderboard / "submissions/second/pass-and-fail"
    trial = next(one for one in sorted(job.iterdir()) if one.is_dir())
    (job / "a link").symlink_to("/etc/passwd")
    (job / "a link to a trial").symlink_to(trial.name)
    (job / "lock.json").unlink()
    (job / "lock.json").symlink_to("config.json")
    (job / "t8__empty").mkdir()
    rewards = sorted((job.parent / "reward-errors").glob("*/verifier/reward.txt"))
    rewards[0].unlink()
    rewards[0].mkdir()
    verifier = min((leaderboard / "submissions/first/not-a-number").glob("*/verifier"))
    verifier.rename(verifier.with_name("away"))
    verifier.symlink_to("away")


@pytest.mark.parametrize(
    "form", ["x.zip", "x.tar.gz", *(pytest.param(one, marks=pytest.mark.slow) for one in FORMS)]
)
def test_an_archive_gives_the_report_of_the_folder(form, leaderboard, tmp_path, report) -> None:
    spoiled(leaderboard)
    {"x.zip": zipped, "x.tar.gz": tarred("w:gz"), **FORMS}[form](leaderboard, tmp_path / form)
    assert report(str(tmp_path / form)) == report(str(leaderboard))


def test_a_compressed_tar_is_read_once(leaderboard, tmp_path, report, monkeypatch) -> None:
    tarred("w:gz")(leaderboard, tmp_path / "x.tar.gz")
    monkeypatch.setattr(gzip._GzipReader, "_rewind", None)
    assert report(str(tmp_path / "x.tar.gz")) == report(str(leaderboard))


def test_only_what_the_audit_reads_is_unpacked(leaderboard, tmp_path) -> None:
    zipped(leaderboard, tmp_path / "x.zip")
    located(str(tmp_path / "x.zip"), Limits())
    names = {"result.json", "config.json", "lock.json", "reward.txt", "reward.json", "metadata.yaml"}
    assert {path.rpartition("/")[2] for path in kept()} == names
    assert not [path for path in kept() if "/artifacts/" in path]


def test_an_archive_that_is_as_it_was_is_not_read(tmp_path, monkeypatch) -> None:
    (tmp_path / "x.tar").write_bytes(tar_of(regular("a/result.json")))
    before = located(str(tmp_path / "x.tar"), Limits())
    monkeypatch.setattr(archives, "open_archive", None)
    assert located(str(tmp_path / "x.tar"), Limits()) == before
    folder = before.below(["a"]).top()
    assert folder.read("result.json", 100) == b"{}"
    folder.leave()


@pytest.mark.slow
def test_an_archive_that_is_made_anew_is_read_anew(leaderboard, tmp_path, report) -> None:
    zipped(leaderboard, tmp_path / "x.zip")
    report(str(tmp_path / "x.zip"))
    for one in leaderboard.rglob("result.json"):
        one.write_text(one.read_text().replace("0.", "1."))
    (leaderboard / "submissions/second/pass-and-fail/job.log").unlink()
    zipped(leaderboard, tmp_path / "x.zip")
    assert report(str(tmp_path / "x.zip")) == report(str(leaderboard))


# Attacks


def zip_of(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def tar_of(*members):
    """Members: name, content, type, what it links to."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content, kind, link in members:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(content), kind, link
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def regular(name, content=b"{}"):
    return name, content, tarfile.REGTYPE, ""


def encrypted():
    content = bytearray(zip_of(("result.json", b"{}")))
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    return bytes(content)


def longer_than_it_says():
    content = bytearray(zip_of(("job/result.json", b"{}" + b" " * 5000)))
    at = content.index(b"PK\1\2") + 24
    content[at : at + 4] = (100).to_bytes(4, "little")
    return bytes(content)


R, ROOT, CUT = "a/result.json", "is an absolute path", "not a complete"
ATTACKS = {
    "up": (zip_of(("../result.json", b"{}")), "leads out"),
    "up within": (zip_of(("job/../../result.json", b"{}")), "leads out"),
    "up in a tar": (tar_of(regular("job/../../x")), "leads out"),
    "absolute": (tar_of(regular("/tmp/result.json")), ROOT),
    "absolute in a zip": (zip_of(("/tmp/result.json", b"{}")), ROOT),
    "a drive": (zip_of(("C:/job/result.json", b"{}")), ROOT),
    "two of one name": (tar_of(regular(R), regular(R, b"[]")), "two entries"),
    "two names that are one": (tar_of(regular(R), regular("./a//result.json", b"[]")), "two entries"),
    "below a link": (tar_of(("a", b"", tarfile.SYMTYPE, "/tmp"), regular(R)), "one of them a folder"),
    "below a file": (zip_of(("a", b"x"), (R, b"{}")), "one of them a folder"),
    "a hard link": (tar_of((R, b"", tarfile.LNKTYPE, "/etc/passwd")), "a hard link"),
    "a long name": (tar_of(regular("a/" + "n" * 256)), "no file can have"),
    "a long path": (tar_of(regular("/".join(["n" * 200] * 20)[1:])), "no file can have"),
    "encrypted": (encrypted(), "encrypted"),
    "longer than it says": (longer_than_it_says(), "not a complete zip or tar archive|another size"),
    "cut off": (tar_of(regular(R), regular("b/result.json"))[:1200], CUT),
    "cut off at a member": (tar_of(regular(R), regular("b"))[:1024], CUT),
    "cut off, compressed": (gzip.compress(tar_of(regular(R)))[:-6], CUT),
    "cut off, bzip2": (bz2.compress(tar_of(regular(R)))[:-6], CUT),
    "cut off, xz": (lzma.compress(tar_of(regular(R)))[:-6], CUT),
    "cut off, zip": (zip_of((R, b"{}"))[:-6], CUT),
    "a nul": (zip_of((f"{R}Xevil", b"{}")).replace(b"jsonXevil", b"json\0evil"), "no file can have the name"),
    "control characters": (tar_of(regular("../\x1b[31mred")), "[31mred"),
    "nothing": (b"", CUT),
    "something else": (b"# not an archive\n" * 100, CUT),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_are_refused_in_a_sentence(attack, tmp_path, problem, cache) -> None:
    content, due = ATTACKS[attack]
    archive = tmp_path / ("x.zip" if content.startswith(b"PK") else "x.tar")
    archive.write_bytes(content)
    outside = sorted(one.name for one in tmp_path.iterdir() if one != cache)
    told = problem(str(archive))
    assert any(one in told for one in due.split("|")), told
    assert "\x1b" not in told
    assert str(tmp_path) not in told, "the report begins with it"
    assert sorted(one.name for one in tmp_path.iterdir() if one != cache) == outside


def test_a_device_is_named_and_costs_no_other_file(tmp_path, report) -> None:
    content = tar_of(("a/sda", b"", tarfile.BLKTYPE, ""), regular("a/result.json", b'{"stats": {}}'))
    (tmp_path / "x.tar").write_bytes(content)
    assert b'"special-file"' in report(str(tmp_path / "x.tar"))


@pytest.mark.parametrize("form", ["x.zip", "x.tar.gz"])
def test_a_bomb_ends_early(form, tmp_path, monkeypatch, problem) -> None:
    monkeypatch.setattr(archives, "_FREE", 2**20)
    content = b"\0" * 2**24
    if form == "x.zip":
        (tmp_path / form).write_bytes(zip_of(("a/result.json", content)))
    else:
        (tmp_path / form).write_bytes(gzip.compress(tar_of(regular("a/agent/x", content))))
    assert "more than 250 times its size" in problem(str(tmp_path / form))


def test_what_is_too_large_is_named_and_not_unpacked(tmp_path, report) -> None:
    large = zipfile.ZipInfo("s/job/result.json")
    (tmp_path / "x.zip").write_bytes(zip_of((large, b"{" + b" " * (65 * 2**20)), ("s/job/notes", b"")))
    made = report(str(tmp_path / "x.zip"))
    assert (b'"too-large"' in made, b"65 MiB" in made) == (True, True)
    assert "s/job/result.json" not in kept()


def test_too_many_names(tmp_path) -> None:
    (tmp_path / "x.tar").write_bytes(tar_of(*(regular(f"a/{n}") for n in range(20))))
    with pytest.raises(PlaceError, match="more than 10 names"):
        located(str(tmp_path / "x.tar"), Limits(entries=10))
