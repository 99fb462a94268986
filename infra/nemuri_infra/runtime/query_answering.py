"""Answering of queries by a service: waiting for the projections, slots of clients, refusals, the size of replies."""

from dataclasses import dataclass, field

import structlog
from pydantic import ValidationError

from nemuri_contracts.codec import UndecodableError, validation_message
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.queries import Answer, Command, Query, Refusal, RetryEvent
from nemuri_infra.errors.log_safe import first_line
from nemuri_infra.errors.not_in_memory import NotInMemoryError
from nemuri_infra.runtime.consumer_pauses import check_complete
from nemuri_infra.runtime.event_processor import EventProcessor
from nemuri_infra.runtime.fair_turns import CrowdedError, FairSlots
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Performed, Service

MAX_WAITING_QUERIES = 64
"""Maximum number of one client's queries in one worker that wait for the projections.

Further ones are refused; the client may repeat them later.
"""

SOON_SECONDS = 0.25
"""Seconds that a query waits for the projections before the end of the log is asked for."""

logger = structlog.get_logger()


def _waiters() -> FairSlots:
    return FairSlots(16 * MAX_WAITING_QUERIES, share=MAX_WAITING_QUERIES, max_queue=0, patient=False)


@dataclass(slots=True)
class QueryAnswering:
    """Answers the queries of a service with its query handlers."""

    events: EventProcessor
    """Handles an event once more when an operator asks for it."""
    _waiters: FairSlots = field(default_factory=_waiters)
    """Slots of the queries that wait for the projections. They are separate, so waiting queries do not block the
    others.
    """

    @property
    def service(self) -> Service:
        """Return the service whose queries are answered."""
        return self.events.service

    @property
    def resources(self) -> Resources:
        """Return the resources of the service."""
        return self.events.resources

    async def _retry(self, query: RetryEvent) -> RetriedView | Refusal:
        """Handle an event of the log once more, although it is not being delivered.

        Events that the handler appended before get the same ids again, so they are not duplicated.
        """
        try:
            event = await self.resources.log.at(query.sequence)
        except UndecodableError as error:
            return Refusal(refused=f"message {query.sequence} is not an event: {error}")
        if event is None or type(event) not in self.service.handlers:
            return Refusal(refused=f"{self.service.name} has no handler for message {query.sequence}")
        if await self.events.is_due(event, again=True):
            await self.events.handle(event)
        return RetriedView(kind=event.kind, sequence=query.sequence)

    async def answer(self, kind: type[Query], data: bytes, turns: FairSlots | None = None, asker: str = "") -> bytes:
        """Return the answer to a query as JSON, or a refusal with its reason. Errors become refusals too.

        First the query waits until the projections contain everything up to its `after`. Then it waits for one of the
        slots of `asker`, in `turns`.
        """
        with self.resources.metrics.question_seconds.labels(self.service.name, kind.name).time():
            reply, outcome = await self._answer(kind, data, turns or FairSlots(1, share=1, max_queue=0), asker)
        self.resources.metrics.answered.labels(self.service.name, kind.name, outcome).inc()
        return self._fitting(kind, reply.model_dump_json().encode())

    async def _answer(
        self, kind: type[Query], data: bytes, turns: FairSlots, asker: str
    ) -> tuple[Answer | Refusal, str]:
        try:
            query = kind.model_validate_json(data)
            if (refusal := await self._behind(query, asker)) is not None:
                return refusal, "refused"
            async with turns.turn(asker):
                answer = await self._handle(query)
        except ValidationError as error:
            return Refusal(refused=validation_message(error)), "refused"
        except CrowdedError:
            return Refusal(refused="try again later: too many concurrent questions", passing=True), "refused"
        except NotInMemoryError as error:
            return Refusal(refused=str(error)), "refused"
        except OUTAGE_ERRORS as error:
            return Refusal(refused=f"try again later: {first_line(error)}", passing=True), "failed"
        except Exception as error:
            logger.exception("no answer", service=self.service.name, query=kind.name)
            return Refusal(refused=f"{self.service.name} failed: {first_line(error)}"), "failed"
        return answer, "refused" if isinstance(answer, Refusal) else "answered"

    async def _handle(self, query: Query) -> Answer | Refusal:
        """Return the handler's answer, after the events of a command have been appended.

        Raises an outage error for a command while the log is incomplete.
        """
        if isinstance(query, Command):
            await check_complete(self.resources.log, self.service.name)
        if isinstance(query, RetryEvent):
            return await self._retry(query)
        done = await self.service.query_handlers[type(query)](query, self.resources)
        if not isinstance(done, Performed):
            return done
        for event in done.events:
            await self.resources.log.append(event)
        return done.answer

    async def _behind(self, query: Query, asker: str) -> Refusal | None:
        """Wait until the projections contain everything up to the query's `after`.

        Returns a refusal if the log ends before `after`, otherwise None.
        """
        progress = self.resources.views.progress
        if query.after <= progress.sequence:
            return None
        async with self._waiters.turn(asker):
            if not await progress.wait_beyond(query.after - 1, seconds=SOON_SECONDS):
                end = await self.resources.log.last_sequence()
                if query.after > end:
                    return Refusal(refused=f"after is {query.after}, but the log ends at {end}")
                await progress.wait(query.after)
        return None

    def _fitting(self, kind: type[Query], reply: bytes) -> bytes:
        """Return the reply, or a refusal if the reply exceeds the server's limit.

        For a message above the limit, the server would close the connection without an error.
        """
        room = self.resources.log.max_event_bytes
        if len(reply) <= room:
            return reply
        logger.error("no answer", service=self.service.name, query=kind.name, bytes=len(reply), room=room)
        refusal = Refusal(refused=f"the answer of {len(reply)} bytes exceeds the limit of {room}; request less")
        return refusal.model_dump_json().encode()
