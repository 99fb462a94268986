"""Work in the background ends when it is ended, whatever its libraries make of that."""

import asyncio

import pytest

from nemuri_infra.process import cancellation
from nemuri_infra.process.cancellation import cancel_and_wait, run_together


async def test_work_that_forgets_a_cancellation_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `wait_for` forgets one, before Python 3.12, that comes in the moment of what is waited for."""
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 0.01)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(forget_one(forgotten))
    await asyncio.sleep(0)
    await cancel_and_wait(work)
    assert work.cancelled()
    assert len(forgotten) == 1


async def test_what_is_done_together_ends_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """By whoever ends it, and by the failure of any of it, also where one forgets a cancellation."""
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 0.01)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(run_together(forget_one(forgotten), forget_one(forgotten)))
    for _ in range(3):  # until both wait
        await asyncio.sleep(0)
    await cancel_and_wait(work)
    assert work.cancelled()
    assert len(forgotten) == 2

    forgotten.clear()
    with pytest.raises(ZeroDivisionError):
        await run_together(forget_one(forgotten), fail(ZeroDivisionError()))
    assert len(forgotten) == 1
    await run_together()


async def test_who_is_cancelled_while_he_ends_work_still_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left behind that nobody waits for."""
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 60.0)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(forget_one(forgotten))
    await asyncio.sleep(0)
    ending_it = asyncio.ensure_future(cancel_and_wait(work))
    for _ in range(2):  # until the work has forgotten it
        await asyncio.sleep(0)
    ending_it.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending_it
    assert work.cancelled()


async def test_work_may_tidy_up_and_may_have_ended_before() -> None:
    """Nothing of it is interrupted, and how it ended is nobody's business any more."""
    tidied: list[bool] = []

    async def tidy() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.02)
            tidied.append(True)

    failing, tidying = asyncio.ensure_future(fail(ValueError())), asyncio.ensure_future(tidy())
    await asyncio.sleep(0)
    await cancel_and_wait(failing, tidying)
    assert tidied == [True]
    assert failing.done()


async def forget_one(forgotten: list[BaseException]) -> None:
    """Go on for ever, and take no notice of the first cancellation."""
    first = True
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            if not first:
                raise
            first = False
            forgotten.append(error)


async def fail(error: Exception) -> None:
    """Raise it."""
    raise error
