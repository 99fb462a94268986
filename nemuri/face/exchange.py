"""How the client talks: events onto the log, questions over the bus, and what comes back for each."""

import asyncio
from dataclasses import dataclass
from typing import Any, TypeVar

from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from opentelemetry.trace import SpanKind
from pydantic import BaseModel, ValidationError

from nemuri.contracts.event import ClientEvent
from nemuri.contracts.log import complaint
from nemuri.contracts.queries import Query, Refusal
from nemuri.infra.log import Log
from nemuri.infra.observation.tracing import span

T = TypeVar("T", bound=BaseModel)
RETURN_ATTEMPTS = 10
RETURN_PAUSE = 0.3
"""Seconds between two attempts to reach a service while none is there."""
SHORTEST = 0.1
"""Seconds that an attempt has at least."""


class ClientError(Exception):
    """What was asked cannot be done; the text says why in one line."""


class PassingError(ClientError):
    """There is no answer for now; the same question may well have one a little later."""


def checked(kind: type[T], **fields: Any) -> T:
    """The model made of the fields; raises `ClientError`."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ClientError(complaint(error)) from error


@dataclass(slots=True)
class Exchange:
    """One client's side of the bus; it reads what it wrote."""

    log: Log
    client_id: str
    seen: int = 0
    """The newest place in the log that this client knows of."""

    async def say(self, event: ClientEvent) -> None:
        """Append an event in the client's name; returns once it is on disk."""
        with span(event.kind, kind=SpanKind.PRODUCER, client=self.client_id):
            sequence = await self.log.append(event.model_copy(update={"client_id": self.client_id}))
        self.seen = max(self.seen, sequence)

    async def ask(self, kind: type[Query], answer: type[T], **fields: Any) -> T:
        """The answer to a question, from views that know all that this client said.

        Raises `ClientError`, and `PassingError` where only the platform has no answer for now.
        """
        query = checked(kind, **({"after": self.seen} | fields))
        try:
            reply = await self._request(self.log.subjects.query(query.topic), query)
        except NoRespondersError as error:
            raise PassingError(f"no service answers questions about {query.topic}; is the platform running?") from error
        except TimeoutError as error:
            raise PassingError(
                f"the platform did not answer within {query.patience:g} s; see `nemuri status`"
            ) from error
        return _read(reply.data, answer)

    async def _request(self, subject: str, query: Query) -> Msg:
        """Services that were cut off from a restarted server get some seconds to come back.

        Where our own connection is lost meanwhile, the question is put again over the next one.
        """
        data, loop = query.model_dump_json().encode(), asyncio.get_running_loop()
        end, absences = loop.time() + query.patience, 0
        while True:
            try:
                return await self.log.connection.request(subject, data, timeout=max(SHORTEST, end - loop.time()))
            except NoRespondersError:
                absences += 1
                if absences > RETURN_ATTEMPTS:
                    raise
                await asyncio.sleep(RETURN_PAUSE)
            except TimeoutError:
                if loop.time() >= end:
                    raise


def _read(data: bytes, kind: type[T]) -> T:
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        refusal = Refusal.model_validate_json(data)
        raise (PassingError if refusal.passing else ClientError)(refusal.refused) from None
