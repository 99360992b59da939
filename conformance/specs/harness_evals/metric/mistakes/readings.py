"""What readers of the document alone understood of the arguments that a metric is made with."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described, dimension, metric

in_construct = family("harness.metric", of=metric.construct, clause="004-4.3-k-not-enforced")
in_decode_dimension = family("harness.metric", of=described.decode_dimension, clause="004-2-five-dimensions")
_Arguments = dict[str, Any]
_Construct = Callable[..., Any]


@way("harness.metric", clause="004-1-name-and-threshold")
def told(reference: Variant, change: Callable[[str, _Arguments], _Arguments]) -> None:
    """Changes the arguments of a metric: ``change`` has its base class's name and them."""

    def changed(construct: _Construct) -> _Construct:
        return lambda base, methods, arguments: construct(base, methods, change(base.value[0], arguments))

    reference.wrap(metric.construct, changed)


@told.made(invited_by="type(self).__name__")
def harness_nameless_named_by_class(base: str, arguments: _Arguments) -> _Arguments:
    """A metric without a name is called by its base class. Names have defaults elsewhere."""
    return {"name": base, **arguments}


@told.made(invited_by="if not name")
def harness_empty_name_refused(_: str, arguments: _Arguments) -> _Arguments:
    """An empty name is refused. A name is demanded."""
    if arguments.get("name") == "":
        raise TypeError("a metric has a name")
    return arguments


@told.made(invited_by="threshold or 1.0")
def harness_zero_threshold_is_default(_: str, arguments: _Arguments) -> _Arguments:
    """A threshold of 0 counts as left out. 0 counts as false."""
    return {name: it for name, it in arguments.items() if it or name != "threshold"}


@told.made(clause="004-4.3-k-not-enforced", invited_by="k or 5")
def harness_zero_k_is_default(_: str, arguments: _Arguments) -> _Arguments:
    """A k of 0 counts as left out. 0 counts as false."""
    return {name: it for name, it in arguments.items() if it or name != "k"}


@told.made(invited_by="hard constraints")
def harness_safety_threshold_fixed(base: str, arguments: _Arguments) -> _Arguments:
    """A safety metric's threshold is 1.0 whatever it is told. Safety is a hard constraint."""
    return {**arguments, "threshold": 1.0} if base == "SafetyMetric" else arguments


@told.made(clause="004-1-threshold-default", invited_by="the document's template")
def harness_reliability_threshold_of_template(base: str, arguments: _Arguments) -> _Arguments:
    """A reliability metric's default threshold is 0.8. The document's template has it."""
    return {"threshold": 0.8, **arguments} if base == "ReliabilityMetric" else arguments


@told.made(clause="004-4.3-k-not-enforced", invited_by="Need at least 2 runs")
def harness_k_at_least_two(base: str, arguments: _Arguments) -> _Arguments:
    """A k of less than 2 is refused. The document's template needs two runs."""
    if base == "ReliabilityMetric" and arguments.get("k", 2) < 2:
        raise ValueError("k is at least 2")
    return arguments


@told.made(clause="004-4.3-k-not-enforced", invited_by="k: int")
def harness_k_as_int(_: str, arguments: _Arguments) -> _Arguments:
    """A k that is a float is cut to an int. It counts runs."""
    return {name: int(it) if name == "k" else it for name, it in arguments.items()}


@in_construct.wrapped(invited_by="self.__dict__.update(kwargs)")
def harness_k_kept_by_all(construct: _Construct, base: Any, methods: Any, arguments: _Arguments) -> Any:
    """A metric that is none of reliability keeps a k that it is told. What is given is thought to be kept."""
    made = construct(base, methods, arguments)
    return made if base.value[0] == "ReliabilityMetric" else replace(made, k=arguments.get("k"))


@told.made(clause="004-1-arguments-swallowed", invited_by="most languages")
def harness_k_elsewhere_refused(base: str, arguments: _Arguments) -> _Arguments:
    """A k told to a metric that is none of reliability is refused. Its class has no such argument."""
    if base != "ReliabilityMetric" and "k" in arguments:
        raise TypeError("an unexpected argument")
    return arguments


@in_construct.wrapped(clause="004-1-extends-base", invited_by="implements measure()")
def harness_reliability_by_measure(
    construct: _Construct, base: Any, methods: Collection[str], arguments: _Arguments
) -> Any:
    """A reliability metric that supplies measure alone can be made. Every metric implements measure."""
    if base.value[0] == "ReliabilityMetric" and "measure" in methods:
        methods = [*methods, "measure_runs"]
    return construct(base, methods, arguments)


@in_construct.wrapped(clause="004-1-extends-base", invited_by="either method")
def harness_runs_measured_by_all(
    construct: _Construct, base: Any, methods: Collection[str], arguments: _Arguments
) -> Any:
    """A metric of any base class that supplies measure_runs alone can be made.
    Either method seems enough."""
    return construct(base, [*methods, "measure"] if "measure_runs" in methods else methods, arguments)


@in_decode_dimension.wrapped(clause="004-2-plain-text-dimension", invited_by="StrEnum")
def harness_text_read_as_dimension(reference: Variant, decode: Callable[[Any], Any], value: Any) -> Any:
    """A plain text that is a dimension's value becomes the dimension.
    Enums of texts compare equal to them."""
    kinds = reference.its(dimension.Dimension)
    made = decode(value)
    return next((kind for kind in kinds if isinstance(made, str) and kind.value == made), made)


@in_decode_dimension.wrapped(invited_by="upper()")
def harness_member_in_any_case(decode: Callable[[Any], Any], value: Any) -> Any:
    """A dimension's name is found in any letter case. Names are thought to be spelled freely."""
    named = isinstance(value, dict) and "member" in value
    return decode({"member": value["member"].upper()} if named else value)


@in_decode_dimension.wrapped(invited_by="lower()")
def harness_dimension_value_in_any_case(decode: Callable[[Any], Any], value: Any) -> Any:
    """A dimension's value is found in any letter case. The document's table has capitals."""
    return decode(value.lower() if isinstance(value, str) else value)


@in_decode_dimension.wrapped(invited_by="the document's CORRECTNESS")
def harness_dimension_name_as_value(decode: Callable[[Any], Any], value: Any) -> Any:
    """A dimension's name in capitals is taken for its value. The document writes dimensions so."""
    return decode(value.lower() if isinstance(value, str) and value.isupper() else value)


@told.made(clause="004-1-arguments-swallowed", invited_by="encoding/json of Go")
def harness_arguments_in_any_case(_: str, arguments: _Arguments) -> _Arguments:
    """An argument is known in any letter case. Some decoders match names so."""
    return {name.lower(): it for name, it in arguments.items()}


@told.made(clause="004-2-one-dimension", invited_by="a default of the class")
def harness_reliability_dimension_optional(
    reference: Variant, base: str, arguments: _Arguments
) -> _Arguments:
    """A reliability metric without a dimension is one of performance.
    A category of metrics seems to fix it."""
    if base != "ReliabilityMetric":
        return arguments
    return {"dimension": reference.its(dimension.Dimension)("performance"), **arguments}
