"""Tests of the conditions of a client for memories."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent, MemoryFilter
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_filter import is_restricting, meets

MAY, JUNE, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7))


def content(source: str = "manual", **about: Any) -> Content:
    """Return a memory that was remembered in June."""
    memory = MemoryContent.model_validate({"content": "Ann lives in Bergen."} | about)
    return Content(
        memory_id=uuid4(),
        agent_id="python",
        memory=memory,
        links=(),
        vector="v",
        source=source,
        created_at=JUNE,
        created=1,
    )


@pytest.mark.parametrize(
    ("known", "wanted", "met"),
    [
        ({"kind": "plan"}, {"kinds": ["plan", "event"]}, True),
        ({"kind": "fact"}, {"kinds": ["plan", "event"]}, False),
        ({}, {"kinds": ["fact"]}, False),
        ({"tags": ["home", "city", "north"]}, {"tags": ["north", "home"]}, True),
        ({"tags": ["home"]}, {"tags": ["north", "home"]}, False),
        ({"subject": "Ann"}, {"subject": "Ann"}, True),
        ({"subject": "Bob"}, {"subject": "Ann"}, False),
        ({"metadata": {"team": "red", "rank": 3}}, {"metadata": {"team": "red", "rank": 3.0}}, True),
        ({"metadata": {"team": "red"}}, {"metadata": {"team": "red", "rank": 3}}, False),
        ({"metadata": {"rank": "3"}}, {"metadata": {"rank": 3}}, False),
        ({"metadata": {"labels": ["a", "b", "c"]}}, {"metadata": {"labels": "b"}}, True),
        ({"metadata": {"labels": ["a", "b", "c"]}}, {"metadata": {"labels": ["c", "a"]}}, True),
        ({"metadata": {"labels": ["a"]}}, {"metadata": {"labels": ["c", "a"]}}, False),
        ({"metadata": {"labels": "a"}}, {"metadata": {"labels": ["a"]}}, False),
    ],
)
def test_all_conditions_must_be_met(known: dict[str, Any], wanted: dict[str, Any], met: bool) -> None:
    """One of the kinds, all tags, the subject and all properties; a list has the words that are asked for."""
    assert meets(content(**known), MemoryFilter.model_validate(wanted)) is met


def test_the_source_is_a_condition() -> None:
    """A memory is of its source only."""
    assert meets(content("task"), MemoryFilter(source="task"))
    assert not meets(content("task"), MemoryFilter(source="manual"))


@pytest.mark.parametrize(
    ("known", "since", "until", "met"),
    [
        # A state lasts until its end, and one that does not say when it began is of the time when it was told.
        ({"valid_from": MAY}, JULY, None, True),
        ({"valid_from": MAY, "until": JUNE}, JULY, None, False),
        ({"valid_from": MAY, "until": JUNE}, JUNE, None, True),
        ({"said_at": MAY}, JUNE, None, False),
        ({"said_at": MAY, "until": JULY}, JUNE, None, True),
        ({}, JUNE, None, True),
        ({}, JULY, None, False),
        # What happened is a moment.
        ({"valid_from": MAY, "kind": "event"}, JUNE, None, False),
        ({"valid_from": MAY, "kind": "event"}, MAY, JUNE, True),
        ({"valid_from": JUNE}, None, JUNE, False),
        ({"valid_from": MAY}, None, JUNE, True),
        ({"said_at": JULY, "valid_from": MAY}, None, JUNE, True),
    ],
)
def test_a_time_is_a_condition(
    known: dict[str, Any], since: datetime | None, until: datetime | None, met: bool
) -> None:
    """A memory is of the time in which it held or happened."""
    assert meets(content(**known), MemoryFilter(since=since, until=until)) is met


def test_without_conditions_every_memory_is_meant() -> None:
    """Only a condition restricts a search."""
    assert not is_restricting(MemoryFilter())
    assert meets(content(), MemoryFilter())
    assert is_restricting(MemoryFilter(tags=("home",)))
