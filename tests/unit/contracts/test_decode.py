"""Tests of decoding: bytes are decoded as an event, or refused with a message of one line."""

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
NAMES = st.one_of(st.sampled_from([*SUBMITTED, "version", "documents", "domains", "agent", "client_id"]), st.text())
WIRES = [json.loads(encode(each)) for each in EXAMPLES.values()]


@given(st.binary())
@example(b"")
@example(b"\xff\xfe")
@example(b"null")
@example(b"[" * 100_000)
@example(b'{"kind":' * 100_000)
@example(json.dumps(SUBMITTED | {"text": "\ud800"}).encode())
@example(json.dumps(SUBMITTED | {"kind": "a\r\nb\x00\x1b[2J" + "x" * 100_000}).encode())
def test_any_bytes_are_an_event_or_undecodable(data: bytes) -> None:
    """Any bytes are an event or raise `UndecodableError`, whose message is one printable line of limited length."""
    _refused(data)


@given(JSON, st.dictionaries(NAMES, JSON, max_size=3))
@example(None, {"a\nb\u2028c": 1})
@example(None, {"version": "1"})
@example(None, {"documents": [{"name": "n", "ref": "a" * 64, "characters": 10**30}]})
def test_any_json_is_an_event_or_undecodable(whole: Any, fields: dict[str, Any]) -> None:
    """Any JSON value and any change of a valid submission is decoded or refused."""
    for value in (whole, SUBMITTED | fields):
        _check(json.dumps(value).encode())


@given(st.sampled_from(WIRES), st.data())
def test_a_changed_event_is_undecodable_or_survives_a_round_trip(wire: dict[str, Any], data: st.DataObject) -> None:
    """A changed event that can be decoded can be encoded and decoded again. Therefore a replay never fails."""
    name = data.draw(st.sampled_from(sorted(wire)))
    _check(json.dumps(wire | {name: data.draw(JSON)}).encode())


@pytest.mark.parametrize(
    "name", ["", "a.b", "a b", "a*", ">", "a>", "a\x00", "a\n", "-a", "é", "x" * 65, "a/b", "a\tb"]
)
def test_a_name_that_cannot_be_part_of_a_subject_is_refused(name: str) -> None:
    """Names of agents and clients with dots, spaces, wildcards or NUL are refused."""
    _refused(json.dumps(SUBMITTED | {"agent": name}).encode())
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
        {"project": "x" * 201},
        {"domains": ["a\x00"]},
        {"documents": [{"name": "n", "ref": "../../etc/passwd", "characters": 1}]},
        {"documents": [{"name": "n", "ref": "a" * 64, "characters": 2**63}]},
        {"documents": [{"name": "n", "ref": "a" * 64, "characters": -1}]},
        {"undeclared": 1},
    ],
)
def test_a_wrong_submission_is_refused(wrong: dict[str, Any]) -> None:
    """A wrong submission is refused with one line that does not repeat the input."""
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
    """A memory with text that no store can hold, or with a scope without its name, is refused."""
    offer = {"event_id": str(UUID(int=1)), "kind": "memory_offered", "agent_id": "buyer", "memory": memory}

    _refused(json.dumps(offer).encode())


@pytest.mark.parametrize("value", ["\x00", 2**63, [{"a": ["\x00"]}], {"\x00": 1}, float("inf"), [float("nan")]])
def test_parameters_that_no_store_can_hold_are_refused(value: Any) -> None:
    """A policy may contain any JSON, except values that no store can hold. Such values would stop the projector."""
    with pytest.raises(ValidationError):
        PolicyAdopted.model_validate({"event_id": UUID(int=1), "agent_id": "a", "parameters": {"x": value}})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_outside_json_is_refused_at_construction(value: float) -> None:
    """NaN and infinity are refused when an event is built, since they could not be decoded again."""
    with pytest.raises(ValidationError):
        Candidate(memory_id=UUID(int=1), similarity=value, lexical=0, relevance=0, features=(0.0,) * 9, score=0)


def test_the_author_comes_from_the_subject_only() -> None:
    """The author of an event comes from its subject. Sequence and time of an event come from the log, never from its
    body.
    """
    claims = {"client_id": "boss", "sequence": 99, "recorded_at": "1999-01-01T00:00:00Z"}

    event = decode(json.dumps(SUBMITTED | claims).encode(), recorded_at=NOW, sequence=7, client_id="ann")

    assert isinstance(event, TaskSubmitted)
    assert (event.client_id, event.sequence, event.recorded_at) == ("ann", 7, NOW)
    unnamed = decode(json.dumps(SUBMITTED | claims).encode(), recorded_at=NOW, sequence=7)
    assert isinstance(unnamed, TaskSubmitted)
    assert unnamed.client_id == "unknown"


def test_labels_are_stripped() -> None:
    """White space around a tag is removed, so tags that differ only in it are equal."""
    offer = MemoryOffered.model_validate(
        {"event_id": UUID(int=1), "agent_id": "a", "memory": {"content": " x ", "tags": [" steel "]}}
    )

    assert offer.memory.tags == ("steel",)
    assert offer.memory.content == " x "


def _check(data: bytes) -> Event | None:
    """Decode the bytes. Return the event after checking that it survives a round trip, or None if it was refused
    correctly.
    """
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
