"""A runner that answers as one environment of harbor 0.13.1, or mixes two: ``mixing.py main|variant|mixed``.

It is the reference; ``mixed`` makes every second answer that of the variant, by the length of the input.
"""

import json
import sys
from typing import Any

from conformance.mistakes.catalogue import find_mistakes, made
from conformance.registry.ops import SPEC_TABLE
from conformance.shim import fail, serve
from conformance.wire.messages import Ok

(VARIANT,) = SPEC_TABLE["harbor-0.13.1"].oracle.variants
how = sys.argv[1]
plain, other = made(), made(*find_mistakes(VARIANT.mistake))


def job_result(**given: Any) -> Any:
    odd = how == "mixed" and len(json.dumps(given)) % 2
    answer = (other if how == "variant" or odd else plain).answer("job_result", given)
    return answer.value if isinstance(answer, Ok) else fail(answer.type)


serve(job_result, name="mixing", version="1")
