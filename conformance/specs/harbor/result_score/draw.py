"""Random inputs of the score: those of the outcome line, except where only a count decides."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.results import good_result, result_file
from reference_impl import result_score, summarise
from reference_impl.runner.wire import decode_content

__all__ = ["INPUTS"]


def _file(source: Source) -> Any:
    """A file whose counts the program of document 003 accepts (PROTOCOL.md)."""
    given = result_file(source)
    content = None if given["result.json"] is None else decode_content(given["result.json"])
    if summarise(content).reason_code is not None and result_score(content) is not None:
        return {"result.json": {"text": json.dumps(good_result(source))}}
    return given


INPUTS: Mapping[str, Draw[Any]] = {"result_score": _file}
"""An input for every op of the section."""
