"""The foreground processes of a society: society host, society world."""

import os
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import typer

from nemuri.cli.platform_commands import HttpOption, with_http
from nemuri.cli.session import Session
from nemuri_infra.process.resource_limits import ONE_THREAD
from nemuri_society.cli.society_options import LimitOption, NameArgument, ParentOption

if TYPE_CHECKING:
    import asyncio

    from nemuri_infra.bus.event_log import Log
    from nemuri_infra.runtime.settings import Settings


def host(
    context: typer.Context,
    name: NameArgument,
    limit: LimitOption = 500,
    http: HttpOption = None,
    parent: ParentOption = None,
) -> None:
    """Run a host for agents of a society in this process, beside other hosts on the same bus."""
    os.environ.update(ONE_THREAD)
    session = Session.of(context)
    models = session.settings().model_settings()

    async def work(settings: "Settings", log: "Log") -> None:
        from nemuri_society.observability.host_metrics import HostCollector, process_registry
        from nemuri_society.operations.metrics_endpoint import SocietyProbes, serve_probes
        from nemuri_society.simulation.bootstrap import build_host

        here, registry = await build_host(log, name, models, limit), process_registry()
        registry.register(HostCollector(here.vitals))
        async with serve_probes(settings.http, SocietyProbes(name, "host", log, here.missing, registry)) as url:
            _say(f"host {here.name}", url)
            await here.run()

    _serve(session, f"host-{name}", work, http, parent)


def world(context: typer.Context, name: NameArgument, http: HttpOption = None, parent: ParentOption = None) -> None:
    """Run the world of a society in this process. A second world process waits until this one ends."""

    async def work(settings: "Settings", log: "Log") -> None:
        import asyncio

        from nemuri_society.observability.host_metrics import process_registry
        from nemuri_society.observability.world_metrics import WorldMetrics
        from nemuri_society.operations.metrics_endpoint import SocietyProbes, serve_probes
        from nemuri_society.simulation.bootstrap import run_world

        kept, registry = asyncio.Event(), process_registry()

        def missing() -> tuple[str, ...]:
            return () if kept.is_set() else ("another process still runs the world",)

        async with serve_probes(settings.http, SocietyProbes(name, "world", log, missing, registry)) as url:
            _say("the world", url)
            await run_world(log, name, WorldMetrics(registry), kept, settings)

    _serve(Session.of(context), f"world-{name}", work, http, parent)


def _say(who: str, url: str | None) -> None:
    if url is not None:
        typer.echo(f"{who} serves health and metrics at {url}")


def _serve(session: Session, process: str, work: Any, http: str | None, parent: int | None) -> None:
    """Run one process of a society until it receives a stop signal, its parent ends, or the connection to the log is
    lost.
    """
    from nemuri.platform.workers import SHUTDOWN_SECONDS, end_when_orphaned, run_until_stopped
    from nemuri_infra.process.gc_tuning import skip_final_collection
    from nemuri_society.operations.nats_server import society_server

    settings = with_http(session.settings(), http)

    async def main(stop: "asyncio.Event") -> None:
        async with society_server(settings, start=False) as (there, log):
            ends = stop.wait() if parent is None else end_when_orphaned(parent, stop)
            await _until(work(there, log), ends, log.lost.wait())

    session.set_up_logging(f"nemuri-{process}")
    try:
        run_until_stopped(main, within=SHUTDOWN_SECONDS)
    finally:
        skip_final_collection()


async def _until(work: Coroutine[Any, Any, None], *ends: Coroutine[Any, Any, object]) -> None:
    """Run `work` until it ends or one of `ends` completes, and cancel the others. Exceptions of `work` are raised."""
    import asyncio

    from nemuri_infra.process.cancellation import cancel_and_wait

    working, *others = (asyncio.ensure_future(task) for task in (work, *ends))
    try:
        await asyncio.wait((working, *others), return_when=asyncio.FIRST_COMPLETED)
    finally:
        done = working.done()
        await cancel_and_wait(working, *others)
    if done:
        working.result()
