"""Random inputs for the score: the same as for the outcome line, except where only a count decides."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.result_score.op import no_count_decides
from conformance.specs.harbor.results import good_result, result_file

__all__ = ["INPUTS"]


def _file(source: Source) -> Any:
    input_ = result_file(source)
    return input_ if no_count_decides(input_) else {"result.json": {"text": json.dumps(good_result(source))}}


INPUTS: Mapping[str, Draw[Any]] = {"result_score": _file}
"""An input for every op of the section."""
