"""Folders of jobs as submissions: what they cover and score, ranks, comparisons.

All of it is read off the report of jobs that are written here, a task's rewards being given by its name.
"""

import json
import math
import random
import shutil
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import pytest

from conformance.extensions.audit.page import page
from conformance.extensions.audit.submissions.scores import DENOMINATORS
from tests.extensions.audit.auditing import JOB, compared, edit, lines, report, run
from tests.tables import each, tables
from tools.jobs.model import Job, Trial

DOCUMENT = Path(__file__).parents[3] / "docs" / "checking-a-leaderboard.md"
TABLES = tables(__file__)


def rows(of, first=0, prefix="", **own):
    """One trial for each value of each task: a reward, a dict of them, or None for unscored.

    A string is the exception of an unscored one; a pair has a reward and an exception.
    """
    made = []
    for task, values in of.items():
        for at, value in enumerate(values, start=first):
            reward, exception = (None, value) if isinstance(value, str) else (value, None)
            reward, exception = value if isinstance(value, tuple | list) else (reward, exception)
            rewards = reward if isinstance(reward, dict) or reward is None else {"reward": reward}
            name = f"{prefix}{task.replace('/', '-')}__{at:07}"
            made.append(Trial(name, task, rewards, exception, began=10_000.0 * first, own=own))
    return made


@pytest.fixture
def put(tmp_path):
    """Writes a job, in the folder of its submission; the folder of all.

    Its trials are `rows`, or of given tasks: then they have names of their own unless a prefix is given.
    """

    def job(place, of, mean=None, planned=0, without_result=False, metadata=None, prefix=None, **more):
        prefix = place.replace("/", "-") if prefix is None else prefix
        trials = rows(of, prefix=prefix, **more) if isinstance(of, dict) else of
        for number, trial in enumerate(trials):
            trial.began += number
            trial.ended = trial.began + 0.5
        of = {"agent": "a", "model": "m", "source": "bench"}
        made = Job(place, (0, 13, 1), trials, planned=planned or len(trials), **of).build()
        if mean is not None:
            for group in made.result["stats"]["evals"].values():
                group["metrics"] = [{"mean": mean}]
        made.left_out = {JOB} if without_result else set()
        shutil.rmtree(tmp_path / "board" / place, ignore_errors=True)  # what a test wrote there before
        made.write(tmp_path / "board")
        if metadata:
            (tmp_path / "board" / place).parent.joinpath("metadata.json").write_text(json.dumps(metadata))
        return tmp_path / "board"

    return job


def of(one, names):
    """Some members, in order."""
    return [one[name] for name in names.split()]


def rolled(top):
    (one,) = report(top)["submissions"]
    return one


def scores(one):
    """Of the first group, for `reward`."""
    return next(each for each in one["groups"][0]["scores"] if each["key"] == "reward")


def values(one):
    return {name: score["value"] for name, score in scores(one)["by"].items()}


# Scores


def picked(found, due):
    """The part of a report that has the members of another; a name with = is compared whole."""
    if isinstance(due, dict) and isinstance(found, dict | list):
        members = dict(enumerate(found)) if isinstance(found, list) else found
        return {
            key: members.get(key[:-1]) if str(key).endswith("=") else picked(members.get(key), one)
            for key, one in due.items()
        }
    if isinstance(due, list) and isinstance(found, list) and len(found) == len(due):
        return [picked(one, other) for one, other in zip(found, due, strict=True)]
    return found


def written_jobs(put, jobs):
    for place, about in jobs.items():
        tasks = {task: rewards for task, rewards in about.items() if isinstance(rewards, list)}
        top = put(place, tasks, **{name: one for name, one in about.items() if name not in tasks})
    return top


@each(TABLES["submissions"])
def test_what_is_reported_of_jobs(row, put, tmp_path) -> None:
    top = written_jobs(put, row["jobs"])
    (tmp_path / "aliases").write_text("# names of one benchmark\nb = a\n\n")
    options = row.get("options", "").replace("ALIASES", str(tmp_path / "aliases")).split()
    document = compared(*options, top / "a", top / "b") if "compared" in row else report(*options, top)
    due = {name: row[name] for name in ("submissions", "leaderboards", "compared") if name in row}
    assert picked(document, due) == due


@pytest.mark.parametrize("row", TABLES["refused"], ids=lambda row: row["says"])
def test_what_is_refused_in_a_sentence(row, put, cli) -> None:
    written_jobs(put, row["jobs"])
    done = cli("check", *row["words"].split())
    assert (done.returncode, done.stdout, row["says"] in done.stderr) == (2, "", True)


def test_every_denominator(put) -> None:
    """One trial is missing, one unscored, one ends in an exception with a reward."""
    put("s/1", {"t": [1, 0], "u": [(1, "Timeout")]}, planned=4)
    says = {"accuracy": "0.6", "agent": "\x1b[31mA"}
    assert values(rolled(put("s/2", {"t": [1.0, None], "u": [0.0]}, first=5, metadata=says))) == {
        "records": 3 / 6,
        "planned": 3 / 7,
        "scored": 3 / 5,
        "task-records": (2 / 4 + 1 / 2) / 2,
        "task-attempts": (2 / 4 + 1 / 4) / 2,
        "task-scored": 7 / 12,
        "errors-as-zero": 2 / 6,
        "errors-left-out": 2 / 5,
        "best-attempt": 1.0,
        "first-attempt": 1.0,
    }


def test_what_unscored_trials_count(put) -> None:
    """39.3 % with unscored trials as zero, 73.3 % without; such a submission is published."""
    hanging = {f"t{at:02}": [1] if at < 11 else [0] if at < 15 else ["AgentTimeoutError"] for at in range(28)}
    one = rolled(put("s/j", hanging, mean=11 / 15))
    assert one["notes"] == [
        "the score depends on how unscored trials count: 39.3 % as zero, 73.3 % left out (13 of 28 unscored)",
        "1 job does not state the mean of their trials: s/j",
    ]
    assert scores(one)["stated"]["by"] == ["scored", "task-scored", "errors-left-out"]


@pytest.mark.slow
def test_a_score_hangs_on_them_beyond_its_standard_error(put) -> None:
    """One or four of 50 tasks are 1.1 points or five, where the mean has a standard error of 7."""
    for unscored in (1, 4, 12):
        scored = 50 - unscored
        one = rolled(put("s/j", {f"t{at}": [int(at < 25) if at < scored else None] for at in range(50)}))
        assert values(one)["scored"] - values(one)["records"] > 0.01
        assert any("depends on how" in note for note in one["notes"]) is (unscored == 12)


def test_standard_errors(put) -> None:
    """With as many attempts of each task both means have the standard error of the tasks' means."""
    draw = random.Random(14)
    tasks = {f"t{at}": [draw.choice([0, 1]) for _ in range(5)] for at in range(30)}
    by = scores(rolled(put("s/j", tasks)))["by"]
    due = stdev([mean(of) for of in tasks.values()]) / math.sqrt(30)
    for name in ("records", "task-records"):
        assert by[name]["standard_error"] == pytest.approx(due, rel=1e-12)
        low, high = by[name]["interval"]
        assert high - low == pytest.approx(2 * 1.959963984540054 * due, rel=1e-12)
    by = scores(rolled(put("s/j", {"t": [1, 1, 0], "u": [0]})))["by"]  # of a ratio, for uneven tasks
    due = math.sqrt(2 / 1 * ((2 - 3 * 2 / 4) ** 2 + (0 - 2 / 4) ** 2)) / 4
    assert by["records"]["standard_error"] == pytest.approx(due, rel=1e-12)
    by = scores(rolled(put("s/j", {"t": [1], "u": [0]})))["by"]
    assert by["records"]["interval"] == [0.0, 1.0], "no further"


def test_copies_of_trials(put) -> None:
    """They begin in one microsecond: under another name, or in another submission."""
    trials = rows({"t": [1], "u": [0]})
    for trial in trials:
        trial.began += 0.25
    put("a/1", trials)
    put("b/1", trials[:1])
    top = put("a/2", [replace(trials[1], name="x-u__0000009")])
    twice = "1 trial here under two names: u__0000000 and x-u__0000009"
    notes = [one["notes"] for one in report(top)["submissions"]]
    assert notes == [[twice, "1 trial also in b: t__0000000"], ["1 trial also in a: t__0000000"]]


def test_rewards_that_are_no_numbers(written, put) -> None:
    """They are left out, and said; nothing that is not finite gets into a score."""
    top = written("not-a-number", "board/s/1").parents[1]
    one = rolled(top)
    assert of(values(one), "scored records") == [1.0, 0.2]
    assert scores(one)["pass_at_k"] == {}
    (told,) = [note for note in one["notes"] if "not finite" in note]
    assert told.startswith("4 rewards ignored because not finite: reward nan of t")
    shutil.rmtree(top)
    for place, number in (("s/1", 10**400), ("s/2", 2**1024 - 1)):
        (trial,) = made = rows({"t": [7]}, prefix=place[-1])
        top = put(place, made, without_result=True)
        edit(top / place / trial.name / JOB, ('"reward": 7', f'"reward": {number}'))
    assert of(scores(rolled(top)), "scored unscored") == [1, 1]


def test_groups_are_kept_apart(put) -> None:
    mixed = rows({"t": [1]}) + rows({"t": [0]}, 1, model=None) + rows({"t": [0]}, 2, source=None)
    one = rolled(put("s/j", mixed))
    found = [of(group, "source agent model planned") for group in one["groups"]]
    assert found == [[None, "a", "m", None], ["bench", "a", None, None], ["bench", "a", "m", None]]
    assert one["planned"] == 3, "the job does not say of which"


def test_what_a_diff_job_reuses(put) -> None:
    """Its trials are those that were run again; of a source that is not here nothing more is known."""
    put("s/whole", {"t": [1, 1], "u": [1, 0], "v": [0, 0]})
    top = put("s/diff", {"v": [1, 1]}, first=5)
    own = json.loads((top / "s/whole" / JOB).read_text())["id"]
    source = f'{{"action": "diff", "type": "local", "path": "jobs/whole", "job_id": "{own}"}}'
    edit(top / "s/diff/config.json", ('"debug": false', f'"debug": false,\n    "source_jobs": [{source}]'))
    document = report(top)
    assert "s/diff reuses 4 trials of s/whole: t, u" in document["submissions"][0]["notes"]
    assert [len(job["notes"]) for job in document["jobs"]] == [1, 0]
    shutil.rmtree(top / "s/whole")
    assert any("a diff of a job that was not audited" in note for note in rolled(top)["notes"])


def test_the_document_shows_what_is_printed(put) -> None:
    draw = random.Random(2)
    chances = {f"task-{at:02}": draw.random() for at in range(30)}
    own = {"source": "terminal-bench", "agent": "terminus-2", "model": "gpt-5.1"}
    says = "agent_display_name: Terminus 2\nmodels:\n- model_name: gpt-5.1\naccuracy: 0.491\n"
    for at in range(5):
        results = {
            task: ["AgentTimeoutError" if draw.random() < 0.2 else int(draw.random() < chance)]
            for task, chance in chances.items()
        }
        top = put(f"terminus-2__gpt-5.1/2025-11-1{at}__12-30-01", results, first=at, **own)
    (top / "terminus-2__gpt-5.1/metadata.yaml").write_text(says)
    text = DOCUMENT.read_text(encoding="utf-8")
    assert f"```text\n{section('Scores of ', lines(top))}\n```" in text
    assert [name for name in DENOMINATORS if f"| `{name}` |" not in text] == []


def section(begin, told):
    """The part of a page that begins like that."""
    at = next(at for at, line in enumerate(told) if line.startswith(begin))
    return "\n".join(told[at : told.index("", at)])


@pytest.mark.slow
def test_a_hostile_submission_is_cut_and_that_is_said(put) -> None:
    """Many keys, many attempts at one task beside many tasks, many agents."""
    wide = rows({"t": [{f"k{at:05}": at for at in range(1000)}, {"reward": 1}]}, prefix="w")
    deep = rows({"t": [1] * 150, **{f"u{at}": [1] for at in range(100)}}, prefix="d", agent="deep")
    many = [trial for at in range(1005) for trial in rows({"t": [1]}, at, agent=f"x{at:04}")]
    top = put("s/j", wide + deep + many, without_result=True)
    one = rolled(top)
    assert (len(one["groups"]), len(one["groups"][0]["scores"])) == (1000, 20)
    assert "bench / a / m: only 20 of 1001 reward keys are summarised" in one["notes"]
    assert "only 1000 of 1007 datasets, agents and models are summarised" in one["notes"]
    assert len(lines(top)) < 1000


# Leaderboards


def board_of(top, *options):
    (board,) = report(*options, top)["leaderboards"]
    return board


def test_ranks_and_what_they_hang_on(put, snapshot) -> None:
    """The jobs of that row of the table."""
    put("l/a/1", {"t": [1, 0], "u": [1, 0], "v": [1, 0]})
    put("l/b/1", {"t": [1, 1], "u": [1, 1], "v": [0, 0]})
    put("l/c/1", {"t": [1, None], "u": [1, None]}, planned=6)
    top = put("l/d/1", {"t": ["X", "X"], "u": ["X", "X"], "v": ["X", "X"]})
    assert section("Leaderboard: bench", lines(top)) == snapshot


def test_each_dataset_has_a_board_of_its_own(put) -> None:
    top = put("a/1", rows({"t": [1]}) + rows({"t": [1]}, 1, source=None))
    assert report(top)["leaderboards"] == []
    put("b/1", rows({"t": [1]}, prefix="b") + rows({"t": [0]}, 1, "b", model="n"))
    entries = {one["source"]: one["entries"] for one in report(top)["leaderboards"]}
    found = [(source, [of(entry, "submission model") for entry in each]) for source, each in entries.items()]
    assert found == [("bench", [["a", "m"], ["b", "m"], ["b", "n"]]), (None, [["a", "m"]])]


def test_one_benchmark_under_several_names_is_one_table_that_says_so(put) -> None:
    """By its tasks; a dataset with other tasks, or with too few to tell, has a table of its own."""
    tasks = {f"t{at}": [at % 2] for at in range(6)}
    names = ["terminal-bench", "terminal-bench-2", "org/terminal-bench-2", "tb/2.1", None]
    for at, source in enumerate(names):
        put(f"s{at}/1", tasks if at < 3 else dict(list(tasks.items())[:3]), source=source)
    put("s0/2", tasks, first=1, source="terminal-bench")
    put("two/1", {"t0": [1], "t1": [1]}, source="two")
    top = put("else/1", {f"u{at}": [1] for at in range(4)}, source="else")
    (first, *others) = report(top)["leaderboards"]
    also = [None, "org/terminal-bench-2", "tb/2.1", "terminal-bench-2"]
    assert of(first, "source also") == ["terminal-bench", also]
    assert [entry["source"] for entry in first["entries"]] == names
    assert [of(one, "source also") for one in others] == [["else", []], ["two", []]]
    head = "Leaderboard: terminal-bench, also called adhoc, org/terminal-bench-2, tb/2.1, terminal-bench-2"
    assert head in lines(top)


def test_one_benchmark_under_two_names_in_one_job_is_one_entry(put) -> None:
    """Its job states a mean for all of them: that is theirs."""
    tasks = {f"t{at}": [int(at > 0)] for at in range(6)}
    put("a/1", tasks, source="other")
    trials = rows(tasks, prefix="b")
    trials[0].own = {"source": "other"}
    top = put("b/1", trials)
    job = json.loads((top / "b/1" / JOB).read_text())
    assert job["stats"]["evals"].pop("a__m__other")
    job["stats"]["evals"]["a__m__bench"]["metrics"] = [{"mean": 5 / 6}]
    (top / "b/1" / JOB).write_text(json.dumps(job))
    board = board_of(top)
    assert board["rated"] == []
    entries = [of(one, "source rank missing") for one in board["entries"]]
    assert entries == [["other", 1, []], ["bench", 1, []]]


def test_who_is_rated_wrongly_and_by_how_much(put) -> None:
    put("a/1", {"t": [1], "u": [1], "v": [0]})
    put("b/1", {"t": [1], "u": [0], "v": [0]}, mean=0.9)
    top = put("c/1", {"t": [0], "u": [0], "v": [0]})
    board = board_of(top)
    assert board["rated"] == [{"submission": "b", "stated": 0.9, "score": 1 / 3, "stated_rank": 1, "rank": 2}]
    assert {one["denominator"]: one["first"] for one in board["orders"]}["stated"] == [["a", "b"]]
    told = words(lines(top))
    at = told.index("Wrong scores: the stated mean is not the mean of the trials")
    assert told[at + 3] == "b 90.0 % 33.3 % +56.7 1 → 2 1"
    assert "as result.json states it 1 1 a and 2 b" in told
    made = page(report(top))
    assert made.first_tables[0].rows[0][:3] == ("b", "90.0 %", "33.3 %")
    assert [table.title for table in made.first_tables[1:2]] == ["Leaderboard: bench"]
    put("b/2", {"t": [0]}, agent="b")  # now its row has another name
    wrong = put("d/1", {"t": [0], "u": [0]})
    edit(wrong / "d/1" / JOB, ('"n_errored_trials": 0', '"n_errored_trials": 1'))
    told = words(lines(top))
    assert "b (a / m) 90.0 % 33.3 % +56.7 1 → 2 1" in told
    at = told.index("Other submissions with wrong jobs, whose stated mean is right or missing")
    assert told[at + 3 : at + 5] == ["d 1 counter", ""]


def words(told):
    """Lines with single spaces."""
    return [" ".join(line.split()) for line in told]


def test_scores_and_places_under_other_rules(put) -> None:
    """Of a job without a result nothing is known; a rule that changes no score may change other numbers."""
    put("a/1", {"t": [1, "Boom"], "u": [1, 1]})
    put("b/1", {"t": [1, 1], "u": [1, 1], "v": [0]})
    top = put("c/1", {"t": [0], "u": [0]}, without_result=True)
    document = report("--under", "rule:errored-left-out", "--under", "rule:pass-at-1", top)
    left_out, pass_at_1 = document["leaderboards"][0]["under"]
    assert [tuple(one.values()) for one in left_out["entries"]] == [
        ("a", 0.75, 1.0, 2, 1),
        ("b", 0.8, 0.8, 1, 2),
        ("c", 0.0, None, 3, 3),
    ]
    assert ([one["submission"] for one in pass_at_1["entries"]], pass_at_1["others"]) == (["c"], ["a", "b"])
    (job, *_) = document["jobs"]
    (change,) = job["under"][0]["changes"]
    assert (change["what"], len(change["trials"])) == ("left out", 1)
    assert job["under"][0]["groups"]["a__m__bench"]["0/mean"] == [0.75, 1.0]
    assert "a 75.0 % 100.0 % +25.0 2 → 1" in words(lines("--under", "rule:errored-left-out", top))
    titles = [table.title for table in page(document).first_tables]
    assert any(title.startswith("bench under rule:errored-left-out: ") for title in titles)


# Comparisons


def sides(put, a, b, **own):
    put("a/1", a)
    top = put("b/1", b, **own)
    return top / "a", top / "b"


def only(*arguments):
    """The only comparison of two submissions."""
    (found,) = compared(*arguments)["compared"]
    return found


def test_the_difference_over_common_tasks(put) -> None:
    a = {"t": [1, 1], "u": [0, 1], "v": [0, 0], "w": [1, 0], "gone": [1]}
    b = {"t": [0, 0], "u": [0, 1], "v": [1, 1], "w": [1, 1], "new": [0]}
    found = only(*sides(put, a, b, model="n"))
    differences = [-1.0, 0.0, 1.0, 0.5]
    assert [pair["difference"] for pair in found["tasks"]] == differences
    assert of(found, "means difference") == [[0.5, 0.625], mean(differences)]
    error = stdev(differences) / math.sqrt(4)
    assert found["standard_error"] == pytest.approx(error, rel=1e-12)
    assert found["interval"] == [pytest.approx(0.125 + way * 1.959963984540054 * error) for way in (-1, 1)]
    assert of(found, "gained lost only sign_test") == [2, 1, [["gone"], ["new"]], 1.0]
    assert of(found, "passed_then_failed failed_then_passed agents") == [["t"], ["v"], ["a / m", "a / n"]]


def test_two_submissions_by_other_rules(put) -> None:
    """Each side's trials as they count by the rules; a job without a result is not known by any."""
    both = sides(put, {"t": [1, "Boom"], "u": [0]}, {"t": [1, 1], "u": ["Boom"], "v": [(1, "Boom")]})
    options = [word for rule in ("rule:errored-left-out", "harbor-0.25.0") for word in ("--under", rule)]
    found = only(*options, *both)
    left_out, release = (one["by"] for one in found["under"])
    assert [of(task, "task means") for task in found["tasks"]] == [["t", [0.5, 1.0]], ["u", [0.0, 0.0]]]
    assert [of(task, "task means") for task in left_out["tasks"]] == [["t", [1.0, 1.0]]]
    assert left_out["only"] == [["u"], []]
    assert release == {name: value for name, value in found.items() if name != "under"}
    told = run(*options, both[0], "--against", both[1]).stdout.partition("Under rule:errored-left-out: ")[2]
    assert "1 common task: A 100.0 %, B 100.0 %; B - A +0.0" in told
    (both[1] / "1" / JOB).unlink()
    assert only(*options, *both)["under"][0]["by"] is None


def test_nothing_in_common_that_counts(put) -> None:
    both = sides(put, {"t": ["X"]}, {"u": [1]})
    assert "no task has trials that count in both" in run("--pair", *both).stdout


def test_the_text_of_a_comparison(put, snapshot, monkeypatch) -> None:
    a = {f"t{at}": [1, 1] for at in range(24)} | {"gone": [1, 0]}
    b = {f"t{at}": [0, 1] for at in range(24)} | {"\x1b[1m": [0, 0]}
    first, _ = sides(put, a, b)
    monkeypatch.chdir(first.parent)
    assert run("--pair", "a", "b").stdout == snapshot


# The commands


def test_what_submissions_are_called(put, cli, tmp_path, monkeypatch) -> None:
    """A report is the same wherever the submission is; a comparison names what can't be compared."""
    put("a/1", {"t": [1]})
    top = put("b/1", {"t": [0]})
    (top / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    here = report("board/a")
    (top / "a").rename(top / "moved")
    assert report("board/moved") == here
    assert (here["jobs"][0]["path"], here["submissions"][0]["name"]) == ("1", ".")
    several = (report("board/moved", "board/b"), compared("board/moved", "board/b/1"))
    names = [[one["name"] for one in document["submissions"]] for document in several]
    assert names == [["board/b", "board/moved"], ["board/moved", "board/b/1"]]
    for other, problem in (
        ("board", "board contains 2 submissions; name one of them: board/b, board/moved"),
        ("board/notes", "board/notes: neither this folder nor one below it has"),
        ("nowhere", "nowhere: No such file or directory"),
    ):
        done = cli("check", "--pair", "board/moved", other)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"harbor-conformance: {problem}")
