"""Outputs that nobody reads, or that can't be written."""

import io

from conformance.console.output import unfailing
from conformance.wire.text import harmless


def test_what_the_encoding_lacks_and_what_acts_is_escaped_and_another_stream_stays(tmp_path) -> None:
    with (tmp_path / "a").open("w", encoding="ascii") as stream:
        made = unfailing(stream, harmless)
        assert made is not None
        made[0].write("é\n::error::x\n")
    assert (tmp_path / "a").read_text() == "\\xe9\n\\u003a:error::x\n"
    assert unfailing(io.StringIO()) is None
