"""Where a difference is: a JSON pointer (RFC 6901), or the root."""

from conformance.wire.pointers import keys_of, parent_and_key, pointer

KEYS = ("a/b", "~1", "", "~", "plain", "/")


def test_a_pointer_escapes_and_has_its_keys_back() -> None:
    assert pointer() == ""
    assert pointer(*KEYS, 3) == "/a~1b/~01//~0/plain/~1/3"
    assert keys_of(pointer(*KEYS, 3)) == [*KEYS, "3"]
    assert keys_of("") == []
    assert parent_and_key(pointer("a/b", "~1")) == ("/a~1b", "~1")
