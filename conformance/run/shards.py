"""Shards of a run. Only a vector's id decides its shard, so adding vectors moves no others."""

import hashlib
from collections import Counter
from collections.abc import Iterable

__all__ = ["MOST_SHARDS", "in_shard", "refused_shard", "shard_by_id", "sizes"]

MOST_SHARDS = 1000


def refused_shard(number: int, count: int) -> str | None:
    """Return why a shard is invalid; None if it is valid."""
    if not 1 <= count <= MOST_SHARDS:
        return f"a run has from 1 to {MOST_SHARDS} parts"
    if not 1 <= number <= count:
        return f"the parts are numbered from 1/{count} to {count}/{count}"
    return None


def shard_by_id(key: str, count: int) -> int:
    """Return the shard, from 1, of a vector or property id."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % count + 1


def in_shard(key: str, shard: tuple[int, int] | None) -> bool:
    """Return whether a vector or property id belongs to a shard."""
    return shard is None or shard_by_id(key, shard[1]) == shard[0]


def sizes(keys: Iterable[str], count: int) -> list[int]:
    """Return the number of ids in each shard."""
    counts = Counter(shard_by_id(key, count) for key in keys)
    return [counts[number] for number in range(1, count + 1)]
