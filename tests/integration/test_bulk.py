"""Many memories are offered and encoded together. What is refused or fails concerns one memory alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri.client.memory_offers import PORTION, RefusedMemoriesError
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import Embedding
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.strength import MemoryEncoded
from nemuri_infra.embeddings.calibration import Calibration
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    dead_letters,
    effective_events,
    eventually,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
SERVICES = ("projector", "intake", "query-api")


def facts(number: int) -> list[MemoryContent]:
    """Return `number` different memories."""
    return [MemoryContent(content=f"Rule {each} is about truth.") for each in range(number)]


async def test_a_refused_memory_does_not_hold_up_the_others(settings: Settings) -> None:
    """The reason of each refused memory is told by its position. All others are stored, and progress is reported."""
    async with running_services(settings, SERVICES) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        offered = facts(2 * PORTION)
        offered[1] = MemoryContent(content="…")
        offered[-1] = MemoryContent(content="Be kind.", learnings={"kindness": "always"})
        steps = list[tuple[int, int]]()

        with pytest.raises(RefusedMemoriesError, match="2 of 500 memories are refused") as refused:
            await client.remember_all("python", offered, on_progress=lambda done, total: steps.append((done, total)))

        assert refused.value.reasons[1] == "it has no words"
        assert "python has no perspective 'kindness'" in refused.value.reasons[len(offered) - 1]
        ids = [memory_id for memory_id in refused.value.memory_ids if memory_id is not None]
        assert [number for number, each in enumerate(refused.value.memory_ids) if each is None] == [1, 499]
        assert steps[-1] == (len(offered), len(offered))
        assert len(steps) > 1
        events = await effective_events(resources.log)
        assert {event.event_id for event in events if isinstance(event, MemoryEncoded)} == set(ids)
        assert (await client.memory(ids[-1])).memory == offered[-2]
    await assert_verified(settings)


async def test_a_refusal_by_the_platform_has_its_reason(settings: Settings) -> None:
    """If the platform refuses a memory that the client accepted, the client tells the platform's reason."""
    async with running_services(settings, SERVICES) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        offers = [
            MemoryOffered(event_id=uuid4(), client_id="ann", agent_id="python", memory=MemoryContent(content=each))
            for each in ("A list can be empty.", "?!")
        ]
        await append_all(resources.log, offers)
        await client.settle()
        with pytest.raises(Exception, match="python refused 1 of 2 memories: it has no words"):
            await client.until_known("python", [offer.event_id for offer in offers])


@dataclass
class FragileEmbedder:
    """An embedder that fails for texts with the word "poison"."""

    stored: Final = True
    model: Final = "fragile-1"
    dimension: Final = 2
    lexical: Final = False
    symmetric: Final = True
    calibration: Calibration | None = None
    calls: int = 0

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents."""
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return equal vectors. Raises ValueError for a poisoned text."""
        self.calls += 1
        if any("poison" in text for text in texts):
            raise ValueError("a poisoned text")
        return np.ones((len(texts), self.dimension), np.float32)

    async def aclose(self) -> None:
        """Do nothing."""


async def test_a_failing_memory_fails_alone(settings: Settings) -> None:
    """If the vector of one memory cannot be computed, the others of its group are encoded, and it becomes a dead
    letter. The vectors of a group are computed in few calls.
    """
    embedder, number = FragileEmbedder(), 100
    async with open_resources(settings) as found:
        resources = replace(found, vectors=replace(found.vectors, embedder=embedder))
        await resources.log.append(
            agent_defined().model_copy(update={"embedding": Embedding(model=embedder.model, dimension=2)})
        )
        offers = [
            MemoryOffered(event_id=uuid4(), client_id="ann", agent_id="python", memory=fact) for fact in facts(number)
        ]
        await append_all(resources.log, offers)
        async with run_services(resources, SERVICES):
            await until_idle(resources, SERVICES)
            assert embedder.calls < number / 5
            poison = offers[0].model_copy(
                update={"event_id": uuid4(), "memory": MemoryContent(content="This is poison.")}
            )
            others = [offer.model_copy(update={"event_id": uuid4()}) for offer in offers]
            await append_all(resources.log, [*others[:50], poison, *others[50:]])

            async def given_up() -> bool:
                """Return True once the failing memory is a dead letter."""
                return len(await dead_letters(resources.log)) == 1

            await eventually(given_up)
            await until_idle(resources, SERVICES)
            events = await effective_events(resources.log)
            encoded = {event.causation_id for event in events if isinstance(event, MemoryEncoded)}
            assert encoded == {event.event_id for event in (*offers, *others)}
            [letter] = await dead_letters(resources.log)
            assert "a poisoned text" in letter.letter.reason
