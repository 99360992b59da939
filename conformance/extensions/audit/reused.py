"""Diff jobs, from harbor 0.24.0 on: which trials they reuse. Those are in the source job and nowhere else."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.extensions.audit.report import Checked, many

__all__ = ["DIFF_NOTE", "diff_sources", "reuses"]

DIFF_NOTE = "a diff job: trials that it reuses are in its source job, and in none of its numbers"
_FEW = 3


def diff_sources(config: Any) -> tuple[str, ...]:
    """The ids of the jobs that a job's configuration says it is a diff of; empty where one is not known."""
    sources = config.get("source_jobs") if isinstance(config, dict) else None
    return tuple(
        str(one.get("job_id") or "")
        for one in (sources if isinstance(sources, list) else ())
        if isinstance(one, dict) and one.get("action") == "diff"
    )


def reuses(jobs: Sequence[Checked]) -> Iterator[tuple[str, int]]:
    """What each diff job among these reuses, in a sentence, with the number of trials."""
    known = {job.audit.id: job for job in jobs if job.audit is not None and job.audit.id}
    for job in jobs:
        if job.audit is None or not job.audit.diff_of:
            continue
        sources = [known[name] for name in job.audit.diff_of if known.get(name, job) is not job]
        if not sources:
            yield f"{job.path} is a diff of a job that is not here: which trials it reuses is not known", 0
            continue
        tried = Counter(row.task for one in sources if one.audit is not None for row in one.audit.rows)
        tried.subtract(Counter(row.task for row in job.audit.rows))
        tasks = sorted(task for task, count in tried.items() if count > 0)
        count = sum(tried[task] for task in tasks)
        named = f": {', '.join(tasks[:_FEW])}" + (", …" if tasks[_FEW:] else "") if tasks else ""
        of = ", ".join(one.path for one in sources)
        yield f"{job.path} reuses {many(count, 'trial')} of {of}{named}", count
