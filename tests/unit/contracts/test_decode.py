"""What comes off the wire: an event, or one line about why it is none."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.client_events import TEXT_LIMIT, MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import UndecodableError, decode, encode
from nemuri_contracts.event import Event
from nemuri_contracts.strength import Candidate
from tests.contracts.examples import EXAMPLES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SUBMITTED: dict[str, Any] = {"event_id": str(UUID(int=1)), "kind": "task_submitted", "text": "Why?"}
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)
NAMES = st.one_of(
    st.sampled_from([*SUBMITTED, "version", "documents", "setting", "wanted_agent", "client_id"]), st.text()
)
WIRES = [json.loads(encode(each)) for each in EXAMPLES.values()]


@given(st.binary())
@example(b"")
@example(b"\xff\xfe")
@example(b"null")
@example(b"[" * 100_000)
@example(b'{"kind":' * 100_000)
@example(json.dumps(SUBMITTED | {"text": "\ud800"}).encode())
@example(json.dumps(SUBMITTED | {"kind": "a\r\nb\x00\x1b[2J" + "x" * 100_000}).encode())
def test_bytes_are_an_event_or_undecodable(data: bytes) -> None:
    """Never another error; the complaint is one printable line of bounded length."""
    _refused(data)


@given(JSON, st.dictionaries(NAMES, JSON, max_size=3))
@example(None, {"a\nb\u2028c": 1})
@example(None, {"version": "1"})
@example(None, {"documents": [{"name": "n", "ref": "a" * 64, "characters": 10**30}]})
def test_json_is_an_event_or_undecodable(whole: Any, fields: dict[str, Any]) -> None:
    """Whatever it is, and whatever is changed in a submission that was good."""
    for value in (whole, SUBMITTED | fields):
        _check(json.dumps(value).encode())


@given(st.sampled_from(WIRES), st.data())
def test_a_spoiled_event_is_undecodable_or_comes_back_as_it_was_read(wire: dict[str, Any], data: st.DataObject) -> None:
    """What can be read at all can be written and read again: a replay never fails where the first read did not."""
    name = data.draw(st.sampled_from(sorted(wire)))
    _check(json.dumps(wire | {name: data.draw(JSON)}).encode())


@pytest.mark.parametrize(
    "name", ["", "a.b", "a b", "a*", ">", "a>", "a\x00", "a\n", "-a", "é", "x" * 65, "a/b", "a\tb"]
)
def test_a_name_that_cannot_be_part_of_a_subject_is_refused(name: str) -> None:
    """Dots, spaces, wildcards, NUL and the like, as an agent or as a client."""
    _refused(json.dumps(SUBMITTED | {"wanted_agent": name}).encode())
    _refused(json.dumps(SUBMITTED | {"kind": "memory_offered", "agent_id": name, "memory": {"content": "x"}}).encode())
    with pytest.raises(ValidationError):
        TaskSubmitted.model_validate(SUBMITTED | {"client_id": name})


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": "a\x00b"},
        {"text": "x" * (TEXT_LIMIT + 1)},
        {"text": None},
        {"text": 5},
        {"event_id": "not an id"},
        {"kind": "task_answered"},
        {"kind": "unheard_of"},
        {"version": 2},
        {"version": "1"},
        {"perspective": "  "},
        {"setting": {"project": "x" * 201}},
        {"setting": {"domains": ["a\x00"]}},
        {"documents": [{"name": "n", "ref": "../../etc/passwd", "characters": 1}]},
        {"documents": [{"name": "n", "ref": "a" * 64, "characters": 2**63}]},
        {"documents": [{"name": "n", "ref": "a" * 64, "characters": -1}]},
        {"undeclared": 1},
    ],
)
def test_a_wrong_submission_is_refused(wrong: dict[str, Any]) -> None:
    """Each in one line that does not repeat what was sent."""
    _refused(json.dumps(SUBMITTED | wrong).encode())


@pytest.mark.parametrize(
    "memory",
    [
        {"content": ""},
        {"content": "x", "learnings": {"a\x00": "y"}},
        {"content": "x", "learnings": {"cost": "\x00"}},
        {"content": "x", "scope": {"level": "project"}},
        {"content": "x", "scope": {"level": "universal", "name": "a"}},
        {"content": "x", "said_at": "yesterday"},
        {"content": "x", "tags": ["t"] * 33},
        {"content": "x", "tags": [" "]},
    ],
)
def test_a_wrong_memory_is_refused(memory: dict[str, Any]) -> None:
    """Nothing that a store cannot hold, and no scope without its name."""
    offer = {"event_id": str(UUID(int=1)), "kind": "memory_offered", "agent_id": "buyer", "memory": memory}

    _refused(json.dumps(offer).encode())


@pytest.mark.parametrize("value", ["\x00", 2**63, [{"a": ["\x00"]}], {"\x00": 1}, float("inf"), [float("nan")]])
def test_parameters_that_no_store_can_hold_are_refused(value: Any) -> None:
    """A policy's parameters are any JSON, but not what would stop the projector."""
    with pytest.raises(ValidationError):
        PolicyAdopted.model_validate({"event_id": UUID(int=1), "agent_id": "a", "parameters": {"x": value}})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_cannot_hold_is_refused_where_it_is_made(value: float) -> None:
    """Rather than written as something that cannot be read again."""
    with pytest.raises(ValidationError):
        Candidate(memory_id=UUID(int=1), similarity=value, lexical=0, relevance=0, features=(0.0,) * 9, score=0)


def test_who_said_it_comes_from_the_subject_and_never_from_the_body() -> None:
    """Nor do its place in the log and its time."""
    claims = {"client_id": "boss", "sequence": 99, "recorded_at": "1999-01-01T00:00:00Z"}

    event = decode(json.dumps(SUBMITTED | claims).encode(), recorded_at=NOW, sequence=7, client_id="ann")

    assert isinstance(event, TaskSubmitted)
    assert (event.client_id, event.sequence, event.recorded_at) == ("ann", 7, NOW)
    unnamed = decode(json.dumps(SUBMITTED | claims).encode(), recorded_at=NOW, sequence=7)
    assert isinstance(unnamed, TaskSubmitted)
    assert unnamed.client_id == "unknown"


def test_labels_lose_the_space_around_them() -> None:
    """So that a tag is the same tag however it was typed."""
    offer = MemoryOffered.model_validate(
        {"event_id": UUID(int=1), "agent_id": "a", "memory": {"content": " x ", "tags": [" steel "]}}
    )

    assert offer.memory.tags == ("steel",)
    assert offer.memory.content == " x "


def _check(data: bytes) -> Event | None:
    """The event, which reads the same when it is written again; None after a good complaint."""
    try:
        event = decode(data, recorded_at=NOW, sequence=1, client_id="ann")
    except UndecodableError as error:
        said = str(error)
        assert said
        assert said.isprintable()
        assert len(said) <= 400
        return None
    again = decode(encode(event), recorded_at=NOW, sequence=1, client_id="ann")
    assert again == event
    return event


def _refused(data: bytes) -> None:
    assert _check(data) is None
