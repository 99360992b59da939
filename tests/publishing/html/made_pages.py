"""Pages made by hand: of every kind of block, friendly, hostile and huge."""

import random

from conformance.publishing.blocks import (
    Bar,
    Bars,
    Code,
    Failure,
    Failures,
    Heat,
    HeatCell,
    HeatRow,
    Line,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
    Pre,
    Range,
    Ranges,
    Row,
    Table,
    Tone,
)
from conformance.publishing.model import Count, Fact, Page, Section, Verdict

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</style><img src=x onerror=alert(3)>",
    '"><svg onload=alert(4)>',
    "' autofocus onfocus=alert(5) x='",
    "javascript:alert(6)",
    "]]><!-- <!--<script>--!> -->",
    "{{ 7 * 7 }}{% include 'x' %}",
    "\u202egpj.exe\u202c \u2066x\u2069 zero\u200bwidth\ufeff",
    "lone \ud800 surrogate \udfff",
    "\x00\x1b[31mred\x07\x7f\x85\u2028\u2029",
    "&lt;b&gt; &amp; &#60;",
    "<textarea><title><plaintext>",
    "<form action=//evil.example><input name=body><base href=//evil.example>",
    "https://evil.example/?q=<>",
    "word" * 5_000,
    "עברית العربية mixed 1/2",
)


def line(*pieces: object) -> Line:
    return tuple(pieces)  # type: ignore[arg-type]


def a_failure(
    number: int, text: str = '{"reward": 0.1, "reason": "a < b & c"}', spec: str = "harbor-0.13.1"
) -> Failure:
    known = number % 7 == 3
    name = f"{spec}/aggregation/made-{number:04d}"
    return Failure(
        anchor=f"f-aggregation.made-{number:04d}",
        title=name,
        result=Mark(("mismatch", "wrong-error", "timeout")[number % 3], Tone.KNOWN if known else Tone.BAD),
        expectation=Mark("known failure" if known else "new", Tone.KNOWN if known else Tone.BAD),
        summary=line("The mean over no trials is ", Code("0"), f", rule {number}."),
        fields=(
            ("clause", line(Link("003-3.2-empty-list", f"rule-{number % 40}"))),
            ("op", line(Code("aggregate"))),
            ("likely mistake", line("It divides by the number of trials that were scored.")),
            ("what to do", line("Count the unscored as ", Code("0.0"), " before dividing.")),
        ),
        texts=(
            ("input", '{"op": "aggregate", "input": ' + text + "}"),
            ("expected", text),
            ("actual", text.replace("1", "2")),
            ("difference", f"- {text}\n+ {text}"),
        ),
        repeat=f"harbor-conformance run --runner 'python first.py' --spec {spec} {name}",
        facets={
            "expectation": "known failure" if known else "new",
            "outcome": ("mismatch", "wrong-error", "timeout")[number % 3],
            "class": f"class-{number % 9}",
        },
    )


def a_run(failing: int = 12, vectors: int = 60, text: str | None = None) -> Page:
    """A page as a run makes it."""
    each = [a_failure(n) if text is None else a_failure(n, text) for n in range(failing)]
    rows = []
    for n in range(vectors):
        name = f"harbor-0.13.1/aggregation/made-{n:04d}"
        bad = n < failing
        rows.append(
            Row(
                (
                    line(Link(name, f"f-aggregation.made-{n:04d}") if bad else Code(name)),
                    line(Mark("mismatch" if bad else "passed", Tone.BAD if bad else Tone.GOOD)),
                    line(Mark("new", Tone.BAD) if bad else ""),
                    line(f"class-{n % 9}"),
                    line(Link("003-3.2-empty-list", f"rule-{n % 40}")),
                ),
                anchor=f"v-aggregation.made-{n:04d}",
                facets={"outcome": "mismatch" if bad else "passed", "class": f"class-{n % 9}"},
            )
        )
    rules = tuple(
        Row(
            (
                line(Code(f"003-3.{n}-a-rule")),
                line("The max over no trials is a ValueError."),
                line(Link(f"{n} vectors", f"v-aggregation.made-{n:04d}")),
            ),
            anchor=f"rule-{n}",
        )
        for n in range(40)
    )
    return Page(
        kind="run",
        title=line("Run of ", Code("python first.py")),
        verdict=Verdict(
            "does not conform", Tone.BAD, f"{failing} of {vectors} vectors failed at level bytes."
        ),
        exit_code=1,
        facts=(
            Fact("level", line(Code("bytes"))),
            Fact("spec", line("harbor 0.13.1")),
            Fact("vectors", line("0.3.0, all ", f"{vectors}")),
            Fact("kit", line("harbor-conformance 0.3.0")),
            Fact("runner", line(Code("python first.py"))),
            Fact("started", line("2026-11-23 05:57 UTC, took 4.0 s")),
        ),
        counts=(
            Count("passed", max(0, vectors - failing - 9), Tone.GOOD, "Byte for byte as expected."),
            Count("failed, new", failing, Tone.BAD, "Wrong, and not listed as known."),
            Count("failed, known", 3, Tone.KNOWN, "Wrong, and listed as known."),
            Count("unsupported", 2, Tone.WARN, "The runner says that it has no such op."),
            Count("filtered", 4, Tone.QUIET, "Left out by the options."),
            Count("not run", 0, Tone.QUIET, "Asked for, and never reached."),
        ),
        unit="vectors",
        warnings=(
            line("Only the classes ", Code("aggregation"), " were asked: this is a part of the vectors."),
        ),
        sections=(
            Section(
                "classes",
                "Classes",
                (
                    Bars(
                        "Each class, all of its vectors.",
                        tuple(
                            Bar(
                                line(f"class-{n}"),
                                (
                                    Part("passed", 30 - 3 * n, Tone.GOOD),
                                    Part("failed", 2 * n, Tone.BAD),
                                    Part("known", n // 2, Tone.KNOWN),
                                    Part("unsupported", n // 3, Tone.WARN),
                                    Part("not run", n // 4, Tone.QUIET),
                                ),
                                "demanded" if n == 0 else "",
                            )
                            for n in range(7)
                        ),
                    ),
                ),
            ),
            Section(
                "causes",
                "Likely mistakes",
                (
                    Paragraph(line("Two mistakes explain most of it."), Tone.WARN),
                    Lines(
                        (
                            line("Divides by the wrong denominator: ", Link("12 vectors", "failures")),
                            line("Rounds."),
                        ),
                        True,
                    ),
                ),
            ),
            Section("failures", "Failures", (Failures(tuple(each), 2),)),
            Section(
                "rules", "Rules", (Table(("rule", "says", "vectors"), rules, "Every rule that was tried."),)
            ),
            Section(
                "vectors",
                "All vectors",
                (
                    Table(
                        ("vector", "result", "expectation", "class", "rule"),
                        tuple(rows),
                        "Every vector of the set.",
                        frozenset(),
                        True,
                    ),
                ),
            ),
        ),
        badge=None,
    )


def a_heat(tasks: int, attempts: int, seed: int = 1) -> Heat:
    chance = random.Random(seed)
    rows = []
    for task in range(tasks):
        cells = []
        for _ in range(attempts):
            draw = chance.random()
            if draw < 0.05:
                cells.append(HeatCell(None, "errored", "AgentTimeoutError after 900 s"))
            elif draw < 0.07:
                cells.append(HeatCell(None, "unscored", "no reward.txt"))
            elif draw < 0.1:
                cells.append(HeatCell(None, "missing"))
            elif task % 5 == 0:
                cells.append(HeatCell(round(chance.random(), 3)))
            else:
                cells.append(HeatCell(float(chance.random() < task / tasks)))
        rows.append(HeatRow(f"task-with-a-name-{task:03d}", tuple(cells)))
    columns = tuple(f"attempt {n + 1}" for n in range(attempts))
    return Heat("Each trial: tasks by attempts.", columns, tuple(rows), 0.0, 1.0)


def a_check(tasks: int = 30, attempts: int = 5) -> Page:
    return Page(
        kind="check",
        title=line("Check of ", Code("jobs/2026-11-20")),
        verdict=Verdict(
            "the score does not hold", Tone.BAD, "0.642 was stated; under no denominator is it that."
        ),
        exit_code=1,
        facts=(Fact("job", line(Code("jobs/2026-11-20"))), Fact("stated", line("0.642"))),
        counts=(
            Count("scored", 130, Tone.GOOD, "With a reward."),
            Count("errored", 20, Tone.WARN, "With an exception."),
        ),
        unit="trials",
        warnings=(),
        sections=(
            Section(
                "score",
                "The score under each denominator",
                (
                    Ranges(
                        "The mean reward, with its 95 % interval over tasks.",
                        (
                            Range("all trials", 0.5, 0.42, 0.58, "150 trials"),
                            Range("scored trials", 0.58, 0.5, 0.66, "130 trials", True),
                            Range("tasks with a score", 0.61, 0.49, 0.73, "28 tasks"),
                            Range("best attempt", 0.8, None, None),
                        ),
                        0.642,
                    ),
                ),
            ),
            Section("trials", "Trials", (a_heat(tasks, attempts),)),
        ),
        badge=None,
    )


def hostile() -> Page:
    """Every text of it is one that would do harm where it is not escaped."""
    h = HOSTILE
    n = len(h)
    pick = iter(range(10_000))

    def x() -> str:
        return h[next(pick) % n]

    def any_line() -> Line:
        return line(
            x(), Code(x()), Link(x(), "a-" + x()), Link(x(), "javascript:alert(9)"), Mark(x(), Tone.BAD)
        )

    each = tuple(
        Failure(
            anchor="f-" + h[i % n],
            title=x(),
            result=Mark(x(), Tone.BAD),
            expectation=Mark(x(), Tone.BAD),
            summary=any_line(),
            fields=tuple((x(), any_line()) for _ in range(3)),
            texts=(*((x(), x()) for _ in range(4)), ("difference", f"-{x()}\n+{x()}")),
            repeat=x(),
            facets={x(): x(), "outcome": x(), h[0]: x()},
        )
        for i in range(2 * n)
    )
    rows = tuple(
        Row((any_line(), any_line(), any_line()), "a-" + h[i % n], Tone.BAD, {x(): x(), "b": x(), h[1]: x()})
        for i in range(2 * n)
    )
    heat = Heat(
        x(),
        (x(), x()),
        tuple(
            HeatRow(x(), (HeatCell(float("nan"), x(), x()), HeatCell(1e308, "scored", x()))) for _ in range(n)
        ),
        float("-inf"),
        float("inf"),
    )
    ranges = Ranges(
        x(), tuple(Range(x(), float("inf"), float("nan"), 1e308, x(), True) for _ in range(n)), 1e308
    )
    bars = Bars(
        x(), tuple(Bar(any_line(), (Part(x(), 3, Tone.BAD), Part(x(), 0, Tone.GOOD)), x()) for _ in range(n))
    )
    return Page(
        kind=x(),
        title=any_line() + tuple(h),
        verdict=Verdict(" ".join(h[:6]), Tone.BAD, " ".join(h)),
        exit_code=1,
        facts=tuple(Fact(x(), any_line()) for _ in range(n)),
        counts=tuple(Count(x(), i, Tone.BAD, x()) for i in range(4)),
        unit=h[0],
        warnings=tuple(any_line() for _ in range(4)),
        sections=(
            Section("page-content", x(), (Failures(each, 3),)),
            Section("page-content", x(), (Table((x(), x(), x()), rows, x(), frozenset({1}), True),)),
            Section("a b\"'><x>", x(), (heat, ranges, bars, Pre(x(), x()), Pre("\n".join(h), x()))),
            Section("location", x(), (Lines(tuple(any_line() for _ in range(n))), Paragraph(any_line()))),
        ),
        badge=None,
    )
