"""Writes the lines of the to-do list: what is wrong, what to do about it, and examples."""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from conformance.diagnosis.account import Example, Experiment, Kind, Line, mistake_wording
from conformance.diagnosis.case import Case
from conformance.diagnosis.evidence import Evidence, TestInput
from conformance.diagnosis.finding import Finding, are_certain
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.symptoms import ACCEPTS, BITS, ESCAPES, Symptom, symptom
from conformance.suite import clauses
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import compact, printable, shortened

__all__ = ["Cluster", "Wording"]

_SHORT, _BEFORE = 140, 40
"""The longest text of an example, and the characters of it before the first difference."""
_WHOLE = 1 << 16
"""The longest answer that is searched for its first difference."""
_COMPARED = 400
"""The most characters of an input that are compared with another."""
_UNUSABLE = "the runner's reply can't be used: "
"""Left out of a reason, because the line already says it."""
_SECONDS = re.compile(r"within [0-9.e+]+ s")
"""The limit of a time-out, which differs between first and later replies."""
_REASON = 160
"""The longest reason for a missing answer."""
_REASONS = 3
"""The most reasons that a line names."""
_MOST_OF_THEM = 0.8
"""The share of failures that must break one rule for it to be quoted."""
_EVERYWHERE = re.compile(r"(?:in )?the (input|answer), everywhere")
_NAMED = 3
"""The most places, rules, errors or mistakes that a line names."""
_TRIED = "plain sums, ints converted to doubles first, products, binomials and Python's logarithms were tried"

Cluster = tuple[Symptom, list[tuple[Case, int]]]
"""Unexplained failures, and what they have in common."""


class Wording:
    """Writes lines from findings and the clauses of their specs."""

    def __init__(self, findings: Findings) -> None:
        self._cases = findings.cases
        self._statements = {
            key: text
            for spec in {case.op.spec for case in findings.cases}
            for key, text in clauses.statements(spec).items()
        }

    def line(self, findings: Sequence[Finding]) -> Line:
        """The line of one change, at one or more places."""
        covered = [(finding.case, index) for finding in findings for index in finding.covers]
        explained = [
            (finding.case, index)
            for finding in findings
            for index, places in finding.covers.items()
            if places >= finding.case.wrong[index].keys()
        ]
        tried = [test for finding in findings for test in finding.experiments]
        refuted = sum(not test.as_predicted for test in tried)
        broken = max(findings[0].unlike, sum(len(finding.against) for finding in findings))
        against = broken + sum(finding.elsewhere for finding in findings) + refuted
        smallest = _smallest(explained or covered)
        says, do = self._texts(findings, covered)
        mistakes = {
            finding.candidate.name: (finding.candidate.mistake, *finding.alternatives)
            for finding in findings
            if finding.candidate.mistake is not None
        }
        return Line(
            Kind.MISTAKE if mistakes else Kind.DEVIATION,
            says,
            do,
            tuple(dict.fromkeys(case.evidence[index].key for case, index in (*explained, *covered))),
            len({(case.op.name, index) for case, index in explained}),
            against,
            are_certain(findings),
            _ops(covered),
            _example(smallest),
            tuple(mistakes.values()),
            self._contrast(explained or covered, tried),
            tuple(_experiment(test) for test in tried),
            any(finding.candidate.is_conditional for finding in findings),
            any(finding.resembles for finding in findings),
        )

    def _texts(self, findings: Sequence[Finding], covered: Sequence[tuple[Case, int]]) -> tuple[str, str]:
        first = findings[0]
        if (mistake := first.candidate.mistake) is not None:
            says, do = mistake_wording((mistake, *first.alternatives), mistake.clause, self._statements)
            return says, do if self._is_tested(mistake.clause, covered) else self._rules(covered)
        words = [_effect_words(finding).rpartition(" in the ") for finding in findings]
        places = list(dict.fromkeys(where for _, _, where in words))
        listed = " and the ".join(places[:_NAMED])
        more = f" and {len(places) - _NAMED} more places" if len(places) > _NAMED else ""
        says = f"{words[0][0]} in the {listed}{more}" if words[0][0] else first.candidate.words
        return _EVERYWHERE.sub(r"anywhere in the \1", says), self._rules(covered)

    def _is_tested(self, clause: str, failures: Sequence[tuple[Case, int]]) -> bool:
        """Whether vectors of the failing operations test the clause; inputs of ``fuzz`` have no clauses."""
        ops = {case.op.name for case, _ in failures}
        tested = {item.clause for case in self._cases if case.op.name in ops for item in case.evidence}
        return clause in tested or tested == {""}

    def _rules(self, failures: Sequence[tuple[Case, int]]) -> str:
        """Advice for failures whose cause has no clause: the rule that most of them break.

        If there is no such rule, the ids of some clauses.
        """
        rules = Counter(case.evidence[index].clause for case, index in failures)
        ids = [rule for rule, _ in rules.most_common() if rule]
        if not ids:
            return "compare the answers with the expected ones"
        if rules[ids[0]] >= _MOST_OF_THEM * len(failures):
            return self._statement(ids[0])
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        return f"see clauses {', '.join(ids[:_NAMED])}{more}"

    def _statement(self, clause: str) -> str:
        statement = self._statements.get(clause, "").rstrip(".")
        if statement:
            return f"{statement} ({clause})"
        return f"see clause {clause}" if clause else "compare the answers with the expected ones"

    def _contrast(self, pairs: Iterable[tuple[Case, int]], tried: Iterable[TestInput] = ()) -> Example | None:
        """The right answer whose input is most similar to the smallest failure's."""
        case, index = min(pairs, key=lambda pair: _size(pair[0].evidence[pair[1]]))
        mine = compact(case.evidence[index].input, _COMPARED)
        right = [case.evidence[passed] for passed in case.passes]
        right += [test.evidence for test in tried if not test.shows and test.evidence.op == case.op]
        texts = [(compact(item.input, _COMPARED), item) for item in right]
        near = [pair for pair in texts if abs(len(pair[0]) - len(mine)) < len(mine) // 2 + 10]
        matcher = difflib.SequenceMatcher(None, b=mine, autojunk=False)

        def likeness(pair: tuple[str, Evidence]) -> float:
            matcher.set_seq1(pair[0])
            return matcher.quick_ratio()

        return _example(max(near, key=likeness)[1], right=True) if near else None

    # Unexplained failures

    def clusters(self, left: Mapping[str, Sequence[int]]) -> list[Cluster]:
        """The remaining failures, grouped by what they have in common, most first."""
        groups: dict[str, list[tuple[Case, int]]] = defaultdict(list)
        symptoms: dict[str, Symptom] = {}
        for case in self._cases:
            for index in left.get(case.op.name, ()):
                symptom_ = symptom(case, index)
                groups[symptoms.setdefault(symptom_.group, symptom_).group].append((case, index))
        for group, members in groups.items():
            says = symptoms[group].says
            if group == ESCAPES and len(_errors(members)) > 1:
                says = f"exceptions escape that no rule mentions: {_listed(_errors(members))}"
            elif group.endswith(ACCEPTS):
                says = f"{says}: {_listed(_errors(members, expected=True))}"
            elif group.endswith(BITS):
                says += _shared_mistakes(members)
            symptoms[group] = symptoms[group]._replace(says=says)
        return sorted(
            ((symptoms[group], members) for group, members in groups.items()),
            key=lambda cluster: (-len(cluster[1]), cluster[0]),
        )

    def cluster(self, symptom_: Symptom, failures: list[tuple[Case, int]]) -> Line:
        """The line of failures that share a symptom."""
        smallest = _smallest(failures)
        do = symptom_.do or self._rules(failures)
        keys = tuple(case.evidence[index].key for case, index in failures)
        return Line(
            Kind.DEVIATION if symptom_.is_cause else Kind.CLUSTER,
            symptom_.says,
            do,
            keys,
            len(keys),
            0,
            False,
            _ops(failures),
            _example(smallest),
            contrast=self._contrast(failures),
            conditional=symptom_.is_cause,
        )

    def silent(self, silent: Sequence[Evidence]) -> Line:
        """The line of vectors without a usable answer."""
        return Line(
            Kind.SILENT,
            _common_reasons([item.why for item in silent]),
            "make the runner reply; nothing else can be checked before that",
            tuple(item.key for item in silent),
            len(silent),
            0,
            False,
            tuple(dict.fromkeys(item.op.name for item in silent)),
            _example(min(silent, key=_size)),
        )


def _effect_words(finding: Finding) -> str:
    """The words of a change. If another change turns its error into one answer, they name the answer."""
    words, change = finding.candidate.words, finding.candidate.deviation
    if change is None or change.kind != "refused":
        return words
    actual = [finding.case.evidence[index].actual for index in finding.covers]
    answers = {_answer(answer) for answer in actual}
    if len(answers) > 1 or not all(isinstance(answer, Ok) for answer in actual):
        return words
    return f"it answers {answers.pop()} where {words.partition(' where ')[2]}"


def _errors(failures: Iterable[tuple[Case, int]], *, expected: bool = False) -> Counter[str]:
    """The actual or the expected errors of failures, with counts."""
    evidence = [case.evidence[index] for case, index in failures]
    answers = [item.expected if expected else item.actual for item in evidence]
    return Counter(printable(answer.type)[:_SHORT] for answer in answers if isinstance(answer, Refused))


def _listed(errors: Counter[str]) -> str:
    """The names of the most frequent errors, and the number of the others."""
    names = [error for error, _ in errors.most_common()]
    named = _NAMED if len(names) > _NAMED + 1 else len(names)  # one more name is as short as "and 1 more"
    return ", ".join(names[:named]) + (f" and {len(names) - named} more" if names[named:] else "")


def _shared_mistakes(failures: Iterable[tuple[Case, int]]) -> str:
    """Names the known mistakes that give all of these answers, although other answers contradict each."""
    rows = [(case.mistake_marks(index) or {}, case.wrong[index]) for case, index in failures]
    names = sorted(set.intersection(*({name for name in row if row[name] == mine} for row, mine in rows)))
    if not names:
        return f"; {_TRIED}, and none gives these answers"
    return f", as with {' or '.join(names[:_NAMED])}, but other answers contradict that"


def _ops(failures: Collection[tuple[Case, int]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.op.name for case, _ in failures))


def _example(item: Evidence, *, right: bool = False) -> Example:
    actual = item.expected if right else item.actual
    pair = [_answer(answer, _WHOLE) for answer in (item.expected, actual)]
    same = next((index for index, (a, b) in enumerate(zip(*pair, strict=False)) if a != b), 0)
    if max(map(len, pair)) > _SHORT and pair[0] != pair[1]:  # shown from just before the first difference
        start = max(0, same - _BEFORE) if same > _SHORT - _BEFORE else 0
        pair = ["…" * (start > 0) + shortened(text[start:], _SHORT) for text in pair]
    return Example(item.key, compact(item.input, _SHORT), *pair)


def _experiment(tried: TestInput) -> Experiment:
    item = tried.evidence
    return Experiment(
        compact(item.input, _SHORT), _answer(item.expected), _answer(item.actual), tried.as_predicted
    )


def _common_reasons(sentences: Sequence[str]) -> str:
    """The most common reasons for missing answers, without quotations of the runner."""
    briefs = (
        _SECONDS.sub("in time", why.partition(": '")[0].partition(" If it only ")[0].removeprefix(_UNUSABLE))
        for why in sentences
        if why
    )
    reasons = Counter(shortened(brief, _REASON) for brief in briefs)
    intro = "no usable answer"
    if not reasons:
        return f"{intro}: the runner crashed, did not reply, or sent something that is not a reply"
    if len(reasons) == 1 and reasons.total() == len(sentences):
        return f"{intro}: {next(iter(reasons))}"
    listed = ", ".join(f"{count} x {reason}" for reason, count in reasons.most_common(_REASONS))
    return f"{intro}: {listed}" + (", and others" if len(reasons) > _REASONS else "")


def _smallest(failures: Iterable[tuple[Case, int]]) -> Evidence:
    return min((case.evidence[index] for case, index in failures), key=_size)


def _size(item: Evidence) -> tuple[int, str]:
    return len(compact(item.input, 1 << 16)), item.key


def _answer(answer: Ok | Refused | None, most: int = _SHORT) -> str:
    if answer is None:
        return "no answer"
    if isinstance(answer, Refused):
        code = f" ({answer.reason_code})" if answer.reason_code else ""
        return f"the error {printable(answer.type)[:_SHORT]}{printable(code)[:_SHORT]}"
    return printable(compact(answer.value, most))
