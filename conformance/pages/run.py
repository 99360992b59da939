"""The page of a run's report: vectors, rephrased vectors, properties, what is offered, the list's entries."""

import datetime
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from conformance.outcomes import claims
from conformance.outcomes.claims import AGAIN, LIST_PROBLEM
from conformance.outcomes.failure_text import difference_lines
from conformance.outcomes.selection import vector_set_json
from conformance.outcomes.words import counted
from conformance.pages.model import Badge, Bar, Cell, Code, Item, Mark, Page, Table, Tone
from conformance.pages.words import answer_text, asked_text, one_line, tone_of
from conformance.suite.vectors import Vector, VectorFileError, load_set_of
from conformance.suite.versions import newer_than
from conformance.wire.messages import PROTOCOL
from conformance.wire.text import cut

__all__ = ["page"]

Document = Mapping[str, Any]
_LEVELS = {
    "value": "equal as parsed JSON values",
    "exact": "equal as parsed JSON values, int apart from float, 0.0 from -0.0",
    "bytes": "equal byte for byte",
}
_MEANS = {
    "passed": "The right answer, at the demanded level.",
    "failed": "A wrong answer or none, which is not listed as a known failure.",
    "unexpected passes": "Listed as a known failure, and passed.",
    "expected failures": "Failed as the list of known failures says.",
    "unsupported, demanded": "The runner does not answer these, and the run demands them.",
    "unsupported": "The runner says that it does not answer these.",
    "new, not counted": "Newer than the list of known failures, and did not pass.",
    "not run": "Selected and not asked: the run had been given up.",
    "not reached": "Selected and without a result: the run ended before them.",
    "in missing shards": "Selected in a part of the run of which there is no report.",
    "filtered": "Not selected.",
    "newer, left out": "Came with a later version of the vectors than the one chosen.",
}
_TONES = {"passed": Tone.GOOD, "expected failures": Tone.KNOWN, "unsupported": Tone.WARN}
_TONES |= dict.fromkeys(("new, not counted", "not reached", "filtered", "newer, left out"), Tone.QUIET)
_LISTED = "listed as a known failure, and passes"
_OUT_OF_DATE = "an entry of the list of known failures is no longer true"
_LOST = "no longer offered"
_REPHRASED = "the same questions in other words are answered wrongly"
_UPDATE = "check that this is meant, then run 'harbor-conformance baseline --update'"


def page(document: Document) -> Page:
    """The page."""
    run = _Run(document)
    counts = run.counts()
    return Page(
        kind="run",
        title=f"{run.who} against {document['spec']}",
        verdict=run.verdict(),
        sentence=run.sentence(),
        exit_code=run.exit_code,
        facts=run.facts(),
        counts=[
            (Mark(name, _TONES.get(name, Tone.BAD)), counts[name], means)
            for name, means in _MEANS.items()
            if counts[name] or name in ("passed", "failed")
        ],
        unit="vectors",
        problems=list(run.problems()),
        items=list(run.items()),
        causes={_LISTED: _UPDATE, _OUT_OF_DATE: _UPDATE, _LOST: _UPDATE}
        | {_says(line): one_line(line["do"]) for line in run.todo},
        tables=list(run.tables()),
        badge=run.badge(counts),
        started_at=document["started_at"],
        seconds=document["duration_seconds"],
    )


def _says(line: Mapping[str, Any]) -> str:
    """What a line of the to-do list says, and how far to trust it."""
    said = one_line(line["says"])
    if line["kind"] in ("cluster", "silent") or line["certain"]:
        return said
    against = f", {line['against']} answers against it" if line["against"] else ""
    return f"{said} (likely{against})"


class _Run:
    """A run's report, with what its page needs of it more than once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.accounts = claims.classes(document)

    @cached_property
    def exit_code(self) -> int:
        return claims.exit_code(self.document)

    @cached_property
    def part(self) -> str | None:
        """Why it is not of the whole set."""
        return claims.part_reason(self.document)

    @cached_property
    def failed(self) -> list[Mapping[str, Any]]:
        return claims.failures(self.document)

    @cached_property
    def lost(self) -> list[claims.LostOffer]:
        return claims.lost_offers(self.document)

    @property
    def list_problems(self) -> list[str]:
        known = self.document["known_failures"]
        return [] if known is None else known["problems"]

    @property
    def todo(self) -> list[Mapping[str, Any]]:
        diagnosis = self.document["diagnosis"]
        return [] if diagnosis is None else diagnosis["todo"]

    @property
    def claimed(self) -> list[str]:
        return [one.name for one in self.accounts if one.claimed]

    @property
    def who(self) -> str:
        runner = self.document["runner"]
        if runner["name"] is None:
            return one_line(runner["command"], 100)
        return " ".join(one_line(runner[key], 100) for key in ("name", "version") if runner[key])

    @cached_property
    def every(self) -> dict[str, Vector]:
        """The kit's own vectors of the spec."""
        asked = (key for key, _, _ in claims.outcomes(self.document))
        return {vector.id: vector for vector in load_set_of(self.document["spec"], asked)}

    @cached_property
    def of_kit(self) -> bool:
        """Whether the report is of exactly the kit's vectors, or of those of them that a version has."""
        said, every = self.document["vectors"], list(self.every.values())
        if said["digest"] == vector_set_json(every)["digest"]:
            return True
        try:
            late = newer_than(said["version"], every, self.document["spec"])
        except VectorFileError:  # a version that this kit never had
            return False
        older = [vector for vector in every if vector.id not in late]
        return bool(late) and bool(said["digest"] == vector_set_json(older)["digest"])

    def counts(self) -> Counter[str]:
        """The whole vector set, each vector counted once."""
        totals, document = claims.totals(self.document), self.document
        demanded = sum(one["demanded"] and one["outcome"] == "unsupported" for one in document["results"])
        missing = document["selection"].get("missing_shards", {"vectors": 0})
        found = Counter(
            {
                "passed": totals["passed"],
                "unexpected passes": totals["unexpected-pass"],
                "expected failures": totals["expected-failure"],
                "unsupported, demanded": demanded,
                "unsupported": totals["unsupported"] - demanded,
                "new, not counted": totals["not-counted"],
                "not run": totals["not-run"],
                "in missing shards": missing["vectors"],
                "filtered": claims.filtered(document),
                "not reached": claims.not_reached(document),
                "newer, left out": document["vectors"]["newer"],
            }
        )
        named = {"passed", "unexpected-pass", "expected-failure", "unsupported", "not-run", "not-counted"}
        found["failed"] = sum(count for outcome, count in totals.items() if outcome not in named)
        return found

    def verdict(self) -> Mark:
        if self.exit_code > 2:
            return Mark("no verdict: interrupted", Tone.WARN)
        if self.exit_code == 2:
            return Mark("could not be tried", Tone.BAD)
        if self.exit_code == 1:
            others = [one for one in self.failed if one["outcome"] != "unexpected-pass"]
            if others or self.document["problems"] or self.lost:
                return Mark("does not conform", Tone.BAD)
            return Mark("the list of known failures is out of date", Tone.BAD)
        if self.part is not None:
            return Mark("no new failure, in part", Tone.WARN)
        if any(one.tone is Tone.KNOWN for one in self.failing_items):
            return Mark("no new failure", Tone.KNOWN)
        if len(self.claimed) < len(self.accounts):
            return Mark("conforms in part", Tone.WARN)
        return Mark("conforms", Tone.GOOD)

    def sentence(self) -> str:
        """What passed of how many, what is claimed, what else fails."""
        counts = self.counts()
        total = counts.total()
        asked = sum(claims.totals(self.document).values())
        said = f"{counts['passed']:,} of {counted(total, 'vector')} passed"
        others = [f"{counts[name]:,} {name}" for name in _MEANS if counts[name] and name != "passed"]
        said = ", ".join([said, *others])
        if asked or not self.document["properties"]:
            said += f"; {len(self.claimed)} of {counted(len(self.accounts), 'class')} claimed"
        again = [one for one in claims.again_results(self.document) if one in self.failed]
        if again:
            said += f"; {counted(len(again), 'rephrased vector')} failed"
        broken = [one for one in self.document["properties"] if claims.fails(one)]
        if broken:
            said += f"; {len(broken)} of {counted(len(self.document['properties']), 'property')} did not hold"
        if self.exit_code == 2 and self.document["problems"]:
            return f"{one_line(self.document['problems'][-1])} ({said})"
        return f"In part: {self.part}; {said}." if self.part else f"{said}."

    def facts(self) -> dict[str, Cell]:
        document, vectors = self.document, self.document["vectors"]
        selection, environment = document["selection"], document["environment"]
        asked = " ".join([*selection["patterns"], *selection["files"]])
        shard = selection["shard"]
        known, again = document["known_failures"], document["asked_again"]
        facts: dict[str, Cell] = {
            "level": f"{document['level']}: {_LEVELS[document['level']]}",
            "kit": Code(document["kit_version"]),
            "vectors": f"{vectors['version']}, {vectors['total']:,}, {vectors['digest'][:19]}",
            "spec": Code(document["spec"]),
            "protocol": Code(str(PROTOCOL)),
            "runner": Code(self.who) if document["runner"]["name"] else "never said hello",
            "command": Code(cut(document["runner"]["command"], 1_000)),
            "run": f"{document['started_at']}, {document['duration_seconds']:.2f} s, start-up "
            f"{document['start_up_seconds']:.2f} s",
            "exit code": str(self.exit_code),
        }
        optional: dict[str, Cell] = {
            "selected": Code(cut(asked, 500)),
            "shard": f"{shard['number']} of {shard['of']}" if shard else "",
            "classes demanded": ", ".join(selection["classes"]),
            "answers as": f"{environment['name']}: {environment['stands_for']}" if environment else "",
            "known failures": Code(cut(known["file"], 300)) if known else "",
            "rephrased with seed": str(again["seed"]) if again else "",
        }
        return facts | {name: value for name, value in optional.items() if value}

    def problems(self) -> Iterator[str]:
        """What is wrong with the run, then what keeps the page from being the whole story."""
        document, selection = self.document, self.document["selection"]
        if document["interrupted"]:
            yield document["interrupted"]["sentence"]
        yield from map(one_line, document["problems"])
        yield from (one.sentence for one in self.lost)
        not_run = [one for one in document["results"] if one["outcome"] == "not-run"]
        if not_run:
            why = one_line(not_run[0]["detail"] or "the runner was given up")
            yield f"{counted(len(not_run), 'vector')} not run: {why}"
        if selection["shard"]:
            yield f"one shard alone: {self.part}"
        yield from (f"cut: {one_line(one)}" for one in document["cut"])
        for one in document["left_out"]:
            yield (
                f"compared in part: {counted(one['vectors'], 'answer')} to {one['op']} without "
                f"{cut(one['member'], 100)}"
            )
        if not self.of_kit:
            ids = {key for key, _, _ in claims.outcomes(document)}
            known = len(ids & self.every.keys())
            yield (
                f"other vectors than this kit's: version {cut(document['vectors']['version'], 60)}; "
                f"{known:,} of {len(ids):,} are among today's {len(self.every):,}"
            )
        if environment := document["environment"]:
            for key, other in list(environment["against"].items())[:1]:
                count = counted(len(environment["against"]), "answer")
                yield f"it mixes environments: {count} right as {cut(other, 100)} alone, such as {key}"

    def items(self) -> Iterator[Item]:
        yield from self.failing_items
        for name, rows in self.document["passed"].items():
            for key, _, seconds in rows:
                yield Item(key.partition("/")[2], name, "passed", Tone.GOOD, seconds=seconds)
        for name, ids in (self.document["asked_again"] or {"passed": {}})["passed"].items():
            for key in ids:
                yield Item(key.partition("/")[2] + AGAIN, name, "passed", Tone.GOOD)

    @cached_property
    def failing_items(self) -> list[Item]:
        """Everything but what passed, new failures first."""
        document = self.document
        found = [*self._offers(), *self._list()]
        found += [self._item(one, one["id"]) for one in document["results"]]
        found += [self._item(one, one["id"] + AGAIN) for one in claims.again_results(document)]
        found += [self._item(one, one["id"]) for one in document["properties"]]
        order = [Tone.BAD, Tone.KNOWN, Tone.WARN, Tone.QUIET, Tone.GOOD]
        return sorted(found, key=lambda item: (order.index(item.tone), item.key not in self._examples))

    def _offers(self) -> Iterator[Item]:
        """An item for each operation."""
        lost = {one.op: one for one in self.lost}
        offered = {one.op: one for one in claims.offer(self.document)}
        for op in dict.fromkeys([*lost, *offered]):
            key = f"offer/{op}"
            if op in lost:
                detail = f"{lost[op].less} ({lost[op].required})"
                yield Item(key, "offer", _LOST, Tone.BAD, detail=detail, cause=_LOST, fingerprint=detail)
            elif offered[op].offered:
                yield Item(key, "offer", "offered", Tone.GOOD)
            elif self.document["runner"]["name"] is not None:
                yield Item(key, "offer", "not offered", Tone.WARN, detail=offered[op].reason or "")

    def _list(self) -> Iterator[Item]:
        """Entries of the list that are no longer true, at their lines."""
        known = self.document["known_failures"]
        by_line = {one["line"]: one for one in known["entries"]} if known else {}
        for problem in self.list_problems:
            number, _, said = problem.removeprefix(LIST_PROBLEM).partition(": ")
            line = int(number) if number.isdecimal() else 0
            entry = by_line.get(line)
            name = f"{entry['pattern']} {entry['outcome']}" if entry else str(line)
            yield Item(
                f"known-failures/{name}",
                "known failures",
                "out of date",
                Tone.BAD,
                detail=one_line(said or problem),
                cause=_OUT_OF_DATE,
                place=(known["file"], line) if entry else None,
            )

    @cached_property
    def _examples(self) -> frozenset[str]:
        return frozenset(line["example"]["id"].partition("/")[2] for line in self.todo)

    @cached_property
    def _causes(self) -> dict[str, str]:
        """The first line of the to-do list that accounts for each failure."""
        found: dict[str, str] = {}
        for line in self.todo:
            for key in line["failures"]:
                found.setdefault(key, _says(line))
        return found

    @cached_property
    def _entries(self) -> dict[str, Mapping[str, Any]]:
        known = self.document["known_failures"]
        return {f"{one['pattern']} {one['outcome']}": one for one in known["entries"]} if known else {}

    def _item(self, one: Mapping[str, Any], name: str) -> Item:
        """The item of a result, a rephrased vector or a property that has an entry in full."""
        outcome, key = one["outcome"], name.partition("/")[2]
        if outcome == "passed":
            return Item(key, one["class"], outcome, Tone.GOOD, seconds=one["seconds"])
        tone = Tone.BAD if one["demanded"] else tone_of(outcome)
        cause = _LISTED if outcome == "unexpected-pass" else self._causes.get(name, "")
        if "changes" in one and not cause and outcome != "unsupported":
            cause = _REPHRASED
        entry = self._entries.get(one["expected_by"] or "")
        vector = self.every.get(one["id"])
        clause = one.get("clause") or (vector.clause if vector else "")
        rule = one.get("rule") or (vector.rule if vector else self.document["clauses"].get(clause, ""))
        statement = self.document["clauses"].get(clause, "")
        fields: dict[str, Cell] = {
            "clause": f"{clause}: {one_line(statement)}" if statement else clause,
            "op": Code(one["op"]),
            "changed": one_line(one.get("changes") or ""),
            "this vector catches": one_line(one.get("catches") or ""),
            "tried": f"{counted(one['examples'], 'input')}, seed {one['seed']}" if "examples" in one else "",
            "counterexamples": Code(one.get("counterexamples") or ""),
            "known failure": _known(entry, self.document["started_at"]) if entry else "",
            "demanded": "unsupported, and this fails the run" if one["demanded"] else "",
        }
        if cause not in ("", _LISTED, _REPHRASED) and tone in (Tone.BAD, Tone.KNOWN):
            fields["likely"] = cause
        real = one["real_outcome"] or outcome
        return Item(
            key=key,
            group=one["class"],
            outcome=f"new, not counted: {real}"
            if outcome == "not-counted"
            else real
            if tone is Tone.KNOWN
            else outcome,
            tone=tone,
            summary=one_line(rule),
            detail=one_line(one["detail"] or ""),
            cause=cause,
            fields={name: value for name, value in fields.items() if value},
            texts=_Texts(one),
            repeat=one["repeat"] or "",
            seconds=one.get("seconds", 0.0),
            fingerprint=_fingerprint(one["actual"], real),
        )

    def tables(self) -> Iterator[Table]:
        yield self._classes()
        if self._entries:
            yield self._known_failures()
        lacking = [one for one in claims.offer(self.document) if one.unsupported or not one.offered]
        if lacking and self.document["runner"]["name"] is not None:
            package = claims.package_of(self.document)
            yield Table(
                "Unsupported",
                ("operation", "offered", "unsupported", "of", "what the runner says most often"),
                [
                    (
                        Code(one.op),
                        _offered(one, package),
                        one.unsupported,
                        one.vectors,
                        one.reason or "",
                    )
                    for one in lacking
                ],
            )
        clauses = claims.clause_counts(self.document)
        statements = self.document["clauses"]
        rows = [
            (Code(clause), one_line(statements.get(clause, "")), _bar(counts))
            for clause, counts in clauses.items()
        ]
        if rows:
            yield Table("Rules", ("clause", "what it states", "vectors"), rows, long=True)

    def _classes(self) -> Table:
        rows = []
        for one in self.accounts:
            rest = one.vectors - one.totals.total()
            claim = Mark(one.claimed, Tone.GOOD) if one.claimed else "none"
            bar = _bar(one.totals, rest)
            rows.append((one.name, one.vectors, bar, claim, one.reached or "none", one.reason or ""))
        head = ("class", "vectors", "outcomes", "claim", "level reached", "why there is no claim")
        return Table("Classes", head, rows)

    def _known_failures(self) -> Table:
        """Each entry with its state today, its age and its reason; what is to be removed comes first."""
        listed = [
            *self.document["results"],
            *self.document["properties"],
            *claims.again_results(self.document),
        ]
        by_entry: dict[tuple[str, str], int] = Counter(
            (one["expected_by"], one["outcome"]) for one in listed if one["expected_by"]
        )
        problems = {
            int(number): said
            for number, _, said in (
                one.removeprefix(LIST_PROBLEM).partition(": ") for one in self.list_problems
            )
            if number.isdecimal()
        }
        rows: list[tuple[Cell, ...]] = []
        for text, entry in self._entries.items():
            failing, passing = by_entry[text, "expected-failure"], by_entry[text, "unexpected-pass"]
            problem = problems.get(entry["line"])
            if passing:
                state = Mark("passes: remove it", Tone.BAD)
            elif problem is not None:
                state = Mark("stale: remove it" if " is stale" in problem else "matches nothing", Tone.BAD)
            elif failing:
                state = Mark("fails as listed", Tone.KNOWN)
            else:
                state = Mark("nothing failed so in this run", Tone.WARN)
            age = _age(entry["since"], self.document["started_at"])
            reason = one_line(entry["reason"]) or "no reason given"
            rows.append((Code(cut(entry["pattern"], 300)), entry["outcome"], state, failing, age, reason))
        rows.sort(key=lambda row: not (isinstance(row[2], Mark) and row[2].tone is Tone.BAD))
        return Table("Known failures", ("entry", "outcome", "today", "failures", "age", "reason"), rows)

    def badge(self, counts: Counter[str]) -> Badge:
        """Green only for the whole of the newest vectors, with every class claimed."""
        label = f"{self.document['spec']} · {self.document['level']}"
        if not self.of_kit or self.document["vectors"]["newer"]:
            label += f" · vectors {cut(self.document['vectors']['version'], 30)}"
        if self.exit_code > 2:
            return Badge(label, "no verdict", Tone.WARN)
        if self.exit_code == 2:
            return Badge(label, "could not be tried", Tone.BAD)
        said = f"{counts['passed']:,} of {counts.total():,}"
        known = any(item.tone is Tone.KNOWN for item in self.failing_items)
        if counts["expected failures"] and self.part is None:
            said += f", {counts['expected failures']:,} known"
        if self.exit_code:
            out_of_date = self.verdict().text.startswith("the list")
            said += ", known failures out of date" if out_of_date else ", fails"
        if self.part is not None:
            return Badge(label, f"in part: {said}", Tone.BAD if self.exit_code else Tone.WARN)
        others = [one.name for one in self.accounts if not one.claimed]
        if not self.claimed:
            said += " · no class claimed"
        elif not others:
            said += " · all classes"
        else:
            few = len(others) < len(self.claimed)
            said += f" · all but {', '.join(others)}" if few else f" · {', '.join(self.claimed)}"
        if self.exit_code:
            return Badge(label, said, Tone.BAD)
        if known:
            return Badge(label, said, Tone.KNOWN)
        return Badge(label, said, Tone.QUIET if not self.of_kit else Tone.WARN if others else Tone.GOOD)


class _Texts(Mapping[str, str]):
    """The long texts of an entry, made when a format shows them: most are shown by few."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self._entry = entry

    @cached_property
    def _made(self) -> dict[str, str]:
        one, texts = self._entry, {}
        if one["asked"] is not None:
            texts["input"] = asked_text(one["asked"])
            texts["expected"] = answer_text(one["expected"])
            texts["actual"] = answer_text(one["actual"], "no answer")
            texts["difference"] = "\n".join(_difference(one["expected"], one["actual"]))
        texts["stderr"] = one["stderr"] or ""
        return {name: text for name, text in texts.items() if text}

    def __getitem__(self, name: str) -> str:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def _difference(expected: Mapping[str, Any] | None, actual: Mapping[str, Any] | None) -> list[str]:
    if expected is None or actual is None or "ok" not in expected or "ok" not in actual:
        return []
    return difference_lines(expected["ok"], actual["ok"])


def _fingerprint(actual: Mapping[str, Any] | None, outcome: str) -> str:
    """What distinguishes two wrong answers: not an error's message, which is never compared."""
    if actual is None:
        return outcome
    if "error" in actual:
        actual = {"error": {key: value for key, value in actual["error"].items() if key != "message"}}
    return json.dumps(actual)


def _offered(one: claims.OpOffer, package: str | None) -> Cell:
    if one.offered:
        return Mark("in part", Tone.WARN)
    if package is not None and not one.own:
        return f"no: no part of {package}"
    return Mark("no", Tone.WARN)


def _bar(counts: Mapping[str, int], rest: int = 0) -> Bar:
    parts = [(name, count, tone_of(name)) for name, count in sorted(counts.items(), key=lambda one: -one[1])]
    return Bar((*parts, *([("without a result", rest, Tone.QUIET)] if rest > 0 else [])))


def _known(entry: Mapping[str, Any], on: str) -> str:
    reason = one_line(entry["reason"]) or "no reason given"
    return f"line {entry['line']}, {_age(entry['since'], on)}: {reason}"


def _age(since: str | None, on: str) -> str:
    """How long something has been listed on a day; both as ISO dates."""
    try:
        days = (datetime.date.fromisoformat(on[:10]) - datetime.date.fromisoformat(since or "")).days
    except ValueError:
        return "no date"
    return (
        f"since {since}, {counted(days, 'day')}" if days >= 0 else f"since {since}, which is after this run"
    )
