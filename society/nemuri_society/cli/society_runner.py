"""Running of a society until it ends or a stop signal arrives, and output of its report."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from nemuri.cli.failures import Failure
from nemuri.cli.session import Session

T = TypeVar("T")

if TYPE_CHECKING:
    import asyncio

    from nemuri_infra.bus.event_log import Log
    from nemuri_infra.runtime.settings import Settings
    from nemuri_society.contracts.society import Society
    from nemuri_society.operations.report import RunReport

    Begin = Callable[[Log, Settings], Awaitable[Society]]
    """Creates or loads the society that is to run."""


def creating(society: "Society", further: Sequence["Society"] = ()) -> "Begin":
    """Return a function that creates this society. It raises `Failure` if its name or that of a further one is taken,
    before anything is created.
    """

    async def begin(log: "Log", settings: "Settings") -> "Society":  # noqa: ARG001
        from nemuri_society.operations.lifecycle import create_society
        from nemuri_society.stores.society_states import societies

        if taken := {one.name for one in further} & {*await societies(log)}:
            raise _taken(f"the society {min(taken)!r} exists already")
        try:
            await create_society(log, society)
        except FileExistsError as error:
            raise _taken(str(error)) from error
        return society

    return begin


def _taken(what: str) -> Failure:
    return Failure(f"{what}; give another --name, or continue it with `nemuri society resume NAME`")


def run_one(
    session: Session, name: str, begin: "Begin", seconds: float | None, limit: int, *, new: bool = False
) -> "RunReport | None":
    """Run the society that `begin` returns until it ends or a stop signal arrives, and return the report of the run.

    Returns None if the signal arrived before the society had begun.
    """
    from nemuri_society.operations import console_output
    from nemuri_society.operations.lifecycle import run_society
    from nemuri_society.operations.nats_server import society_server

    async def lives(stop: "asyncio.Event") -> "RunReport":
        async with society_server(session.settings(), start=True, running=name, new=new) as (settings, log):
            society = await begin(log, settings)
            tell = console_output.progress_printer(society, quiet=session.json)
            return await run_society(log, society, settings, seconds=seconds, limit=limit, stop=stop, on_figures=tell)

    return run_to_its_end(session, lives)


def run_to_its_end(session: Session, work: Callable[["asyncio.Event"], Coroutine[Any, Any, T]]) -> T | None:
    """Run `work` until it ends, and return its result. A stop signal sets the event that `work` gets and does not
    cancel it, so that its processes end in order and its result can still be printed.

    Returns None if the signal arrived before `work` had begun.
    """
    import asyncio

    from nemuri.platform.workers import run_until_stopped

    results = list[T]()

    async def shielded(stop: "asyncio.Event") -> None:
        working = asyncio.ensure_future(work(stop))
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            if not stop.is_set():
                working.cancel()
            await working
        results.append(working.result())

    session.set_up_logging("nemuri-society")
    run_until_stopped(shielded)
    return results[0] if results else None


def show(report: "RunReport | None", *, json: bool) -> None:
    """Print the report of a run, if there is one."""
    from nemuri_society.operations import console_output

    if report is not None:
        console_output.print_report(report, json=json)


def show_summary(reports: Sequence["RunReport"], planned: int, *, json: bool) -> None:
    """Print the summary of repeated runs."""
    from nemuri_society.operations import thinking_output
    from nemuri_society.operations.repeated_runs import summarise

    thinking_output.print_summary(summarise(reports), reports, planned, json=json)
