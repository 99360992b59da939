"""How scores are written for people, in text and on pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.extensions.audit.report import many
from conformance.extensions.audit.submissions.scores import DENOMINATORS
from conformance.pages.words import enumerated, one_line

Json = Mapping[str, Any]


def shares(*values: float | None) -> bool:
    """Whether scores look like shares: none of them is beyond 0 and 1."""
    return all(0 <= value <= 1 for value in values if value is not None)


def is_share(scores: Json) -> bool:
    """As above, for a group's scores with their intervals."""
    return shares(*(end for one in scores["by"].values() for end in (one["value"], *(one["interval"] or ()))))


def figure(value: float | None, share: bool) -> str:
    """A score: in percent with one digit where it is a share, else with six significant digits."""
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if share else f"{value:.6g}"


def signed(value: float, share: bool) -> str:
    """A difference of two scores: in points of a hundred with one digit, or with six significant digits."""
    return f"{100 * value:+.1f}" if share else f"{value:+.6g}"


def spread(score: Json, share: bool, *, brief: bool = False) -> str:
    """A standard error with its sign and, unless `brief`, the interval; nothing where there is none."""
    error, ends = score["standard_error"], score["interval"]
    if error is None:
        return ""
    said = f"± {100 * error:.1f}" if share else f"± {error:.3g}"
    if brief or ends is None:
        return said
    low, high = (figure(end, share) for end in ends)
    return f"{said} (95 %: {low.removesuffix(' %')} to {high})"


def under(denominators: Sequence[str]) -> str:
    """The denominators that give a number, in words."""
    if not denominators:
        return "none of these scores"
    first = DENOMINATORS.get(denominators[0], denominators[0])
    others = f" (and {', '.join(denominators[1:])})" if len(denominators) > 1 else ""
    return first + others


def coverage(group: Json, scores: Json) -> str:
    """Records of those planned, their outcomes, and what is remarkable about them."""
    planned = group["planned"]
    of = "of how many planned is not known" if planned is None else f"of {planned:,} planned"
    said = [
        f"{many(group['records'], 'record')} {of}: {scores['scored']:,} scored, {scores['unscored']:,} not"
    ]
    if group["errored"]:
        scored = group["errored_scored"]
        said.append(f"{group['errored']:,} ended in an exception, {scored:,} of them scored")
    for name in ("fewer", "more"):
        if group[name]:
            few = enumerated([f"{one_line(task, 100)} {count}" for task, count in group[name].items()], 5)
            said.append(f"tasks with {name} attempts than most: {few}")
    if doubles := group["doubles"]:
        unlike = sum(not one["same"] for one in doubles)
        other = f", {unlike:,} with different rewards" if unlike else ""
        few = enumerated([one_line(one["trial"], 100) for one in doubles], 5)
        said.append(f"{many(len(doubles), 'trial')} in more than one job, counted each time{other}: {few}")
    if uncounted := group["uncounted"]:
        few = enumerated(
            [one_line(f"{one['key']} {one['value']} of {one['trial']}", 100) for one in uncounted], 5
        )
        said.append(f"{many(len(uncounted), 'reward')} that no score counts: {few}")
    return "; ".join(said)


def statement(scores: Json, odd: Sequence[str]) -> str:
    """What the jobs state, and under which denominator it is that; `odd` jobs as they are shown."""
    stated, share = scores["stated"], is_share(scores)
    jobs = sum(stated["jobs"].values())
    if not jobs:
        return "no job states it in its result.json"
    said = f"stated by {many(jobs, 'job')}"
    said += f", not by {stated['unstated']:,}" if stated["unstated"] else ""
    if stated["value"] is not None:
        said += f": {figure(stated['value'], share)}, {under(stated['by'][:1])}"
    if odd:
        said += f"; another number than harbor's mean of their trials: {enumerated(odd, 5)}"
    return said
