"""The schemas of events equal their goldens, the released schemas."""

import json
from datetime import UTC, datetime
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from nemuri_contracts.client_events import FeedbackGiven
from nemuri_contracts.codec import EVENTS, UndecodableError, decode, encode
from nemuri_contracts.event import Event
from tests.contracts import goldens
from tests.contracts.examples import EXAMPLES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KINDS = sorted(EVENTS)


def test_the_schema_of_an_event_equals_its_golden(subtests: pytest.Subtests) -> None:
    """The present schema of an event equals its golden.

    A difference means that a released contract changed: the event needs a new version and an upcast.
    """
    for kind in KINDS:
        with subtests.test(kind):
            golden = goldens.path(kind)

            assert golden.exists(), f"{kind} has no golden; `{goldens.UPDATE}` writes it"
            assert golden.read_text() == goldens.text(EVENTS[kind]), (
                f"the contract of {kind} changed: raise its version and add an upcast, then `{goldens.UPDATE}`"
            )


def test_every_golden_has_its_event() -> None:
    """Each golden belongs to a kind of event that still exists, because a released kind is never deleted."""
    assert sorted(path.stem for path in goldens.FOLDER.glob("*.json")) == KINDS


def test_a_golden_is_a_schema_that_accepts_its_example(subtests: pytest.Subtests) -> None:
    """A golden accepts its example and refuses undeclared fields, other kinds and other versions."""
    for kind in KINDS:
        with subtests.test(kind):
            golden = json.loads(goldens.path(kind).read_text())
            jsonschema.Draft202012Validator.check_schema(golden)
            validator = jsonschema.Draft202012Validator(golden, format_checker=jsonschema.FormatChecker())
            example: dict[str, Any] = json.loads(encode(EXAMPLES[kind]))

            validator.validate(example)

            for wrong in ({"undeclared": 1}, {"kind": "other"}, {"version": 2}, {"event_id": 5}):
                assert not validator.is_valid(example | wrong), wrong


def test_an_example_survives_a_round_trip(subtests: pytest.Subtests) -> None:
    """An example gets the log's fields when decoded, and has the same bytes, without those fields, when encoded
    again.
    """
    for kind in KINDS:
        with subtests.test(kind):
            example = EXAMPLES[kind]

            event = decode(encode(example), recorded_at=NOW, sequence=7, client_id="ann")

            assert type(event) is EVENTS[kind]
            assert (event.recorded_at, event.sequence) == (NOW, 7)
            assert encode(event) == encode(example)
            assert {"recorded_at", "sequence", "client_id"}.isdisjoint(json.loads(encode(event)))


def test_an_example_fills_every_field(subtests: pytest.Subtests) -> None:
    """An example has no empty field. So a change of any field changes the example."""
    for kind in KINDS:
        with subtests.test(kind):
            assert not _empty(EXAMPLES[kind].model_dump(mode="json"))


def test_another_version_is_undecodable(subtests: pytest.Subtests) -> None:
    """An event of another version is undecodable if it has no upcast."""
    for kind in KINDS:
        with subtests.test(kind):
            newer = json.loads(encode(EXAMPLES[kind])) | {"version": 2}

            with pytest.raises(UndecodableError, match=f"{kind}.version: it must be 1"):
                decode(json.dumps(newer).encode(), recorded_at=NOW, sequence=1)


def test_a_changed_contract_is_detected() -> None:
    """An additional field changes the text of the golden."""

    class FeedbackGivenMore(FeedbackGiven):
        """Feedback with one more field."""

        more: int = 0

    assert goldens.text(FeedbackGivenMore) != goldens.text(FeedbackGiven)
    assert issubclass(FeedbackGivenMore, Event)


def _empty(value: Any) -> list[str]:
    """Return the paths of empty values in a JSON value; `.` stands for the value itself."""
    if value in (None, [], {}, ""):
        return ["."]
    if isinstance(value, dict):
        return [f"{name}.{place}" for name, each in value.items() for place in _empty(each)]
    return [place for each in value for place in _empty(each)] if isinstance(value, list) else []
