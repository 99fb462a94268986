"""Work in the background ends when it is ended, whatever its libraries make of that."""

import asyncio

import pytest

from nemuri.infra import ending
from nemuri.infra.ending import end


async def test_work_that_forgets_a_cancellation_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `wait_for` forgets one, before Python 3.12, that comes in the moment of what is waited for."""
    monkeypatch.setattr(ending, "AGAIN", 0.01)
    forgotten: list[BaseException] = []

    async def forget_once() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError as error:
                if forgotten:
                    raise
                forgotten.append(error)

    work = asyncio.ensure_future(forget_once())
    await asyncio.sleep(0)
    await end(work)
    assert work.cancelled()
    assert len(forgotten) == 1


async def test_work_may_tidy_up_and_may_have_ended_before() -> None:
    """Nothing of it is interrupted, and how it ended is nobody's business any more."""
    tidied: list[bool] = []

    async def tidy() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.02)
            tidied.append(True)

    async def fail() -> None:
        raise ValueError

    failing, tidying = asyncio.ensure_future(fail()), asyncio.ensure_future(tidy())
    await asyncio.sleep(0)
    await end(failing, tidying)
    assert tidied == [True]
    assert failing.done()
