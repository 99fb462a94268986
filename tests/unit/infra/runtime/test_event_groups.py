"""Tests of event groups: the events of a client that wait are handled together, and a failing one fails alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.event import Event
from nemuri_infra.runtime.event_groups import MAX_GROUP, MAX_WAITING, EventGroups
from nemuri_infra.runtime.fair_turns import CrowdedError


def offered(content: str = "Salt the water.") -> MemoryOffered:
    """Return an offered memory."""
    return MemoryOffered(event_id=uuid4(), agent_id="cook", memory=MemoryContent(content=content))


@dataclass
class Clerk:
    """A handler of groups that returns the contents. It waits while it is closed, and raises for the content "bad"."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    groups: list[list[str]] = field(default_factory=list)

    async def handle(self, events: Sequence[Event]) -> Sequence[str]:
        """Return the contents of the offered memories."""
        contents = [event.memory.content for event in events if isinstance(event, MemoryOffered)]
        self.groups.append(contents)
        await self.open.wait()
        if "bad" in contents:
            raise ValueError("bad")
        return contents


async def settled() -> None:
    """Wait until all tasks that can run have run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_events_that_wait_are_handled_together() -> None:
    """The first event is handled at once. Those that come meanwhile form the next group, and each gets its outcome."""
    clerk = Clerk()
    groups = EventGroups(clerk.handle)
    contents = [f"fact {number}" for number in range(5)]
    work = [asyncio.ensure_future(groups.outcome(offered(content), "ann")) for content in contents[:1]]
    await settled()
    work += [asyncio.ensure_future(groups.outcome(offered(content), "ann")) for content in contents[1:]]
    await settled()
    clerk.open.set()

    assert await asyncio.gather(*work) == contents
    assert clerk.groups == [contents[:1], contents[1:]]


async def test_a_failing_event_fails_alone() -> None:
    """If a group fails, its events are handled alone. Only the failing one raises its error."""
    clerk = Clerk()
    clerk.open.set()
    groups = EventGroups(clerk.handle)
    contents = ["good", "bad", "better"]

    found = await asyncio.gather(
        *(groups.outcome(offered(content), "ann") for content in contents), return_exceptions=True
    )

    assert [found[0], found[2]] == ["good", "better"]
    assert isinstance(found[1], ValueError)


async def test_clients_do_not_wait_for_each_other() -> None:
    """The group of one client is handled while that of another client is in work."""
    clerk = Clerk()
    groups = EventGroups(clerk.handle)
    work = [asyncio.ensure_future(groups.outcome(offered(each), each)) for each in ("ann", "bob")]
    await settled()
    assert clerk.groups == [["ann"], ["bob"]]
    clerk.open.set()
    await asyncio.gather(*work)


async def test_groups_and_waiting_events_are_bounded() -> None:
    """A group has at most `MAX_GROUP` events. Beyond `MAX_WAITING` waiting events of a client, an event is refused."""
    clerk = Clerk()
    groups = EventGroups(clerk.handle)
    first = asyncio.ensure_future(groups.outcome(offered(), "ann"))
    await settled()
    work = [asyncio.ensure_future(groups.outcome(offered(), "ann")) for _ in range(MAX_WAITING)]
    await settled()
    with pytest.raises(CrowdedError):
        await groups.outcome(offered(), "ann")
    clerk.open.set()
    await asyncio.gather(first, *work)
    assert max(map(len, clerk.groups)) == MAX_GROUP
