"""``harbor-conformance kit assess``, on measurements that are made up."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.assessment import benchmarks, measuring
from conformance.assessment import command as assess
from conformance.assessment.benchmarks import Benchmark, Figure
from conformance.assessment.page import PAGE, render
from conformance.registry.ops import SPECS

RUN = Benchmark("cost", "2026-03-01", "0.3.0", "3.12.1", (Figure("all", 9, "s", 5),))
FIGURE = "cost, 2026-03-01: all: 9 s (aim: at most 5 s): missed"


def whole(measured, specs=SPECS):
    return [replace(measured, spec=spec) for spec in specs]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout with nothing in it, and the record of one benchmark."""
    monkeypatch.setattr(assess, "checkout_root", lambda: tmp_path)
    monkeypatch.setattr(benchmarks, "load_benchmarks", lambda: (RUN,))
    return tmp_path


@pytest.fixture
def gives(monkeypatch):
    def give(measured) -> None:
        monkeypatch.setattr(measuring, "measure", lambda specs, _: whole(measured, specs))

    return give


def test_the_page_is_written_and_checked(cli, root, gives, measured) -> None:
    """Figures are printed next to their targets, and fail nothing."""
    gives(measured)
    missing = cli("kit", "assess", "--check")
    said = f"{FIGURE}\n{PAGE} is not what was measured: run harbor-conformance kit assess\n"
    assert (missing.returncode, missing.stdout) == (1, said)
    done = cli("kit", "assess")
    assert (done.returncode, done.stdout) == (0, f"{FIGURE}\n{PAGE} is written\n")
    assert (root / PAGE).read_text(encoding="utf-8") == render(whole(measured), (RUN,))
    done = cli("kit", "assess", "--check")
    assert (done.returncode, done.stdout) == (0, f"{FIGURE}\n{PAGE} matches the measurements\n")


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_holes_fail_it(cli, root, gives, with_holes, options) -> None:
    gives(with_holes)
    (root / PAGE).write_text(render(whole(with_holes), (RUN,)), encoding="utf-8")
    done = cli("kit", "assess", *options)
    assert done.returncode == 1
    expected = [one.shortfalls() for one in whole(with_holes)]
    assert done.stdout.splitlines() == [FIGURE, *itertools.chain(*expected)]


def test_what_cannot_be_taken_and_an_installed_package_without_a_page(cli, root, monkeypatch) -> None:
    done = cli("kit", "assess", "--benchmark", "cost.json", "--check")
    assert (done.returncode, "--benchmark can be combined only with" in done.stderr) == (2, True)
    monkeypatch.setattr(assess, "checkout_root", lambda: None)
    done = cli("kit", "assess")
    said = "assess needs a checkout of the kit, and this is an installed package"
    assert (done.returncode, done.stderr) == (2, f"harbor-conformance: {said}\n")


def test_what_is_measured_elsewhere_is_kept(cli, root, monkeypatch) -> None:
    taken = []

    def take(path):
        taken.append(path)
        return root / "records" / "kept.json"

    monkeypatch.setattr(benchmarks, "take_benchmark", take)
    done = cli("kit", "assess", "--benchmark", "b.json", "--benchmark", "c.json")
    assert (done.returncode, done.stdout) == (0, "kept: records/kept.json\n")
    assert taken == [Path("b.json"), Path("c.json")]
