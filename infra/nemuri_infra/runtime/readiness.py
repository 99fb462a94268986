"""Liveness and readiness of a process. The servers are checked at most once a second."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog
from nats.errors import Error as NatsError
from nats.js.api import ConsumerInfo
from nats.js.errors import NotFoundError
from sqlalchemy.exc import DBAPIError

from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections.projection import FOLD, OtherFoldsError, Position
from nemuri_infra.runtime.consumer_pauses import UNFINISHED, is_paused_for_import
from nemuri_infra.runtime.provisioning import TIMER_SERVICES
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.runtime.storage_limits import StreamUsage, nearly_full, stream_usage, used_shares, warnings

CACHE_SECONDS = 1.0
"""Seconds for which a report is reused."""
TIMEOUT_SECONDS = 3.0
"""Maximum number of seconds that a check may take."""
CHECK_SECONDS = 10.0
"""Seconds between two checks of `Readiness.run`."""

PROJECTOR = "projector"
"""Name of the service that writes the projections."""

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """The readiness of a process."""

    problems: tuple[str, ...]
    """Reasons why the process is not ready, one line each; empty if it is ready."""
    lag: dict[str, tuple[int, int]]
    """Number of pending events and number of unacknowledged events, by service."""
    projection_lag: int | None = None
    """Number of events that the projections do not contain yet; None if it is not known."""
    dead_letters: int | None = None
    fill_levels: Mapping[str, float] = field(default_factory=dict)
    """Used share of each stream that has a limit, 0 to 1. The keys are the streams' contents (`log`, `inputs`, …)."""
    missing_copies: Mapping[str, int] = field(default_factory=dict)
    """Number of copies of each stream that are offline or not up to date."""
    oldest: Mapping[str, float] = field(default_factory=dict)
    """Seconds that the oldest event of each consumer has been pending or in work."""

    @property
    def ready(self) -> bool:
        """Return whether the process can do its work."""
        return not self.problems


@dataclass(slots=True)
class OldestEvents:
    """The ages of consumers' oldest events, as this process has seen them."""

    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)

    def age(self, consumer: str, waiting: int, completed: int, now: float) -> float:
        """Return the seconds since the process first saw the consumer's oldest event; 0 if no event is waiting.

        `waiting` is the number of events that are pending or in work, `completed` the last sequence before all of them.
        """
        if not waiting:
            self._seen.pop(consumer, None)
            return 0.0
        before, since = self._seen.get(consumer, (None, now))
        if before != completed:
            since = now
        self._seen[consumer] = (completed, since)
        return now - since


@dataclass(slots=True)
class _Findings:
    """Findings of the checks of one report, beside problems."""

    lag: dict[str, tuple[int, int]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    usage: dict[str, StreamUsage] = field(default_factory=dict)
    oldest: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Readiness:
    """The readiness checks of the services of this process."""

    resources: Resources
    services: Sequence[Service]
    pings: Mapping[str, Callable[[], Awaitable[bool]]]
    """Checks of the NATS connection, by service."""
    _newest: ReadinessReport = ReadinessReport(("not checked yet",), {})
    _looked: float = float("-inf")
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _oldest: OldestEvents = field(default_factory=OldestEvents)

    def fatal_problems(self) -> dict[str, str]:
        """Return the reasons why the process must be restarted; an empty dict if there is none.

        Each halted service is a key. The key `nats` means that a connection to NATS is closed for good.
        """
        lost = {"nats": "closed for good"} if self.resources.log.lost.is_set() else {}
        return lost | self.resources.halted

    async def report(self) -> ReadinessReport:
        """Return a report that is at most `CACHE_SECONDS` old.

        If the cached report is older, check the servers, cache a new report and update the metrics.
        """
        async with self._lock:
            if (now := _now()) - self._looked >= CACHE_SECONDS:
                self._newest = await self._refresh()
                self._looked = now
                self._show(self._newest)
            return self._newest

    async def run(self) -> None:
        """Check the process every `CHECK_SECONDS` seconds, forever.

        Logs each change of the problems found, and a warning for each stream that becomes nearly full.
        """
        before: tuple[str, ...] = ()
        warned = set[str]()
        while True:
            report = await self.report()
            found = report.problems
            if found and found != before:
                logger.error("not ready", missing=list(found))
            elif before and not found:
                logger.warning("ready again")
            before = found
            filling = nearly_full(report.fill_levels)
            if filling - warned:
                logger.warning("nearly full", warnings=list(warnings(report.fill_levels)))
            warned = filling
            await asyncio.sleep(CHECK_SECONDS)

    async def _refresh(self) -> ReadinessReport:
        seen = _Findings()
        checks: list[Awaitable[str | None]] = [
            _checked("PostgreSQL", partial(self._views, seen)),
            _checked("NATS", partial(self._log, seen)),
            *(_checked(f"NATS for {name}", partial(_pinged, name, ping)) for name, ping in self.pings.items()),
            *(
                _checked(f"the durable {durable}", partial(self._consumer, service.name, stream, durable, seen))
                for service in self.services
                for stream, durable in self._consumers(service)
            ),
        ]
        found = await asyncio.gather(*checks)
        others = {name: why for name, why in self.resources.obstacles.items() if name != PROJECTOR}
        halted = (f"{name} halted: {why}" for name, why in (self.fatal_problems() | others).items())
        last, projected = seen.numbers.get("last"), seen.numbers.get("projected")
        behind = None
        if last is not None and projected is not None:
            behind = max(0, last - projected)
            seen.oldest[PROJECTOR] = self._oldest.age(PROJECTOR, behind, projected, _now())
        return ReadinessReport(
            tuple(check for check in (*halted, *found) if check),
            seen.lag,
            behind,
            seen.numbers.get("dead"),
            used_shares(seen.usage),
            {what: usage.missing_copies for what, usage in seen.usage.items()},
            seen.oldest,
        )

    def _consumers(self, service: Service) -> Iterable[tuple[str, str]]:
        subjects = self.resources.log.subjects
        timers = [(subjects.timers_stream, service.name)] if service.name in TIMER_SERVICES else []
        durable = service.durable(subjects)
        return [*([(subjects.stream, durable.name)] if durable else []), *timers]

    async def _consumer(self, service: str, stream: str, durable: str, seen: _Findings) -> str | None:
        try:
            info: ConsumerInfo = await self.resources.log.stream.consumer_info(stream, durable)
        except NotFoundError:
            return f"the durable {durable} of {stream} does not exist; {provision_advice(self.resources.settings)}"
        pending, in_work = info.num_pending or 0, info.num_ack_pending or 0
        others = seen.lag.get(service, (0, 0))
        seen.lag[service] = (others[0] + pending, others[1] + in_work)
        if stream == self.resources.log.subjects.stream and info.ack_floor is not None:  # Timers wait for their time.
            completed = info.ack_floor.stream_seq
            seen.oldest[service] = self._oldest.age(service, pending + in_work, completed, _now())
        if is_paused_for_import(info):
            return f"the durable {durable} is paused: an import or a restore {UNFINISHED}"
        if info.paused:
            return f"the durable {durable} is paused: an erasure is running, or was killed less than a minute ago"
        return None

    async def _views(self, seen: _Findings) -> str | None:
        position = await self.resources.projection.position()
        seen.numbers["projected"] = position.sequence
        reason = halted_reason(position, self.resources)
        return f"the projections are halted: {reason}" if reason and position.fold == FOLD else reason

    async def _log(self, seen: _Findings) -> None:
        log = self.resources.log
        seen.numbers["last"] = await log.last_sequence()
        seen.numbers["dead"] = int((await log.stream.stream_info(log.subjects.dead_stream)).state.messages)
        seen.usage = await stream_usage(log)

    def _show(self, report: ReadinessReport) -> None:
        metrics = self.resources.metrics
        metrics.ready.set(report.ready)
        for name, (pending, in_work) in report.lag.items():
            metrics.pending.labels(name).set(pending)
            metrics.unacknowledged.labels(name).set(in_work)
        for stream, share in report.fill_levels.items():
            metrics.storage.labels(stream).set(share)
        for stream, missing in report.missing_copies.items():
            metrics.missing_copies.labels(stream).set(missing)
        for name, seconds in report.oldest.items():
            metrics.oldest.labels(name).set(seconds)
        for gauge, number in ((metrics.behind, report.projection_lag), (metrics.dead, report.dead_letters)):
            if number is not None:
                gauge.set(number)


def provision_advice(settings: Settings) -> str:
    """Return advice on how to create what is missing on a server. It depends on the setting `provision`."""
    if settings.provision:
        return "start any worker or `nemuri up` to create it"
    return "run `python -m nemuri.cli.provision` as the provisioner to create it"


def _now() -> float:
    """Return the time of the event loop in seconds."""
    return asyncio.get_running_loop().time()


def halted_reason(position: Position, resources: Resources) -> str | None:
    """Return the reason why the projections do not advance; None if they do.

    A projector in this process is asked too, because the database may not have taken its reason.
    """
    if position.fold != FOLD:
        return position.halted or str(OtherFoldsError(position.fold))
    return position.halted or resources.obstacles.get(PROJECTOR)


async def _checked(what: str, check: Callable[[], Awaitable[str | None]]) -> str | None:
    """Run a check and return its problem, if any.

    If the server does not answer in time or cannot be checked, return a line about the error.
    """
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await check()
    except (NatsError, *OUTAGES) as error:
        return f"{what} does not answer: {log_safe(error)}"
    except DBAPIError as error:  # the database has no projections, or those of another version
        return f"{what} cannot be checked: {log_safe(error)}"


async def _pinged(name: str, ping: Callable[[], Awaitable[bool]]) -> str | None:
    return None if await ping() else f"{name} is not connected to NATS"
