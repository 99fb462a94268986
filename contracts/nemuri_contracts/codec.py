"""Registry of all events, and their encoding on the wire."""

import json
from datetime import datetime
from hashlib import sha256
from textwrap import shorten
from typing import Annotated, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from nemuri_contracts import (
    affective,
    agents,
    clarifications,
    client_events,
    colleagues,
    conversations,
    education,
    erasure,
    log_archiving,
    parked_events,
    principles,
    rebuttals,
    scorers,
    steps,
    strength,
    tasks,
    tiered,
)
from nemuri_contracts.error_messages import plain
from nemuri_contracts.event import DERIVED, TUTOR, ClientEvent, Event, Identifier
from nemuri_contracts.upcasts import upcast

AnyClientEvent = (
    client_events.TaskSubmitted
    | client_events.NegotiationAnswered
    | clarifications.ClarificationAnswered
    | client_events.FeedbackGiven
    | client_events.MemoryOffered
    | client_events.MemoryChangeRequested
    | conversations.TurnsSaid
    | colleagues.HandoverRequested
    | principles.PrincipleDecisionGiven
    | affective.TurnOffered
    | affective.TurnTakenBack
    | tiered.ExperienceOffered
)
AnyTaskEvent = (
    tasks.TaskChunked
    | tasks.ChunkReady
    | tasks.ChunkSummarised
    | tasks.NotesReady
    | tasks.NotesCondensed
    | tasks.NegotiationOpened
    | tasks.TaskSummarised
    | tasks.TaskRouted
    | tasks.TaskAssigned
    | steps.ConsultationEnded
    | tasks.TaskAnswered
    | rebuttals.RebuttalRequested
    | rebuttals.AnswerRevised
    | tasks.TaskCompleted
    | tasks.TaskFailed
    | tasks.TaskReopened
    | tasks.FeedbackParked
    | tasks.FeedbackRefused
    | tasks.NegotiationRefused
    | clarifications.ClarificationAsked
    | clarifications.ClarificationExpired
    | clarifications.ClarificationRefused
    | tasks.ReactionFailed
    | erasure.TaskErased
)
AnyAgentEvent = (
    agents.AgentDefined
    | agents.PolicyAdopted
    | agents.MemoriesEmbedded
    | agents.EmbeddingAdopted
    | strength.MemoriesRetrieved
    | steps.AssignmentStepped
    | strength.MemoriesUsed
    | strength.LearningsExtracted
    | strength.MemoryEncoded
    | strength.MemoryAmended
    | strength.MemoryRefused
    | principles.PrincipleProposed
    | principles.PrincipleDecided
    | strength.SessionEnded
    | strength.AgentSlept
    | strength.ImpactCredited
    | strength.MemoriesJudged
    | strength.RepetitionWithdrawn
    | strength.MemoriesConsolidated
    | strength.SemanticMemorySplit
    | colleagues.MemoriesHandedOver
    | colleagues.MemoryCopied
    | conversations.FactsLearned
    | scorers.ScorerTrained
    | education.CourseBegun
    | education.ChapterRead
    | education.ExerciseGraded
    | education.MemoriesReviewed
    | education.CourseFinished
    | erasure.MemoriesErased
    | erasure.AgentErased
    | affective.AffectEvent
    | tiered.TiersEvent
)
AnyOperatorEvent = parked_events.EventParked | log_archiving.LogArchived
AnyEvent = AnyClientEvent | AnyTaskEvent | AnyAgentEvent | AnyOperatorEvent

EVENTS: dict[str, type[Event]] = {event.kind_of(): event for event in get_args(AnyEvent)}
"""Event class by kind."""

_adapter: TypeAdapter[AnyEvent] = TypeAdapter(
    Annotated[AnyEvent, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


_names: TypeAdapter[str] = TypeAdapter(Identifier)

_COMPLAINT = 400
"""Maximum length of a validation message, in characters."""


class UndecodableError(ValueError):
    """Raised if bytes are not a valid event. The message is one line."""


def encode(event: Event) -> bytes:
    """Return the event as it is sent and stored: JSON in UTF-8."""
    return event.model_dump_json().encode()


def digest(event: Event) -> str:
    """Return the SHA-256 of the event's JSON with sorted keys, which includes `client_id` for a client's event.

    Equal events have equal digests.
    """
    said = json.loads(event.model_dump_json())
    client = {"client_id": event.client_id} if isinstance(event, ClientEvent) else {}
    return sha256(json.dumps(said | client, sort_keys=True).encode()).hexdigest()


def decode(data: bytes, *, recorded_at: datetime, sequence: int, client_id: str | None = None) -> AnyEvent:
    """Return the event in `data`, with its time, sequence and client id from the log.

    Raises `UndecodableError` if `data` is not an event of a known kind and version, or if `client_id` is not a valid
    id.
    """
    event = parsed(data)
    # No other code holds the new event yet. Setting the metadata in place costs a tenth of a copy.
    known = vars(event)
    known["recorded_at"], known["sequence"] = recorded_at, sequence
    if isinstance(event, ClientEvent):
        known["client_id"] = _client(client_id or "unknown")
    return event


def parsed(data: bytes) -> AnyEvent:
    """Return the event in `data`, upcast to the current version if it is an older one.

    Raises `UndecodableError` if `data` is not an event of a known kind and version.
    """
    try:
        return _adapter.validate_json(data)
    except ValidationError as error:
        return _of_old(data, error)


def _of_old(data: bytes, present: ValidationError) -> AnyEvent:
    """Return the event in `data` after its upcasts.

    Raises `UndecodableError` with the message of `present`, the validation error of the current version, if no upcast
    applies. Raises `UndecodableError` also if an upcast fails or its result is not valid.
    """
    try:
        said = from_json(data)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise UndecodableError(validation_message(present)) from present
    try:
        newer = upcast(said)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UndecodableError(f"it is no {said['kind']} of version {said['version']}: {error}") from error
    if newer is said:
        raise UndecodableError(validation_message(present)) from present
    try:
        return _adapter.validate_json(to_json(newer))
    except ValidationError as error:
        raise UndecodableError(validation_message(error)) from error


def check_id(event: Event) -> None:
    """Raise `UndecodableError` if a client's event has an id that this client may not choose.

    Ids of UUID version 5 are reserved for the tutor, which must use them.
    """
    if isinstance(event, ClientEvent) and (event.event_id.version == DERIVED) != (event.client_id == TUTOR):
        raise UndecodableError(f"event_id: ids of version 5 are reserved for the client {TUTOR}, which must use them")


def _client(name: str) -> str:
    try:
        return _names.validate_python(name)
    except ValidationError as error:
        raise UndecodableError("the subject has no valid client id: use letters, digits, `_` and `-`") from error


def validation_message(error: ValidationError) -> str:
    """Return a validation error as one printable line of at most 400 characters, without the input.

    The line has the first error and the number of further ones.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    location = ".".join(str(part) for part in first["loc"])
    text = f"{location}: {plain(first)}" if location else plain(first)
    printable = "".join(character if character.isprintable() else " " for character in text)
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{shorten(printable, _COMPLAINT - len(more), placeholder='…')}{more}"
