"""A whole job that harbor plays: the files that it writes, and the events of each trial.

Only harbor can answer, since its own ``Job`` is executed: its trials, queue, retries and resuming, which no
other operation shows. Stand-ins (``adapters/playback.py``) replace the container and the agent.
"""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "play_job",
        "played",
        fallback_clause="003-3.3-text",
        weight=0,
        package_only=True,
        input_numbers="datasets/*/tasks/*/steps/*/min_reward datasets/*/tasks/*/steps/*/min_reward/* "
        "tasks/*/steps/*/min_reward tasks/*/steps/*/min_reward/*",
        ok_files="result.json",
        ok_numbers="trials/*/rewards/* trials/*/steps/*/rewards/*",
        ok_free_order=". trials trials/* trials/*/rewards trials/*/steps/* trials/*/steps/*/rewards",
        content_schemas=("result-json",),
    ),
)
