"""What pages say: of every kind of report, of what changed between two, and never more than was shown."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from conformance.extensions.audit.command import check
from tests.formats.reading import ReadBack, failing, green, laid_out, read_all, read_html, read_junit
from tests.pages.examples import KINDS, MATRICES, RUNS, Examples, accepted_names, changed, leaderboard, put

LARGE = {"whole", "whole naive", "fork", "few", "few and right", "rewards", "release"}
"""Pages with all of harbor-0.13.1's vectors, which take a second each."""
CONTRADICT = {"check: link"}
SHARDS = {"shard 1", "shard 3", "right shard"}
"""What a shard writes is no report."""
ALONE = [*(RUNS.keys() - SHARDS), "merged", "merged and right", "check clean", "check wrong", "check board"]
ALONE += [*MATRICES, *(name for kind in KINDS for name in accepted_names(kind) if name not in CONTRADICT)]
BAD = ("mismatch", "wrong-error", "crash", "timeout", "protocol-error", "flaky")
DIFFERENCES = [
    *(("right", other) for other in ("right", "wrong", "without", "unsupported", "pinned")),
    *(("wrong", other) for other in ("right", "wrong at value", "filtered", "merged", "interrupted")),
    *(("wrong", "none"), ("wrong", "stale"), ("stale", "wrong")),
    *(("rewards", "release"), ("few and right", "few"), ("whole", "whole naive"), ("whole", "fork")),
    *(("matrix", "matrix after"), ("matrix", "matrix gone"), ("matrix gone", "matrix")),
    *(("check clean", "check wrong"), ("check wrong", "check clean"), ("check clean", "check board")),
    *(("check wrong", "check gone"), ("check board", "check clean")),
    *(("fuzz: disagreements", f"fuzz: {one}") for one in ("interrupted", "no-disagreement", "unsupported")),
    *(("fuzz: interrupted", "fuzz: interrupted"), ("fuzz: no-disagreement", "fuzz: disagreements")),
    *(("metric: one-finding", f"metric: {other}") for other in ("kept", "not-run", "not-tried")),
    *(("run: mismatch", "run: all-passed"), ("run: all-passed", "run: mismatch")),
]
WHOLE = [
    *("run: mismatch-explained", "run: property-failed", "run: asked-again", "run: environments-mixed"),
    *("check: one-finding", "metric: one-finding", "matrix: compared", "fuzz: disagreements"),
]


def counts_of(text):
    """The counts of a page, and how many it says there are in all."""
    table = text.partition("\ntotal")[0].rpartition("\n\n")[2]
    rows = re.findall(r"^(\S.*?) +([\d,]+)(?:  \S.*)?$", table, re.MULTILINE)
    whole = re.search(r"^total +([\d,]+)", text, re.MULTILINE)
    assert whole is not None
    return {name: int(count.replace(",", "")) for name, count in rows}, int(whole[1].replace(",", ""))


def steady(text, name):
    """The text without what another vector, day, machine or version of the kit changes."""
    text = re.sub(r"\bpython3[\d.]* ", "python ", text)
    text = re.sub(r"today's [\d,]+", "today's N", text)
    text = re.sub(r"\d+\.\d+\.\d+\.dev\S+|sha256:\w+", "KIT", text)
    if ": " in name:
        return text
    return re.sub(r"\b\d[\d,]*\d\d\b|\b[2-9]\d\b", "N", re.sub(r"/\S*/(?=\w)", "", text))


def marked(name):
    """Slow where pages are large."""
    names = {name} if isinstance(name, str) else set(name)
    return pytest.param(name, marks=[pytest.mark.slow] if LARGE & names else [])


@pytest.mark.parametrize("name", [*map(marked, sorted(ALONE))])
def test_a_page_in_brief(name, cli, written, snapshot) -> None:
    """Its log, its counts and its badge."""
    path = written(name)
    log = cli("report", path, "--format", "log", "--exit-code")
    counts = counts_of(cli("report", path, "--failures", 0).stdout)
    badge = cli("report", path, "--format", "badge-json")
    said = [f"exit code {log.returncode}", log.stdout.rstrip(), f"counts: {counts}"]
    if "has no badge" not in badge.stderr:
        told = json.loads(badge.stdout)
        colour = "green" if green(told["color"]) else "not green"
        said.append(f"badge: {told['label']}: {told['message']}, {colour}")
    assert steady("\n".join(said), name) == snapshot
    assert sum(counts[0].values()) == counts[1]


@pytest.mark.parametrize("name", [*map(marked, sorted(ALONE))])
def test_every_report_in_every_format(name, pages, examples) -> None:
    """Nothing is lost: what fails is in each format, every item has its row, and what fails its address."""
    document, made = examples(name), pages(name)
    read_all(made)
    html, cases = read_html(made["html"]), failing(read_junit(made["junit"]))
    laid_out(made["text"])
    assert made["markdown"].count("<details>") == made["markdown"].count("</details>")
    for one in document.get("results", ()):
        key = one["id"].partition("/")[2]
        brief = one["outcome"] in ("unsupported", "not-run", "not-counted")
        assert brief or f"i-{key.replace('/', '.')}" in html.ids
        assert (key in cases) is (one["outcome"] in (*BAD, "unexpected-pass") or one["demanded"])
        assert key in made["text"]
    for rows in document.get("passed", {}).values():
        assert all(row[0].partition("/")[2] in html.text for row in rows)
    if "results" in document:
        counts = counts_of(made["text"])
        totals = document["summary"]["totals"]
        assert bool(cases) is (document["summary"]["exit_code"] != 0)
        assert counts[0].get("passed", 0) == totals.get("passed", 0)
        assert counts[0].get("expected failures", 0) == totals.get("expected-failure", 0)
        assert counts[0].get("failed", 0) == sum(totals.get(one, 0) for one in BAD)
        assert counts[1] == document["vectors"]["total"] + document["vectors"]["newer"]
    for finding in document.get("findings", ()):
        assert f"{finding['case']}/{finding['rule']}" in html.text
    for job in document["jobs"] if "submissions" in document else ():
        assert job["path"].rpartition("/")[2] in html.text
        assert all(one["id"] in html.text for one in job["findings"])


@pytest.mark.parametrize("names", [*map(marked, DIFFERENCES)], ids=" to ".join)
def test_a_difference_in_brief(names, cli, written, snapshot) -> None:
    done = cli("report", *map(written, names), "--exit-code", "--format", "log")
    assert done.returncode in (0, 1), done.stderr
    assert steady(f"exit code {done.returncode}\n{done.stdout}", names[0]) == snapshot


@pytest.mark.parametrize("names", DIFFERENCES[:2] + DIFFERENCES[-16:], ids=" to ".join)
def test_a_difference_in_every_format(names, pages, cli, written) -> None:
    made = pages(*names)
    read_all(made)
    counts, whole = counts_of(made["text"])
    assert sum(counts.values()) == whole
    code = cli("report", *map(written, names), "-o", "x.html", "--exit-code").returncode
    assert bool(failing(read_junit(made["junit"]))) is (code != 0) is bool(counts.get("got worse"))


@pytest.mark.parametrize("name", WHOLE)
def test_a_page_in_full(name, cli, written, snapshot) -> None:
    assert steady(cli("report", written(name), "--all").stdout, name) == snapshot


def test_every_failing_item_has_an_address_and_facets_need_no_script(pages, examples) -> None:
    back = ReadBack(pages("wrong")["html"])
    for one in examples("wrong")["results"]:
        anchor = f"i-{one['id'].partition('/')[2].replace('/', '.')}"
        assert back.ids.count(anchor) == 1
        assert ("a", {"href": f"#{anchor}"}) in back.tags
    values = [str(given["value"]) for _, given in back.tags if given.get("value")]
    assert values
    for value in values:
        assert f".filter:has([value={value}]:checked)~.list .r:not(.{value})" in back.raw["style"][0]
        assert any(value in (given.get("class") or "").split() for tag, given in back.tags if tag == "tr")
    for tone in ("good", "bad", "known", "warn", "quiet"):
        assert re.search(rf"b\.{tone}::before[^{{]*\{{content:", back.raw["style"][0]), "a tone is a sign too"


def test_known_failures_have_their_reason_age_and_state(cli, written) -> None:
    text = cli("report", written("stale"), "--format", "markdown", "--limit", 1_000_000).stdout
    rows = [line.replace("`", "") for line in text.splitlines() if line.startswith("| `evsys")]
    wanted = [
        r"evsys/compute/threshold-infinity \| mismatch \| ❌ passes: remove it \| 0 \| no date \| passes",
        r"evsys/gone/\* \| mismatch \| ❌ matches nothing \| 0 \| since 2020-01-01, [\d,]+ days",
        r"evsys/compute/pass-hat-\* \| mismatch \| ❌ stale: remove it \| 0 \| no date \| no reason given",
        r"evsys/compute/avg-\* \| mismatch \| 📌 fails as listed \| 3 \| since 2020-02-20, [\d,]+ days",
        r"evsys/registry/\* \| mismatch \| 📌 fails as listed \| \d+ \| no date \| no reason given",
    ]
    for row, pattern in zip(rows, wanted, strict=True):
        assert re.search(pattern, row), row


def test_an_operation_that_is_lost_is_an_item(cli, written, examples) -> None:
    """It comes with the runner's reason, and in a difference it got worse."""
    lost = examples("right")
    op = "evsys.registry"
    lost["runner"]["ops"].remove(op)
    lost["runner"]["unsupported"] = {op: "no module named evsys"}
    lost["required"] = [{"op": op, "passed": 3, "vectors": 3, "unsupported": 0}]
    done = cli("report", written(lost), "--format", "log", "--exit-code")
    assert done.returncode == 1
    assert f"example: offer/{op}: no module named evsys" in done.stdout
    changes = cli("report", written("right"), written(lost), "--format", "log", "--exit-code")
    assert changes.returncode == 1
    assert f"offer/{op}" in changes.stdout


def test_other_vectors_than_this_kits_are_never_green(pages, examples) -> None:
    assert green(json.loads(pages("right")["badge-json"])["color"])
    other = changed(examples("right"), ("vectors", "digest"), "sha256:" + "0" * 64)
    other["vectors"]["version"] = other["vectors"]["latest"] = "9.0.0"
    made = pages(other)
    assert "problem:  the vectors are not this kit's, but of version 9.0.0" in made["text"]
    assert not green(json.loads(made["badge-json"])["color"])


def test_the_document_says_what_each_count_of_a_run_is(cli, written) -> None:
    text = (Examples.docs() / "reports.md").read_text(encoding="utf-8")
    told = text.partition("| count | meaning |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([a-z, ]+) \|", told, re.MULTILINE)
    names = [name for name in (*RUNS, "merged") if name not in LARGE | SHARDS]
    every = [counts_of(cli("report", written(name)).stdout)[0] for name in names]
    assert {name for counts in every for name in counts} <= set(rows)
    assert all([one for one in rows if one in counts] == list(counts) for counts in every), "in this order"


def test_a_leaderboard_shows_scores_with_their_spread(pages) -> None:
    made = pages("check board")
    assert made["html"].count('<svg class="spread"') > 5
    assert re.search(r"\d+\.\d % ± \d+\.\d \(95 %: \d+\.\d to \d+\.\d %\)", made["markdown"])
    assert "Leaderboard: " in made["text"]
    counted = "all records, unscored trials as zero (harbor's mean; from 0.26.0 on only valid rewards)"
    assert counted in read_html(made["html"]).text


def test_answers_that_changed_are_shown_though_both_fail(cli, written, examples) -> None:
    after = examples("wrong")
    one = next(one for one in after["results"] if one["outcome"] == "mismatch")
    one["actual"] = {"ok": {"other": 7}}
    done = cli("report", written("wrong"), written(after), "--exit-code")
    assert (done.returncode, counts_of(done.stdout)[0]["wrong in another way"]) == (0, 1)
    assert '{"other": 7}' in done.stdout
    assert "actual before:" in done.stdout
    before, after = examples("run: wrong-error"), examples("run: wrong-error")
    after["results"][0]["actual"]["error"]["message"] = "another"
    assert "wrong in another way" not in cli("report", written(before), written(after)).stdout


def test_what_only_one_of_two_asked_is_neither_new_nor_gone(cli, written, examples) -> None:
    """A kind that lists findings only: what it looked at and does not list was right."""
    after = examples("fuzz: disagreements")
    after["ops"]["scores"] = after["ops"].pop("aggregate")
    for cause in after["causes"]:
        cause["op"] = "scores"
    fuzzed = cli("report", written("fuzz: disagreements"), written(after), "--exit-code")
    assert fuzzed.returncode == 0
    counts = counts_of(fuzzed.stdout)[0].keys() - {"still right"}
    assert counts == {"only in the first", "only in the second"}
    for before, now, code in (
        ("fuzz: no-disagreement", "fuzz: disagreements", 1),
        ("check wrong", "check clean", 0),
    ):
        done = cli("report", written(before), written(now), "--exit-code")
        assert done.returncode == code
        assert counts_of(done.stdout)[0]["got worse" if code else "got better"] > 0


def test_a_run_of_another_spec_asks_the_same_questions(cli, written, examples) -> None:
    """Keys have no spec in them, and are the same whether an item is right or wrong."""
    after = json.loads(json.dumps(examples("run: all-passed")).replace("harbor-0.13.1/", "harbor-0.25.0/"))
    done = cli("report", written("run: mismatch"), written(after | {"spec": "harbor-0.25.0"}))
    counts = counts_of(done.stdout)[0]
    assert counts["got better"] == 1
    assert "only in the first" not in counts


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("right", "run: all-passed"), "the two reports have nothing in common"),
        (("right", "matrix: compared"), "only two reports of the same kind can be compared"),
        (("metric: one-finding", "other"), "the two reports have nothing in common"),
        (("matrix", "nobody"), "contradicts itself: it has a row for nobody"),
    ],
    ids=lambda given: " to ".join(given) if isinstance(given, tuple) else "",
)
def test_what_can_not_be_compared_or_contradicts_itself_is_refused(
    names, sentence, cli, written, examples
) -> None:
    other = examples("metric: one-finding")
    for one in (*other["cases"], *other["findings"]):
        one["name" if "name" in one else "case"] += "-other"
    made = {"other": other, "nobody": changed(examples("matrix"), ("rows", 0, "subject"), "nobody")}
    done = cli("report", *(written(made.get(name, name)) for name in names))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr


@pytest.mark.parametrize("name", ["wrong", "demanded", "dying", "matrix"])
def test_what_a_page_says_repeats_a_failure_does(name, cli, written, played) -> None:
    text = cli("report", written(name)).stdout
    (command, *_) = re.findall(r"^ +repeat: (.*)$", text, re.MULTILINE)
    again = cli(*shlex.split(command)[1:])
    assert again.returncode == 1 or "unsupported" in again.stdout
    assert "0 of 1 " in again.stdout


def test_the_command_of_a_finding_explains_it(cli, tmp_path, monkeypatch) -> None:
    put(tmp_path / "a job's", spoil=True)
    put(tmp_path / "-v", spoil=True)
    leaderboard(tmp_path / "board")
    for words in (("a job's", "--level", "value"), ("board",), ("--", "-v")):
        (tmp_path / "r.json").write_text(cli("check", "--json", "--jobs", 1, *words).stdout, "utf-8")
        (command, *_) = re.findall(r"^ +repeat: (.*)$", cli("report", "r.json").stdout, re.MULTILINE)
        jobs = json.loads((tmp_path / "r.json").read_text("utf-8"))["jobs"]
        (finding, *_) = [one for job in jobs for one in job["findings"]]
        monkeypatch.chdir(tmp_path / "board" if words == ("board",) else tmp_path)
        done = CliRunner().invoke(check, shlex.split(command)[2:], help_option_names=["-h", "--help"])
        assert done.exit_code == 0, done.output
        assert finding["expected"] in done.stdout
