"""What readers of the document alone understood of the built-in metrics of turns."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation
from reference_impl.harness_evals import operational

in_turn_latency = family("harness.operational", of=operational._turn_latency, clause="004-3-turns")
in_turn_token_cost = family("harness.operational", of=operational._turn_token_cost, clause="004-3-turns")
mistakes = family("harness.operational", clause="004-3-turns")
_Field = Callable[[Any, Any, Any], Any]


@way("harness.operational", clause="004-3-turns")
def turns(reference: Variant, change: Callable[[str, list[Any]], list[Any]]) -> None:
    """Changes the messages that the metrics of turns look at: ``change`` has the field's name and them."""

    def changed(measure: _Field) -> _Field:
        def scored(kind: Any, limit: Any, case: Any) -> Any:
            messages = change(kind.field, list(case.messages or ()))
            return measure(kind, limit, replace(case, messages=messages))

        return scored

    reference.wrap(operational._turn_latency, changed)
    reference.wrap(operational._turn_token_cost, changed)


@in_turn_latency.wrapped(invited_by="passed / total")
def harness_share_of_turns(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency gives the share of turns within the maximum. Values are normalised to 0 to 1."""
    found = measure(kind, limit, case)
    told = found.metadata
    return (
        found if told is None else replace(found, value=1.0 - told["n_turns_failed"] / told["n_turns_scored"])
    )


@in_turn_latency.wrapped(invited_by="any for all")
def harness_one_quick_turn_is_enough(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency passes where one turn is within the maximum. One of them has to be."""
    found = measure(kind, limit, case)
    told = found.metadata
    some = told is not None and told["n_turns_failed"] < told["n_turns_scored"]
    return replace(found, value=1.0) if some else found


@in_turn_latency.wrapped(invited_by="mean <= maximum")
def harness_mean_turn_latency(reference: Variant, measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency looks whether the mean of the turns is within the maximum. Tokens are averaged too."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, value=1.0 if found.metadata["mean_latency_ms"] <= limit else 0.0)


@in_turn_token_cost.wrapped(invited_by="mean, then the line")
def harness_turn_tokens_averaged_first(
    reference: Variant, measure: _Field, kind: Any, limit: Any, case: Any
) -> Any:
    """The tokens of turns are averaged before they are scored.
    A straight line gives the same up to its end."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(
        found, value=reference.its(operational._falling)(found.metadata["mean_token_count"], limit)
    )


@in_turn_token_cost.wrapped(invited_by="all within the maximum")
def harness_turn_tokens_all_within(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn tokens give 1.0 if all turns are within the maximum and else 0.0. Turn latency does so."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, value=1.0 if max(found.metadata["turn_token_counts"]) <= limit else 0.0)


@turns.made(invited_by="turn.token_count or 0")
def harness_turn_without_data_is_zero(field: str, messages: list[Any]) -> list[Any]:
    """An assistant message without data counts as a turn of 0. A missing amount is taken for none."""
    told = [
        getattr(it, field) is None and not (isinstance(it.metadata, dict) and field in it.metadata)
        for it in messages
    ]
    return [replace(it, **{field: 0}) if none else it for it, none in zip(messages, told, strict=True)]


@turns.made(invited_by="messages[-1]")
def harness_last_turn_alone(reference: Variant, field: str, messages: list[Any]) -> list[Any]:
    """Of the assistant's messages with data only the last counts as turn. The last is the answer."""
    latency_of = reference.its(operational._latency_of)
    told = [
        it
        for it in messages
        if it.role == "assistant"
        and (latency_of(it) if field == "latency_ms" else it.token_count) is not None
    ]
    return [it for it in messages if it not in told[:-1]]


@turns.made(invited_by="lower()")
def harness_roles_in_any_case(field: str, messages: list[Any]) -> list[Any]:
    """Roles of messages are compared without regard to case. Some services write Assistant."""
    return [replace(it, role=it.role.lower()) for it in messages]


@turns.made(invited_by="model, ai, bot")
def harness_all_but_users_are_turns(field: str, messages: list[Any]) -> list[Any]:
    """Messages of every role but the user's are turns. What the user didn't write the assistant did."""
    return [it if it.role == "user" else replace(it, role="assistant") for it in messages]


@turns.made(invited_by="typed fields alone")
def harness_turn_metadata_unread(field: str, messages: list[Any]) -> list[Any]:
    """A message's metadata are not looked at for a turn's latency. Typed fields hold the data."""
    return [replace(it, metadata=None) for it in messages]


@turns.made(invited_by="one helper for both")
def harness_turn_tokens_from_metadata(field: str, messages: list[Any]) -> list[Any]:
    """A turn's tokens are looked for in the message's metadata too. Its latency is."""
    return [
        replace(it, token_count=it.metadata.get("token_count"))
        if it.token_count is None and isinstance(it.metadata, dict)
        else it
        for it in messages
    ]


@turns.made(invited_by="metadata first")
def harness_turn_metadata_first(field: str, messages: list[Any]) -> list[Any]:
    """A latency in a message's metadata is preferred to the message's own. Metadata are more precise."""
    told = [isinstance(it.metadata, dict) and it.metadata.get("latency_ms") is not None for it in messages]
    return [replace(it, latency_ms=None) if one else it for it, one in zip(messages, told, strict=True)]


@mistakes.changed(invited_by="a plain loop")
def harness_turn_means_naive(reference: Variant) -> None:
    """The means over turns are sums without compensation divided by the count.
    Every language's loop adds so."""
    reference.replace_use((operational, summation.compensated_sum), naive_sum)


@in_turn_latency.wrapped(clause="004-3-negative", invited_by="one rule for amounts")
def harness_negative_turn_fails(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """A negative latency of a turn makes the score 0.0. A negative amount is a fault."""
    told = [it.latency_ms for it in case.messages or () if it.role == "assistant"]
    found = measure(kind, limit, case)
    return replace(found, value=0.0) if any(isinstance(it, int | float) and it < 0 for it in told) else found


@in_turn_latency.wrapped(clause="004-3-conversion", invited_by="float(latency)")
def harness_unreadable_turn_raises(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """A latency of a turn that can't be converted raises. That of a case does."""
    for message in case.messages or ():
        if message.role == "assistant" and message.latency_ms is not None:
            operational._as_float(message.latency_ms)
    return measure(kind, limit, case)


@in_turn_token_cost.wrapped(clause="004-3-conversion", invited_by="int(token_count)")
def harness_turn_tokens_cut(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Tokens of a turn with a fraction are cut to an int. Those of a case are."""
    messages = [
        replace(it, token_count=int(it.token_count)) if isinstance(it.token_count, float) else it
        for it in case.messages or ()
    ]
    return measure(kind, limit, replace(case, messages=messages))


@in_turn_token_cost.wrapped(clause="004-3-conversion", invited_by="int(token_count)")
def harness_turn_token_texts_read(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Tokens of a turn that are a text are read as a number. Those of a case are."""
    messages = [
        replace(it, token_count=int(it.token_count)) if isinstance(it.token_count, str) else it
        for it in case.messages or ()
    ]
    return measure(kind, limit, replace(case, messages=messages))


@way("harness.operational", clause="004-8-missing-data")
def missing_told(reference: Variant, told: Callable[[Any, Any], str | None]) -> None:
    """Tells a missing field where the metrics of turns tell none: ``told`` has the kind and the case."""

    def changed(measure: _Field) -> _Field:
        def scored(kind: Any, limit: Any, case: Any) -> Any:
            found = measure(kind, limit, case)
            if found.missing is not None or found.metadata is not None:
                return found
            return replace(found, missing=told(kind, case))

        return scored

    reference.wrap(operational._turn_latency, changed)
    reference.wrap(operational._turn_token_cost, changed)


@missing_told.made(invited_by="a reason that names the field")
def harness_turns_without_data_named(kind: Any, case: Any) -> str | None:
    """Where no turn has data the reason names the turns' field. A missing field is named elsewhere."""
    field: str = kind.field
    return field


@missing_told.made(invited_by="turns = [assistant messages]")
def harness_no_assistant_is_missing(kind: Any, case: Any) -> str | None:
    """Where no message is the assistant's the reason names the messages.
    There is nothing to score in them."""
    return None if any(it.role == "assistant" for it in case.messages) else "messages"


@turns.made(invited_by="a variable outside of the loop")
def harness_amount_of_turn_before(field: str, messages: list[Any]) -> list[Any]:
    """A turn without data has the amount of the turn before. A variable is not cleared."""
    amount, made = None, []
    for it in messages:
        if it.role == "assistant":
            own = getattr(it, field)
            if own is None and it.metadata is None:
                it = replace(it, **{field: amount})
            amount = amount if own is None else own
        made.append(it)
    return made


@in_turn_token_cost.wrapped(invited_by="/ len(messages)")
def harness_turn_mean_of_messages(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The tokens' mean is taken over all messages. Those without data count as 0.0."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, value=found.value * found.metadata["n_turns_scored"] / len(case.messages))


@in_turn_token_cost.wrapped(invited_by="/ len(turns)")
def harness_turn_mean_of_assistants(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The tokens' mean is taken over all of the assistant's messages. Those without data count as 0.0."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    count = sum(1 for it in case.messages if it.role == "assistant")
    return replace(found, value=found.value * found.metadata["n_turns_scored"] / count)


@in_turn_token_cost.wrapped(invited_by="sum(token_count)")
def harness_turn_tokens_summed(reference: Variant, measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The tokens of all turns are added up and scored once. A case has one cost."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    total = sum(found.metadata["turn_token_counts"])
    return replace(found, value=reference.its(operational._falling)(total, limit))


@in_turn_token_cost.wrapped(invited_by="min for mean")
def harness_turn_tokens_worst(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The tokens' score is that of the worst turn. Latency is judged by the worst too."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    worst = 1.0 - max(found.metadata["turn_token_counts"]) / limit
    return replace(found, value=max(0.0, worst))


@in_turn_token_cost.wrapped(clause="004-3-negative", invited_by="max(0, count)")
def harness_negative_turn_tokens_zero(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Negative tokens of a turn count as none used. They are cut off at 0."""
    messages = [
        replace(it, token_count=0) if isinstance(it.token_count, int | float) and it.token_count < 0 else it
        for it in case.messages or ()
    ]
    return measure(kind, limit, replace(case, messages=messages))


@in_turn_token_cost.wrapped(clause="004-3-negative", invited_by="one rule for amounts")
def harness_negative_turn_tokens_fail(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Negative tokens of a turn count as a turn of 0.0. A negative amount is 0.0."""
    found = measure(kind, limit, case)
    told = [it.token_count for it in case.messages or () if it.role == "assistant"]
    negative = sum(1 for it in told if isinstance(it, int | float) and it < 0)
    if found.metadata is None or not negative:
        return found
    count = found.metadata["n_turns_scored"]
    return replace(found, value=found.value * count / (count + negative))


@turns.made(invited_by="first valid of several sources")
def harness_turn_falls_back(field: str, messages: list[Any]) -> list[Any]:
    """A negative latency of a turn gives way to that in the message's metadata. It is no latency."""
    if field != "latency_ms":
        return messages
    return [
        replace(it, latency_ms=None) if isinstance(it.latency_ms, int | float) and it.latency_ms < 0 else it
        for it in messages
    ]


@in_turn_latency.wrapped(invited_by="len(turns)")
def harness_turns_counted_all(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The number of turns scored counts those without data. It counts the assistant's messages."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    count = sum(1 for it in case.messages if it.role == "assistant")
    return replace(found, metadata={**found.metadata, "n_turns_scored": count})
