"""Background work ends when it is cancelled, even if a library swallows the cancellation."""

import asyncio

import pytest

from nemuri_infra.process import cancellation
from nemuri_infra.process.cancellation import cancel_and_wait, run_together


async def test_a_swallowed_cancellation_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation that the work swallows is repeated. Before Python 3.12 `wait_for` swallows one that arrives with
    its result.
    """
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 0.01)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(forget_one(forgotten))
    await asyncio.sleep(0)
    await cancel_and_wait(work)
    assert work.cancelled()
    assert len(forgotten) == 1


async def test_a_group_of_tasks_ends_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks end on cancellation and on the failure of one, even if one swallows the cancellation."""
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 0.01)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(run_together(forget_one(forgotten), forget_one(forgotten)))
    for _ in range(3):  # Give both tasks time to begin waiting.
        await asyncio.sleep(0)
    await cancel_and_wait(work)
    assert work.cancelled()
    assert len(forgotten) == 2

    forgotten.clear()
    with pytest.raises(ZeroDivisionError):
        await run_together(forget_one(forgotten), fail(ZeroDivisionError()))
    assert len(forgotten) == 1
    await run_together()


async def test_a_cancelled_canceller_still_ends_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the task that cancels the work is itself cancelled, the work ends nevertheless."""
    monkeypatch.setattr(cancellation, "REPEAT_SECONDS", 60.0)
    forgotten: list[BaseException] = []
    work = asyncio.ensure_future(forget_one(forgotten))
    await asyncio.sleep(0)
    ending_it = asyncio.ensure_future(cancel_and_wait(work))
    for _ in range(2):  # Give the work time to swallow the cancellation.
        await asyncio.sleep(0)
    ending_it.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending_it
    assert work.cancelled()


async def test_cancelled_work_may_clean_up() -> None:
    """The clean-up of cancelled work is not interrupted. Errors of work that has already ended are ignored."""
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
    """Wait forever. The first cancellation is swallowed and appended to `forgotten`."""
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
    """Raise the error."""
    raise error
