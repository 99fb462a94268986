"""The memory service for Google's Agent Development Kit."""

from typing import Any

import pytest

from nemuri.client.client import Client

pytest.importorskip("google.adk", reason="the extra google-adk is not installed")
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from nemuri.adapters.google_adk import MemoryService


def event(author: str, text: str) -> Any:
    """Return an event with words of somebody."""
    return Event(author=author, content=types.Content(role=author, parts=[types.Part(text=text)]), timestamp=1.0)


async def test_a_session_is_learned_once_and_found_by_its_user(client: Client) -> None:
    """Learn the new events of a session, however often it is added, and return them to its user only."""
    service = MemoryService("host", connection=client)
    assert not (await service.search_memory(app_name="app", user_id="ann", query="Who has a dog?")).memories
    session = Session(id="s1", app_name="app", user_id="ann", events=[event("user", "I row on Tuesdays.")])
    await service.add_session_to_memory(session)
    session.events += [event("model", "A fine sport."), event("user", "I sing in a choir.")]
    await service.add_session_to_memory(session)
    await service.add_events_to_memory(
        app_name="app", user_id="ann", session_id="s1", events=[event("user", "I sold my boat.")]
    )
    entry = MemoryEntry(
        content=types.Content(parts=[types.Part(text="Ann has a dog.")]), timestamp="2026-05-01T00:00:00Z"
    )
    await service.add_memory(app_name="app", user_id="ann", memories=[entry])
    contents = [memory.memory.content for memory in await client.memories("host", status="all")]
    assert sorted(content for content in contents if "fine" not in content) == [
        "Ann has a dog.",
        "I row on Tuesdays.",
        "I sing in a choir.",
        "I sold my boat.",
    ]
    found = await service.search_memory(app_name="app", user_id="ann", query="Who has a dog?")
    assert found.memories[0].content.parts[0].text == "Ann has a dog."
    assert found.memories[0].timestamp == "2026-05-01T00:00:00+00:00"
    assert not (await service.search_memory(app_name="app", user_id="bob", query="Who has a dog?")).memories
    with pytest.raises(NotImplementedError):
        await service.delete_memory(app_name="app", user_id="ann", memory_id=found.memories[0].id)
