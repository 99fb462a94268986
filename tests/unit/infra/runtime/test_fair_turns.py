"""Tests of fair slots. A slot lets one event be handled; waiting events of one client never delay those of others."""

import asyncio
from collections.abc import Callable
from time import monotonic

import pytest

from nemuri_infra.runtime import fair_turns as module
from nemuri_infra.runtime.fair_turns import FORGET_SECONDS, MAX_PUT_OFF, CrowdedError, FairSlots, slot_released


class Desk:
    """Pieces of work of several clients. Each one runs until the test releases it."""

    def __init__(self, turns: FairSlots) -> None:
        self.turns = turns
        self.begun: list[str] = []
        self.ends: list[asyncio.Event] = []

    def work(self, name: str) -> "asyncio.Task[None]":
        """Start one piece of work of the client `name`, and return its task."""
        end = asyncio.Event()
        self.ends.append(end)

        async def do() -> None:
            async with self.turns.turn(name):
                self.begun.append(name)
                await end.wait()

        return asyncio.ensure_future(do())


async def _settled() -> None:
    """Wait until all tasks that can run have run."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_one_party_leaves_slots_to_others() -> None:
    """However much work of one client waits, another client's work begins at once or in the next free slot."""
    desk = Desk(FairSlots(5, share=4, max_queue=50))
    many = [desk.work("mallory") for _ in range(20)]
    await _settled()
    ann = [desk.work("ann") for _ in range(2)]
    await _settled()
    assert desk.begun == ["mallory"] * 4 + ["ann"]

    desk.ends[0].set()
    await _settled()
    assert desk.begun[5:] == ["ann"]

    for end in desk.ends:
        end.set()
    await asyncio.gather(*many, *ann)
    assert desk.begun.count("mallory") == 20
    assert desk.turns.running == 0


async def test_events_behind_a_slow_queue_are_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """New events of a client whose queue is slow are delayed, each a little longer than the one before. Events in the
    queue stay there.
    """
    now = _clock(monkeypatch)
    desk = Desk(FairSlots(5, share=4, max_queue=6))
    first = [desk.work("mallory") for _ in range(10)]
    await _settled()
    now(2.0)
    delays = []
    for _ in range(3):
        with pytest.raises(CrowdedError) as sent_away:
            await desk.work("mallory")
        delays.append(sent_away.value.delay)
    assert delays == sorted(set(delays))
    assert 1.0 <= delays[0] < delays[-1] <= 30.0

    for end in desk.ends:
        end.set()
    await asyncio.gather(*first)
    assert desk.begun == ["mallory"] * 10


async def test_a_fast_queue_may_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event is delayed while a client's queue is done at a hundred events a second."""
    turns, now = FairSlots(5, share=4, max_queue=6), [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])

    async def quick() -> None:
        async with turns.turn("ann"):
            await asyncio.sleep(0)
            now[0] += 0.01

    await asyncio.gather(*(quick() for _ in range(500)))

    assert turns.running == 0


async def test_a_failing_party_gets_a_limited_number_of_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client whose events fail may only repeat its delayed events. Each success admits one more event.

    Other clients are not limited.
    """
    now = _clock(monkeypatch)
    turns = FairSlots(5, share=4, max_queue=6)
    for sequence in range(2 * MAX_PUT_OFF):
        turns.put_off("mallory", sequence, 3.0)

    turns.admit("mallory", 0)
    turns.admit("ann", 9_999)
    with pytest.raises(CrowdedError) as sent_away:
        turns.admit("mallory", 9_999)
    assert sent_away.value.delay == 3.0
    turns.forget_event("mallory", 0)
    turns.admit("mallory", 9_999)

    turns.put_off("mallory", 9_999, 3.0)
    now(3.0 + 1.1 * FORGET_SECONDS)  # By then another worker may have handled the delayed events.
    turns.admit("mallory", 1_000_000)


async def test_a_slot_is_released_while_its_work_waits() -> None:
    """While work waits, other work can use its slot. Afterwards the work continues in the next free slot."""
    turns, told = FairSlots(1, share=1, max_queue=5), []

    async def patient(let_go: asyncio.Event) -> None:
        async with turns.turn("ann"):
            async with slot_released():
                told.append("waits")
                await let_go.wait()
            told.append("goes on")
            assert turns.running == 1

    let_go = asyncio.Event()
    waiting = asyncio.ensure_future(patient(let_go))
    await _settled()
    async with turns.turn("ben"):
        told.append("ben")
        let_go.set()
        await _settled()
    await waiting
    assert told == ["waits", "ben", "goes on"]
    assert turns.running == 0


async def test_a_cancelled_party_holds_no_slot() -> None:
    """Cancelling work that is queued, running or waiting frees its slot."""
    turns = FairSlots(1, share=1, max_queue=5)
    desk = Desk(turns)
    first, second = desk.work("ann"), desk.work("ben")
    await _settled()
    second.cancel()
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert turns.running == 0

    async def lending() -> None:
        async with turns.turn("ann"), slot_released():
            await asyncio.Event().wait()

    lent = asyncio.ensure_future(lending())
    await _settled()
    holder = desk.work("ben")
    await _settled()
    lent.cancel()
    await _settled()
    lent.cancel()
    await asyncio.gather(lent, return_exceptions=True)
    desk.ends[-1].set()
    await holder
    assert turns.running == 0


async def test_closing_puts_off_all_queued_events_at_once() -> None:
    """Closing delays all queued events at once. Running work may finish."""
    desk = Desk(FairSlots(1, share=1, max_queue=5))
    at_work, in_line = desk.work("ann"), desk.work("ann")
    await _settled()
    desk.turns.close()
    with pytest.raises(CrowdedError):
        await in_line
    with pytest.raises(CrowdedError):
        await desk.work("ben")
    desk.ends[0].set()
    await at_work
    assert desk.begun == ["ann"]


def _clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Replace the clock, and return a function that sets its time."""
    later = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: monotonic() + later[0])

    def pass_by(seconds: float) -> None:
        later[0] += seconds

    return pass_by
