"""Tests of the profile of a person."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.profile import chosen, is_current, profile_text

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def remembered(text: str, yields_to: tuple[UUID, ...] = (), status: str = "active", **about: Any) -> Remembered:
    """Return a memory of Ann that was remembered yesterday."""
    memory = MemoryContent.model_validate({"content": text, "person": "Ann"} | about)
    name: dict[str, Any] = {"memory_id": uuid4(), "agent_id": "python"}
    content = Content.model_validate(
        name | {"memory": memory, "links": (), "vector": "v", "source": "manual", "created_at": NOW - DAY, "created": 1}
    )
    state = {"stored_strength": 0.0, "perspectives": {}, "changed": 1, "yields_to": yields_to, "status": status}
    return content, Memory.model_validate(name | state)


@pytest.mark.parametrize(
    ("about", "current"),
    [
        ({}, True),
        ({"until": NOW + DAY, "expires_at": NOW + DAY}, True),
        ({"until": NOW}, False),
        ({"expires_at": NOW - DAY}, False),
        ({"status": "archived"}, False),
        ({"yields_to": (UUID(int=1),)}, False),
    ],
)
def test_only_what_holds_now_is_current(about: dict[str, Any], current: bool) -> None:
    """What has ended, has expired, is archived or was replaced is not."""
    assert is_current(remembered("Ann lives in Bergen.", **about), NOW) is current


def test_a_question_tells_nothing_of_a_person() -> None:
    """A memory that only asks is not part of a profile."""
    assert not is_current(remembered("Do you like it there?"), NOW)
    assert is_current(remembered("Do you like it there? I do."), NOW)


def test_a_profile_has_a_heading_for_each_kind_with_dates() -> None:
    """Instructions and preferences come first, then facts, plans and events, each with its dates."""
    memories = [
        remembered("Ann flew to Oslo.", kind="event", valid_from=datetime(2026, 6, 1, tzinfo=UTC)),
        remembered("Ann lives in Bergen.", kind="fact", valid_from=datetime(2026, 5, 1, tzinfo=UTC)),
        remembered("Ann wants short answers.", kind="instruction"),
        remembered("Ann likes\nrye bread.", kind="preference", certainty=0.4),
    ]
    assert profile_text(chosen(memories, NOW, 1_000)) == (
        "## How to serve\n\n- Ann wants short answers.\n\n## Preferences\n\n"
        "- Ann likes rye bread. (uncertain (40 %))\n\n"
        "## Facts\n\n- Ann lives in Bergen. (from 1 May 2026)\n\n## Events\n\n- Ann flew to Oslo. (on 1 June 2026)"
    )
    assert profile_text([]) == ""


@pytest.mark.parametrize("tokens", [50, 80, 200])
def test_a_profile_keeps_its_size(tokens: int) -> None:
    """The strongest of each kind find room first, and the text is not longer than asked for."""
    memories = [remembered(f"{kind} number {number}, with some more words.", kind=kind)
                for number in range(30) for kind in ("fact", "preference")]  # fmt: skip
    kept = chosen(memories, NOW, tokens)
    assert estimate_tokens(profile_text(kept)) <= tokens
    texts = [content.memory.content for content in kept]
    assert {"fact number 0, with some more words.", "preference number 0, with some more words."} <= set(texts)
    assert chosen(memories, NOW, 100_000) != kept
