"""Whose fault an exception is: harbor's is its answer, that of the adapter's stand-ins is none."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import conformance

ADAPTER = Path(conformance.__file__).parent / "adapters" / "harbor.py"


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("adapter_under_test", ADAPTER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.SCRATCH, "_root", None)
    return module


class Harbor:
    """A module that is not the adapter's: what it raises is raised in its own frames."""

    def __init__(self, source: str) -> None:
        self._names: dict[str, Any] = {"__name__": "harbor.fake"}
        exec(compile(source, "/harbor/fake.py", "exec"), self._names)

    def __getattr__(self, name: str) -> Any:
        return self._names[name]


HARBOR = Harbor(
    """
import asyncio

class Missing(Exception):
    pass

class Record:
    model_fields = {"task_id": None}

def asks(thing):
    return thing.mounts

def only_looks(thing):
    return getattr(thing, "mounts", None)

def catches(thing):
    try:
        return thing.mounts
    except AttributeError:
        return "caught"

def wraps(thing):
    try:
        return thing.mounts
    except AttributeError as error:
        raise Missing("no mounts") from error

def groups(thing):
    try:
        thing.mounts
    except AttributeError as error:
        raise ExceptionGroup("several", [ValueError("another"), error])

def calls(function):
    return function(1, colour="red")

def calls_its_own(_):
    def inner(command):
        pass
    return inner(1, colour="red")

def adds(_):
    return 1 + "1"

def reads_none(_):
    return None.return_code

def looks_up(_):
    return {}["absent"]

def not_done(_):
    raise NotImplementedError("resume is not supported")

def raises_missing(_):
    raise Missing("no file")

def reads_record(record):
    return record.task_id

def reads_record_wrongly(record):
    return record.no_such_member
"""
)


def reply_to(adapter: ModuleType, run: Callable[[], Any]) -> dict[str, Any]:
    adapter.OPERATIONS["probe"] = adapter.Entry(lambda: lambda _: {"said": run()}, "json")
    found: dict[str, Any] = adapter.Runner().reply(b'{"id":1,"op":"probe","input":{}}')
    return found


@pytest.mark.parametrize("name", ["asks", "only_looks", "catches", "wraps"])
def test_what_a_stand_in_lacks_is_unsupported(adapter: ModuleType, name: str) -> None:
    """Caught or not: what harbor makes of the gap is no answer of its own."""

    class StandInContainer(adapter.Lacking):  # type: ignore[misc, name-defined]
        pass

    reply = reply_to(adapter, lambda: getattr(HARBOR, name)(StandInContainer()))
    assert "StandInContainer, which stands in for harbor's own, has no 'mounts'" in reply["unsupported"]
    again = reply_to(adapter, lambda: "well")
    assert again == {"id": 1, "ok": {"said": "well"}}  # it is forgotten with the request


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups")
def test_what_a_stand_in_lacks_is_found_in_groups(adapter: ModuleType) -> None:
    class StandInContainer(adapter.Lacking):  # type: ignore[misc, name-defined]
        pass

    with pytest.raises(Exception) as caught:  # noqa: PT011 - a group, where there are such
        HARBOR.groups(StandInContainer())
    adapter.FAULTS.clear()
    assert "stand-in" in adapter.own_fault(caught.value)


def test_a_call_that_a_stand_in_does_not_take_is_unsupported(adapter: ModuleType) -> None:
    def exec_(command: str) -> None:
        pass

    exec_.__qualname__ = "verifier_of_files.<locals>.exec_"  # as one of the adapter's
    assert "uses a stand-in otherwise" in reply_to(adapter, lambda: HARBOR.calls(exec_))["unsupported"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("adds", "TypeError"),
        ("calls_its_own", "TypeError"),
        ("reads_none", "AttributeError"),
        ("looks_up", "KeyError"),
        ("not_done", "NotImplementedError"),
        ("raises_missing", "Missing"),
    ],
)
def test_harbors_own_exceptions_stay_its_answers(adapter: ModuleType, name: str, kind: str) -> None:
    reply = reply_to(adapter, lambda: getattr(HARBOR, name)(None))
    assert reply["error"]["type"] == kind


def test_a_record_that_was_made_without_a_member_is_the_adapters(adapter: ModuleType) -> None:
    record = HARBOR.Record()
    assert "leave out" in reply_to(adapter, lambda: HARBOR.reads_record(record))["unsupported"]
    wrong = reply_to(adapter, lambda: HARBOR.reads_record_wrongly(record))
    assert wrong["error"]["type"] == "AttributeError"


def test_an_exception_of_the_adapters_own_code_is_its_own(adapter: ModuleType) -> None:
    """Such as that of a result with another shape than the adapter takes apart."""
    vars(adapter)["HERE"] = str(Path(__file__).resolve())  # as if this were the adapter's code
    for run in (lambda: ({}, []).items(), lambda: {}["absent"], lambda: len(3)):  # type: ignore
        assert "another shape" in reply_to(adapter, run)["unsupported"]
    assert reply_to(adapter, lambda: [][0] if False else 1 / 0)["error"]["type"] == "ZeroDivisionError"


def test_where_a_version_keeps_an_entry_point(adapter: ModuleType) -> None:
    found = adapter.here_or(("no.such.module", "A.b"), ("json", "JSONEncoder.encode"))
    import json

    assert found is json.JSONEncoder.encode
    with pytest.raises(adapter.UnsupportedError, match=r"neither json\.Nothing nor os\.path\.none"):
        adapter.here_or(("json", "Nothing"), ("os", "path.none"))
