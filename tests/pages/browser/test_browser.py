"""The HTML page in headless Chromium: filtered, linked to, printed, on a phone, dark, and attacked.

Needs Debian's chromium, node, and a folder that ``npm install puppeteer-core axe-core`` was called in, which
``HARBOR_CONFORMANCE_BROWSER`` names. ``HARBOR_CONFORMANCE_SHOTS`` names a folder that keeps screenshots.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance import __version__
from tests.pages.examples import Examples, many

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NODE = shutil.which("node")
MODULES = Path(os.environ.get("HARBOR_CONFORMANCE_BROWSER", "none")) / "node_modules"
DRIVE = Path(__file__).with_name("drive.cjs")

pytestmark = [
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and NODE and (MODULES / "puppeteer-core").is_dir() and (MODULES / "axe-core").is_dir()),
        reason="needs chromium, node, and puppeteer-core and axe-core where HARBOR_CONFORMANCE_BROWSER says",
    ),
]

SCENES = {
    "run": ["rendered", "dark", "phone", "axe", "filtered", "anchored", "printed", "keyboard", "copied"],
    "passed": ["rendered", "axe"],
    "all": ["rendered", "phone", "anchored"],
    "check": ["rendered", "dark", "phone", "axe", "printed"],
    "hostile": ["rendered", "phone", "axe", "printed"],
}
LISTED = "harbor-0.13.1/aggregation/sum-* mismatch  # since 2026-01-02: naive sums\n"
EVIL = "<script>alert(1)</script> </style><img src=x onerror=alert(2)> \u202e {{ 7 * 7 }} " + "word" * 5_000


def reports(examples):
    """The reports that are looked at, by the names of their pages."""
    made = {"run": examples.folder / "browser.json", "passed": examples.path("right")}
    (examples.folder / "browser.txt").write_text(LISTED, encoding="utf-8")
    words = ("--runner", "mistake:naive-sum", "--again-seed", "1", "--known-failures", "browser.txt")
    examples.run(made["run"], *words)
    hostile = examples("wrong")
    hostile["runner"] |= {"name": EVIL, "version": EVIL, "command": EVIL}
    for one in hostile["results"]:
        one |= {"detail": EVIL, "actual": {"ok": {EVIL: EVIL}}, "repeat": EVIL}
    for name, document in {
        "all": many(2_900, 2_900, json.dumps({"a": "long & <b> " * 500})),
        "hostile": hostile,
    }.items():
        made[name] = examples.folder / f"browser-{name}.json"
        made[name].write_text(json.dumps(document), encoding="utf-8")
    return made | {"check": examples.path("check board")}


@pytest.fixture(scope="module")
def seen(tmp_path_factory, shared):
    folder, examples = tmp_path_factory.mktemp("pages"), Examples(shared)
    for name, path in reports(examples).items():
        examples.report(path, "-o", folder / f"{name}.html")
    scenes = dict(SCENES)
    # Pages of real reports, where a folder of them is named.
    for path in sorted(Path(os.environ.get("HARBOR_CONFORMANCE_PAGES", "none")).glob("*.html")):
        shutil.copy(path, folder / f"real-{path.name}")
        scenes[f"real-{path.stem}"] = ["rendered", "dark", "phone", "axe"]
    (folder / "scenes.json").write_text(json.dumps(scenes), encoding="utf-8")
    shots = os.environ.get("HARBOR_CONFORMANCE_SHOTS")
    words = [str(NODE), str(DRIVE), str(CHROMIUM), str(folder), *([shots] if shots else [])]
    environment = {**os.environ, "NODE_PATH": str(MODULES)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    print(done.stderr)
    return json.loads(done.stdout)


def test_nothing_is_asked_for_and_a_hostile_report_injects_no_element(seen) -> None:
    for name, scenes in seen.items():
        rendered = scenes["rendered"]
        for kind in ("requests", "console", "errors", "dialogs"):
            assert rendered[kind] == [], f"{name}: {kind}"
        assert rendered["handlers"] == 0
    known = set(seen["run"]["rendered"]["elements"]) | set(seen["check"]["rendered"]["elements"])
    assert set(seen["hostile"]["rendered"]["elements"]) <= known | {"del", "ins", "bdi"}


def test_the_title_the_width_and_a_dark_page(seen) -> None:
    heading = seen["run"]["rendered"]["heading"]
    assert heading == f"mistake:naive-sum {__version__} against harbor-0.13.1"
    assert seen["run"]["rendered"]["title"].startswith(f"{heading}: ")
    for name, scenes in seen.items():
        assert scenes["rendered"]["wide"] <= 1280, name
        if "phone" in scenes:
            assert scenes["phone"]["wide"] <= 360, name
    light, dark = (seen["run"][scene]["background"] for scene in ("rendered", "dark"))
    brightness = [sum(int(part) for part in color[4:-1].split(",")) for color in (light, dark)]
    assert brightness[0] > 700
    assert brightness[1] < 100


def test_axe_finds_nothing(seen) -> None:
    found = [
        (name, scheme, violation)
        for name, scenes in seen.items()
        for scheme, violations in scenes.get("axe", {}).items()
        for violation in violations
    ]
    # Captions that a report gives may be the same twice; those of friendly pages are not.
    friendly, grave = ("run", "passed", "check"), ("serious", "critical")
    assert [each for each in found if each[2]["impact"] in grave or each[0] in friendly] == []


@pytest.mark.parametrize("script", ["script", "none"])
def test_failures_are_filtered_with_and_without_a_script(seen, script) -> None:
    told = seen["run"]["filtered"][script]
    assert told["whole"] > 50
    assert told["one"] == told["wanted"]
    assert 0 < told["two"] <= told["one"]
    assert told["count"] == (f"{told['two']} of {told['whole']} shown" if script == "script" else "")
    assert told["search"] == (script == "script")


def test_search_keyboard_copying_and_pages_in_print(seen) -> None:
    told = seen["run"]["filtered"]
    assert 1 <= told["words"] < told["script"]["whole"]
    assert told["status"] == f"{told['words']} of {told['script']['whole']} shown"
    told = seen["run"]["keyboard"]
    assert told["skip"] == ["skip", True]
    assert told["main"] == "page-content"
    assert told["opened"]
    assert told["outline"] == "solid"
    told = seen["run"]["copied"]
    assert told["got"] == told["shown"]
    assert told["got"].startswith("harbor-conformance run --runner")
    assert told["button"] == "copied"
    assert seen["run"]["printed"]["script"]["pages"] == seen["run"]["printed"]["none"]["pages"] > 5


@pytest.mark.parametrize("page", ["run", "all"])
@pytest.mark.parametrize("script", ["script", "none"])
def test_a_link_opens_its_failure(seen, page, script) -> None:
    told = seen[page]["anchored"][script]
    assert told["open"]
    assert -5 <= told["top"] < told["height"], "its title is seen"
    assert told["aim"] != told["other"], "it is marked"
    assert told["stays"], "though a filter is chosen that leaves it out"


@pytest.mark.parametrize("page", ["run", "check", "hostile"])
@pytest.mark.parametrize("script", ["script", "none"])
def test_print_shows_what_is_folded(seen, page, script) -> None:
    told = seen[page]["printed"][script]
    assert told["closed"] == 0
    assert told["controls"] == 0
    assert told["background"] == "rgb(255, 255, 255)"
    assert 1 <= told["pages"] < (300 if page == "hostile" else 60)
