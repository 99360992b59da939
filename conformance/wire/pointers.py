"""JSON pointers (RFC 6901): where something is in a message, or in a file's JSON."""

__all__ = ["keys_of", "parent_and_key", "pointer", "shown"]


def pointer(*keys: str | int) -> str:
    """The pointer to what is under these keys and indexes, from the root on; the root's is empty."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def keys_of(path: str) -> list[str]:
    """The keys of a pointer; an index is one too."""
    return [_unescaped(part) for part in path.split("/")[1:]]


def parent_and_key(path: str) -> tuple[str, str]:
    """A pointer that is not the root's, as the pointer to what holds it and its key there."""
    parent, _, part = path.rpartition("/")
    return parent, _unescaped(part)


def shown(path: str) -> str:
    """A pointer for people: the root's is empty, and "/" leads to the key "" of it."""
    return path or "the root"


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")
