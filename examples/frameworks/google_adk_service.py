"""A memory service of Google's ADK in the memory of an agent: `Runner(…, memory_service=service)`.

Needs a running platform (`nemuri up`) and `pip install 'nemuri[google-adk]'`. No model is called.
"""

import asyncio

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai import types

import nemuri
from nemuri.adapters.google_adk import MemoryService


async def main(memory: nemuri.Client) -> None:
    """Learn from a session, and search as the tool `load_memory` does."""
    service = MemoryService("assistant", connection=memory)
    said = types.Content(role="user", parts=[types.Part(text="I row on Tuesdays.")])
    session = Session(id="s1", app_name="app", user_id="ann", events=[Event(author="user", content=said)])
    await service.add_session_to_memory(session)
    found = await service.search_memory(app_name="app", user_id="ann", query="When do I row?")
    print(*(part.text for entry in found.memories for part in entry.content.parts or ()))


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
