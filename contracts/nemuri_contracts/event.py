"""The envelope that every event shares, and how identities are derived."""

from collections.abc import Hashable, Iterable
from datetime import datetime
from math import isfinite
from typing import Annotated, ClassVar, Literal, Self
from uuid import UUID, uuid5

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from nemuri_contracts import wire_constants

NAMESPACE = UUID("6e656d75-7269-5000-8000-736c65657021")
"""The root of every derived id."""
DERIVED = 5
"""The UUID version of derived ids; clients choose theirs among the others, so that they cannot anticipate ours."""
TUTOR = "tutor"
"""The client that is a service: it sets tests under derived ids, and nobody else may speak in its name."""
OPERATOR = wire_constants.OPERATOR
"""The client in whose name the command line speaks, unless it is told another one."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("the text contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text is not valid Unicode") from error
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""Text that every store can hold: valid Unicode without NUL."""
Count = Annotated[int, Field(ge=0, le=10**9)]
"""A number of things: 0 to a thousand million, so that every column of the views holds it and what is added to it."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
"""A name that may be part of a subject: 1 to 64 letters, digits, `_` or `-`, beginning with a letter or digit."""
Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=wire_constants.LABEL_LIMIT),
    AfterValidator(_storable),
]
"""A short name for people: a tag, a perspective, a project, a domain, a speaker."""


def _storable_json(value: JsonValue) -> JsonValue:
    """Return the value; raises ValueError unless every store can hold it: numbers of 64 bits, text without NUL."""
    match value:
        case str() if "\x00" in value:
            raise ValueError("the text contains a NUL character")
        case int() if abs(value) > 2**53:
            raise ValueError("the number is too large")
        case float() if not isfinite(value):
            raise ValueError("the number is not finite")
        case list():
            for each in value:
                _storable_json(each)
        case dict():
            for name, each in value.items():
                _storable_json(name)
                _storable_json(each)
        case _:
            pass
    return value


JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_storable_json)]
"""Any JSON object that every store can hold."""


def derive(key: Hashable, kind: str, nth: Hashable = 0) -> UUID:
    """The id of the event of `kind` that follows from `key`: the same every time it is asked.

    `key` is the id of the cause, or for a fan-in what is joined; `nth` tells several events of one cause apart.
    """
    return uuid5(NAMESPACE, f"{key}/{kind}/{nth}")


class Value(BaseModel):
    """A part of an event: immutable, with no field that is not declared and no number that JSON cannot hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Event(Value):
    """A fact that happened."""

    stream: ClassVar[Literal["client", "task", "agent", "operator"]]
    """The family of subjects on which events of this class are recorded."""

    event_id: UUID
    kind: str
    version: Literal[1] = 1
    correlation_id: UUID | None = None
    """The task to which the event belongs; None for what happens outside any task."""
    causation_id: UUID | None = None
    """The event that led to this one; None for what comes from outside."""
    agent_id: Identifier | None = None
    recorded_at: datetime | None = Field(default=None, exclude=True)
    """The log's own time of recording; only events that were read from the log have it."""
    sequence: int | None = Field(default=None, exclude=True)
    """The place in the stream that the event was read from; never part of the event itself."""

    @property
    def thread(self) -> UUID | None:
        """The task that this event and all that follow from it belong to."""
        return self.correlation_id

    @property
    def task_id(self) -> UUID:
        """The task of an event that belongs to one."""
        if self.thread is None:
            raise LookupError(f"{self.kind} {self.event_id} belongs to no task")
        return self.thread

    @property
    def at(self) -> datetime:
        """The log's time of an event that was read from the log."""
        if self.recorded_at is None:
            raise LookupError(f"{self.kind} {self.event_id} was not read from the log")
        return self.recorded_at

    @classmethod
    def kind_of(cls) -> str:
        """The discriminating name of this class of events."""
        kind: str = cls.model_fields["kind"].default
        return kind

    @classmethod
    def following(cls, cause: "Event", *, key: Hashable = None, nth: Hashable = 0, **fields: object) -> Self:
        """The event of this class that follows from `cause`, with a derived id.

        `key` replaces the cause's id where several causes are joined into one event; `nth` tells the events of a
        fan-out apart. Task and agent are inherited from the cause unless given.
        """
        kind = cls.kind_of()
        envelope: dict[str, object] = {
            "event_id": derive(cause.event_id if key is None else key, kind, nth),
            "correlation_id": cause.thread,
            "causation_id": cause.event_id,
            "agent_id": cause.agent_id,
        }
        return cls.model_validate(envelope | fields)


class TaskEvent(Event):
    """Something that happened to a task."""

    stream = "task"
    correlation_id: UUID


class AgentEvent(Event):
    """Something that happened to an agent; the fold of these is its mind."""

    stream = "agent"
    agent_id: Identifier


class OperatorEvent(Event):
    """Something that an operator decided about the log itself."""

    stream = "operator"


class ClientEvent(Event):
    """Something that a client said; who said it comes from the subject, never from the body."""

    stream = "client"
    client_id: Identifier = Field(default="unknown", exclude=True)

    @property
    def thread(self) -> UUID | None:
        """The task that the event is about, by its kind: a client ties nothing else to a task by naming one."""
        return None


class Usage(Value):
    """What a model call cost."""

    model: Text
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)

    @classmethod
    def together(cls, calls: "Iterable[Usage]") -> "Usage":
        """What calls cost together, at least one; each of their models by name."""
        spent = tuple(calls)
        return Usage(
            model=", ".join(dict.fromkeys(each.model for each in spent)),
            input_tokens=sum(each.input_tokens for each in spent),
            output_tokens=sum(each.output_tokens for each in spent),
        )
