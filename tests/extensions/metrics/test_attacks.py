"""Metrics that attack the machine, as ``attacks.yaml`` has them: contained, or reported, and over in time."""

import os
import pty
from pathlib import Path

import pytest

from conformance.confinement.bubblewrap import confined
from tests.extensions.metrics.attacked import ATTACKS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not confined(), reason="nothing confines a metric here")]


def limits_of(process):
    limits = Path(f"/proc/{process}/limits").read_text()
    return limits, os.getpriority(os.PRIO_PROCESS, process), os.sched_getscheduler(process)


@pytest.fixture(scope="session")
def said(request, user):
    """What came of each attack that a test is about; of all the user's process and terminal saw nothing."""
    chosen = {item.name.partition("[")[2] for item in request.session.items}
    names = [name for name in ATTACKS if any(item.endswith(f" user-{name}]") for item in chosen)]
    victim = user.folder / "victims" / "victim"
    victim.parent.mkdir()
    victim.write_text("mine")
    victim.chmod(0o600)
    first, second = pty.openpty()
    terminal = os.ttyname(second)
    if user.number is not None:
        os.chown(terminal, user.number, -1)
    with user.start("cat") as bystander:
        before = limits_of(bystander.pid)
        words = {"victim": str(victim), "process": str(bystander.pid), "terminal": terminal}
        asked = {"names": names, "folder": str(user.folder), "words": words}
        found = {one["name"]: one for one in user.run("attacked.py", asked)}
        found["bystander"] = [bystander.poll() is None and limits_of(bystander.pid) == before]
        bystander.kill()
    os.set_blocking(first, False)
    try:
        found["terminal"] = os.read(first, 100)
    except BlockingIOError:
        found["terminal"] = b""
    os.close(first)
    os.close(second)
    return found


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack(said, name) -> None:
    attack, one = ATTACKS[name], said[name]
    sentences = [sentence for _, sentence in one["found"]]
    if "cannot" in attack:
        assert attack["cannot"] in (one["cannot"] or ""), one
    else:
        rules = [rule for rule, _ in one["found"]]
        assert rules in attack.get("either", [attack.get("rules", [])]), one
        assert one["cannot"] is None
        assert any(attack.get("says", "") in sentence for sentence in sentences or [""]), one
    assert one["harm"] == []
    assert one["left"] == []
    assert not one["late"], one["longest"]
    for sentence in (*sentences, one["cannot"] or ""):
        assert sentence.isprintable()


def test_nobody_else_noticed(said) -> None:
    assert said["bystander"] == [True]
    assert said["terminal"] == b""
