"""Parts of a run: a vector is in the part that its id alone decides, so it stays there when others come."""

import hashlib
from collections.abc import Iterable

__all__ = ["MOST_SHARDS", "in_shard", "refused_shard", "shard_by_id", "sizes"]

MOST_SHARDS = 1000


def refused_shard(number: int, of: int) -> str | None:
    """Why there is no such part; None where there is."""
    if not 1 <= of <= MOST_SHARDS:
        return f"a run has from 1 to {MOST_SHARDS} parts"
    if not 1 <= number <= of:
        return f"the parts are numbered from 1/{of} to {of}/{of}"
    return None


def shard_by_id(key: str, of: int) -> int:
    """The part, from 1, that a vector or a property is in, by its id."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % of + 1


def in_shard(key: str, shard: tuple[int, int] | None) -> bool:
    """Whether a vector or a property is in a part, by its id."""
    return shard is None or shard_by_id(key, shard[1]) == shard[0]


def sizes(keys: Iterable[str], of: int) -> list[int]:
    """How many of the ids are in each part."""
    found = [0] * of
    for key in keys:
        found[shard_by_id(key, of) - 1] += 1
    return found
