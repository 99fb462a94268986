"""The memory block for LlamaIndex."""

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from nemuri.client.client import Client
from nemuri.platform.in_memory import InMemoryPlatform

memory = pytest.importorskip("llama_index.core.memory", reason="the extra llama-index is not installed")
from llama_index.core.base.llms.types import ChatMessage  # noqa: E402

from nemuri.adapters.llama_index import NemuriMemoryBlock  # noqa: E402


async def test_a_block_recalls_and_learns_what_leaves_the_history(platform: InMemoryPlatform, client: Client) -> None:
    """Put what fits the last message into the history, and learn from the messages that no longer fit it."""
    await client.remember("assistant", "Ann is allergic to peanuts.", person="Ann")
    block = NemuriMemoryBlock(agent="assistant", person="Ann", connection=client)
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    limits = {"token_limit": 60, "token_flush_size": 20, "tokenizer_fn": str.split}
    history = memory.Memory.from_defaults(session_id="chat", memory_blocks=[block], async_engine=engine, **limits)
    for number in range(8):
        await history.aput(ChatMessage(role="user", content=f"In year {number} I lived on island number {number}."))
        await history.aput(ChatMessage(role="assistant", content="That sounds like a very quiet place to live in."))
    await history.aput(ChatMessage(role="user", content="Am I allergic to peanuts?"))
    shown = str([message.content for message in await history.aget()])
    assert "Ann is allergic to peanuts." in shown
    await engine.dispose()
    await platform.services.settle()
    learned = [memory.memory.content for memory in await client.memories("assistant", source="conversation")]
    assert "In year 0 I lived on island number 0." in learned
    assert not any("allergic" in content for content in learned)
