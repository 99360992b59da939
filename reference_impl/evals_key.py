"""The key under which a group of trials appears in a job's result (003 §3.3)."""

__all__ = ["ADHOC", "SEPARATOR", "evals_key"]

SEPARATOR = "__"  # 003 §3.3
ADHOC = "adhoc"  # the dataset of trials that come from none, 003 §3.1, §3.3


def evals_key(agent: str, model: str | None, source: str | None) -> str:
    """Join agent, model and dataset with `__`; leave out a missing or empty model (003 §3.3).

    `model` is the name without its provider; a missing or empty `source` is `adhoc`. Nothing is
    escaped, so two groups can share a key.
    """
    dataset = source or ADHOC
    names = [agent, model, dataset] if model else [agent, dataset]
    return SEPARATOR.join(names)
