"""harbor 0.25.0, as an overlay of 0.13.1: everything that is not here is unchanged."""

from dataclasses import replace

from conformance.registry.spec import Spec, SpecOracle
from conformance.specs.harbor import HARBOR as BEFORE
from conformance.specs.harbor import OLDER_PYDANTIC
from conformance.specs.harbor import SPEC as BASE

__all__ = ["HARBOR", "SPEC"]

HARBOR = replace(BEFORE, version="0.25.0", spec="harbor-0.25.0")
"""The environment of the real harbor."""

OLDER = replace(
    OLDER_PYDANTIC,
    recipe=replace(HARBOR, variant=OLDER_PYDANTIC.name),
    described_as="harbor 0.25.0 with pydantic 2.12.0 to 2.12.5",
)
"""harbor requires pydantic 2.12.0 or later."""

SPEC = Spec(
    "harbor-0.25.0",
    "003",
    # the consumer of results is not part of harbor: it is the same for every release
    SpecOracle(HARBOR.name, HARBOR.adapter, HARBOR, further=BASE.oracle.further, variants=(OLDER,)),
    reference=("harbor_0_25_0",),
    base=BASE.name,
    fits_from="0.23.0",
)
