"""Folding of a batch of the log into the projections. If an event cannot be folded, the events before it are folded."""

from nats.errors import Error as NatsError
from sqlalchemy.exc import ProgrammingError

from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.event_log import Batch
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections.live_projection import LiveProjection
from nemuri_infra.projections.projection import GapError, OtherFoldsError, OutdatedError, Projection, Unprojectable

ENVIRONMENT_ERRORS = (NatsError, GapError, OtherFoldsError, OutdatedError, ProgrammingError, *OUTAGES)
"""Errors that are not caused by an event: a server is unavailable, or the projections are in an unexpected state."""


async def fold(projection: Projection | LiveProjection, batch: Batch, subjects: Subjects) -> int:
    """Fold a batch into the projections and return their new position.

    If an event cannot be folded, all events before it are folded, and then `Unprojectable` is raised. Also raises the
    errors of `Projection.apply`.
    """
    try:
        Unprojectable.check(batch, subjects)
        return await projection.apply(batch)
    except ENVIRONMENT_ERRORS:
        raise
    except Exception as error:
        if len(batch.sequences) > 1:
            return await _fold_halves(projection, batch, subjects)
        if isinstance(error, Unprojectable) or not batch.events:
            raise
        raise _unprojectable(batch.events[0], error) from error


async def _fold_halves(projection: Projection | LiveProjection, batch: Batch, subjects: Subjects) -> int:
    """Fold the two halves of a batch in order. A half that fails is divided again."""
    places = batch.sequences
    first, second = batch.split(places[len(places) // 2 - 1])
    await fold(projection, first, subjects)
    return await fold(projection, second, subjects)


def _unprojectable(event: AnyEvent, error: Exception) -> Unprojectable:
    """Return the error as an `Unprojectable` that names the event."""
    whose = f" of {event.agent_id}" if event.agent_id else ""
    why = f"event {event.sequence}, {event.kind}{whose}, cannot be folded: {log_safe(error)}"
    return Unprojectable(why, event.sequence)
