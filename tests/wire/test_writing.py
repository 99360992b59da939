"""Files that somebody waits for: whole or not at all, and nothing left beside them."""

import errno
import os
import stat
from pathlib import Path

import pytest

from conformance.wire.writing import CannotWriteError, unwritten, unwritten_change, write_bytes, write_text


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(params=["write", "fsync", "fchmod"])
def full_disk(request, tmp_path, monkeypatch) -> None:
    """A disk that turns out to be full at some step."""
    monkeypatch.setattr(os, request.param, full)


def test_a_full_disk_costs_nothing_that_was_there(full_disk, tmp_path) -> None:
    path = tmp_path / "known.txt"
    path.write_text("old\n")
    assert unwritten(path, "new\n") == f"{path} can't be written: No space left on device"
    assert path.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["known.txt"]


def test_a_write_that_is_cut_short_goes_on_and_an_interrupted_one_leaves_nothing(
    monkeypatch, tmp_path
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:3]))
    write_text(tmp_path / "a", "more than three")
    assert (tmp_path / "a").read_text() == "more than three"

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "b", "text")
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_one_also_to_what_is_not_there_yet(tmp_path) -> None:
    link = tmp_path / "link"
    link.symlink_to("real")
    write_text(link, "a")
    write_text(link, "b")
    assert link.is_symlink()
    assert (tmp_path / "real").read_text() == "b"
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]


def test_a_name_may_be_as_long_as_the_system_takes_and_half_a_surrogate_pair_is_escaped(tmp_path) -> None:
    path = tmp_path / ("n" * 255)
    write_bytes(path, b"a")
    assert path.read_bytes() == b"a"
    write_text(path, "x\udc80")
    assert path.read_text() == "x\\udc80"


def test_what_can_not_be_written_is_a_sentence_that_names_it(tmp_path) -> None:
    for path in (tmp_path, tmp_path / "no" / "such", Path("/dev/full")):
        with pytest.raises(CannotWriteError) as told:
            write_text(path, "a")
        assert str(told.value).startswith(f"{path} can't be written: ")
        assert os.listdir(tmp_path) == []


def test_what_stands_there_already_is_left_and_rights_are_kept(tmp_path) -> None:
    path = tmp_path / "a"
    path.write_text("same")
    before = path.stat().st_ino
    assert unwritten_change(path, "same") is None
    assert path.stat().st_ino == before
    assert unwritten_change(path, "other") is None
    assert path.read_text() == "other"
    old, new, usual = tmp_path / "old", tmp_path / "new", tmp_path / "usual"
    old.write_text("a")
    old.chmod(0o640)
    usual.write_text("a")
    write_text(old, "b")
    write_text(new, "b")
    assert (old.read_text(), stat.S_IMODE(old.stat().st_mode)) == ("b", 0o640)
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
