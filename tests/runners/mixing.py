"""A runner that answers as one environment of harbor 0.13.1, or mixes two: ``mixing.py main|variant|mixed``.

It is the reference; ``mixed`` makes every second answer that of the variant, by the length of the input.
"""

import json
import sys

from conformance.mistakes.catalogue import find_mistakes, made
from conformance.registry.ops import SPEC_TABLE
from conformance.wire.messages import Ok

SPEC = "harbor-0.13.1"
(VARIANT,) = SPEC_TABLE[SPEC].oracle.variants


def main(how: str) -> None:
    plain, other = made(), made(*find_mistakes(VARIANT.mistake))
    for line in sys.stdin:
        request = json.loads(line)
        reply: dict[str, object] = {"id": request["id"]}
        if request["op"] == "hello":
            reply["ok"] = {"protocol": 1, "runner": "mixing", "version": "1", "ops": ["job_result"]}
        else:
            odd = how == "mixed" and len(json.dumps(request["input"])) % 2
            chosen = other if how == "variant" or odd else plain
            answer = chosen.answer(request["op"], request["input"])
            if isinstance(answer, Ok):
                reply["ok"] = answer.value
            else:
                reply["error"] = {"type": answer.type, "reason_code": answer.reason_code, "message": ""}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


main(sys.argv[1])
