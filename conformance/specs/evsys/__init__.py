"""EvSys: its built-in metrics, and the registry of other metrics (document 002)."""

from conformance.registry.spec import ADAPTERS, Spec, SpecOracle

__all__ = ["SPEC"]

SPEC = Spec(
    "evsys",
    "002",
    SpecOracle(
        "evsys-sdk-source",
        ADAPTERS / "evsys.py",
        None,
        answered_by="the kit's own code, compared with the package's source, executed",
    ),
    sections=("compute", "registry"),
    reference=("evsys",),
)
