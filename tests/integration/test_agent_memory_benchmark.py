"""The provider for `vectorize-io/agent-memory-benchmark` on a platform that runs."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from nemuri.client.sync import SyncClient
from nemuri.evaluation.agent_memory_benchmark import provider_class
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client, running_services
from tests.unit.client.evaluation.memory_bench import Document, MemoryProvider, installed

pytestmark = pytest.mark.connected


async def test_each_user_has_a_memory_of_its_own(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents are handed over once, and a query finds those of its user and of its run alone."""
    installed(monkeypatch)
    loop = asyncio.get_running_loop()

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async with running_services(settings), connected_client(settings) as client:
        memory: Any = provider_class()(client=SyncClient(client, run))
        assert isinstance(memory, MemoryProvider)
        await asyncio.to_thread(_two_runs, memory, tmp_path)


def _two_runs(memory: Any, folder: Path) -> None:
    documents = [
        Document("d1", "My greyhound is called Pixel.", "ann", timestamp="2023-05-08T13:56:00+00:00"),
        Document("d2", "My greyhound is called Rusty.", "an n"),
    ]
    memory.prepare(folder / "one", {"ann", "an n"})
    for _ in range(2):
        memory.ingest(documents)
    found, raw = memory.retrieve("What is my greyhound called?", user_id="ann")
    assert [one.content for one in found] == ["user 8 May 2023 1:56 pm: My greyhound is called Pixel."]
    assert (raw, found[0].user_id) == (None, "ann")
    answer, quoted, _ = memory.direct_answer("What is my greyhound called?", user_id="ann")
    assert "Pixel" in answer
    assert "Pixel" in quoted
    memory.prepare(folder / "another")
    memory.ingest([Document("d3", "I have no pets.", "ann")])
    found, _ = memory.retrieve("What is my greyhound called?", user_id="ann")
    assert not any("Pixel" in one.content for one in found)
