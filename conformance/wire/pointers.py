"""JSON pointers (RFC 6901) into messages and files' JSON."""

__all__ = ["keys_of", "pointer", "shown"]


def pointer(*keys: str | int) -> str:
    """The pointer for these keys and indexes from the root; the root's is empty."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def keys_of(path: str) -> list[str]:
    """The keys of a pointer, including indexes."""
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def shown(path: str) -> str:
    """A pointer as text: the root's is empty, and "/" means its key ""."""
    return path or "the root"
