"""The event envelope, base classes of events, shared field types, and derivation of event ids."""

from collections.abc import Hashable, Iterable
from datetime import UTC, datetime
from math import isfinite
from typing import Annotated, ClassVar, Literal, Self
from unicodedata import normalize
from uuid import UUID, uuid5

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from nemuri_contracts import wire_constants

NAMESPACE = UUID("6e656d75-7269-5000-8000-736c65657021")
"""UUID namespace of all derived ids."""
DERIVED = 5
"""UUID version of derived ids. Clients must use another version, so that no client can take the id of a later event."""
TUTOR = "tutor"
"""Client id of the tutor service, which submits tests with derived ids. No other client may use this id."""
OPERATOR = wire_constants.OPERATOR
"""Default client id of the command line."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("the text contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text is not valid Unicode") from error
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""Text that every store accepts: valid Unicode without NUL."""
Moment = Annotated[datetime, AfterValidator(lambda time: time if time.tzinfo else time.replace(tzinfo=UTC))]
"""A time with an offset. A time without one is in UTC."""
Count = Annotated[int, Field(ge=0, le=10**9)]
"""A count from 0 to 10^9, so that database columns can hold sums of counts."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
"""A name that may be part of a subject: 1 to 64 letters, digits, `_` or `-`. It begins with a letter or digit."""
WITH_WORDS = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
"""Form of a text with at least one character that is no white space, for JSON schemas."""


def _with_words(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


Written = Annotated[
    str,
    StringConstraints(min_length=1),
    AfterValidator(_storable),
    AfterValidator(_with_words),
    Field(json_schema_extra={"pattern": WITH_WORDS}),
]
"""A text that is not empty or blank."""


def _composed(text: str) -> str:
    return normalize("NFC", _storable(text))


Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=wire_constants.LABEL_LIMIT),
    AfterValidator(_composed),
    Field(json_schema_extra={"pattern": WITH_WORDS}),
]
"""A short display name of a tag, perspective, project, domain or speaker, in NFC: macOS writes file names in NFD."""


def _storable_json(value: JsonValue) -> JsonValue:
    """Return the value. Raises ValueError unless every store accepts it: integers up to 2^53, text without NUL."""
    match value:
        case str() if "\x00" in value:
            raise ValueError("the text contains a NUL character")
        case int() if abs(value) > 2**53:
            raise ValueError("the number is too large")
        case float() if not isfinite(value):
            raise ValueError("the number is not finite")
        case list():
            for element in value:
                _storable_json(element)
        case dict():
            for name, element in value.items():
                _storable_json(name)
                _storable_json(element)
        case _:
            pass
    return value


JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_storable_json)]
"""A JSON object that every store accepts."""


def derive(key: Hashable, kind: str, nth: Hashable = 0) -> UUID:
    """Return the id of an event of `kind`, derived from the arguments. Equal arguments give equal ids.

    `key` is the id of the cause, or the joined key of a fan-in. `nth` distinguishes several events of one cause.
    """
    return uuid5(NAMESPACE, f"{key}/{kind}/{nth}")


class Value(BaseModel):
    """Base class of events and of their parts: immutable, without undeclared fields and without numbers that JSON
    cannot represent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    @classmethod
    def of_defaults(cls) -> Self:
        """Return the value whose fields all have their defaults, as the default of another class's field. Unlike a
        call of the class it builds no validator, so that a module that only names the class is imported fast.
        """
        return cls.model_construct()  # type: ignore[return-value] # pydantic's plugin says the base class


class Options(Value):
    """Base class of what a caller may say about an operation.

    The class is the only description of these options: the string under a field is its documentation, and with the
    field's type, limits and default it becomes the keyword arguments of the client, the options of the command line,
    the fields of HTTP and of forms, and the arguments of tools. `title` of a field is its label in a form.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Write the documentation of each field in one line."""
        for field in cls.model_fields.values():
            field.description = " ".join(field.description.split()) if field.description else None


class Event(Value):
    """Base class of all events. An event is a recorded fact with its envelope."""

    stream: ClassVar[Literal["client", "task", "agent", "operator"]]
    """Family of subjects on which events of this class are recorded."""
    names_task: ClassVar[bool] = False
    """True if the subject names the event's task, so that the event is part of the task's history."""
    names_conversation: ClassVar[bool] = False
    """True if the subject names the event's conversation, so that the event is part of the conversation's history."""

    event_id: UUID
    kind: str
    version: Literal[1] = 1
    correlation_id: UUID | None = None
    """Id of the task that the event belongs to. None if it belongs to no task."""
    causation_id: UUID | None = None
    """Id of the event that caused this one. None for external events."""
    agent_id: Identifier | None = None
    recorded_at: datetime | None = Field(default=None, exclude=True)
    """Time at which the log stored the event. None unless the event was read from the log. It is not serialised."""
    sequence: int | None = Field(default=None, exclude=True)
    """Stream sequence of the event. None unless the event was read from the log. It is not serialised."""

    @property
    def thread(self) -> UUID | None:
        """Return the id of the task that this event and its consequences belong to; None if there is none."""
        return self.correlation_id

    @property
    def in_history(self) -> bool:
        """Return whether the event's subject names its task."""
        return self.names_task and self.thread is not None

    @property
    def filed_under(self) -> UUID | None:
        """Return the id that the subject names: that of the task or the conversation whose history contains the event.

        None if the event is part of no history.
        """
        return self.thread if self.names_task else None

    @property
    def task_id(self) -> UUID:
        """Return the id of the event's task. Raises LookupError if it has none."""
        if self.thread is None:
            raise LookupError(f"{self.kind} {self.event_id} belongs to no task")
        return self.thread

    @property
    def at(self) -> datetime:
        """Return the time at which the log stored the event. Raises LookupError if it was not read from the log."""
        if self.recorded_at is None:
            raise LookupError(f"{self.kind} {self.event_id} was not read from the log")
        return self.recorded_at

    @classmethod
    def kind_of(cls) -> str:
        """Return the value of `kind` for this event class."""
        kind: str = cls.model_fields["kind"].default
        return kind

    @classmethod
    def following(cls, cause: "Event", *, key: Hashable = None, nth: Hashable = 0, **fields: object) -> Self:
        """Return an event of this class caused by `cause`, with a derived id.

        If several causes are joined into one event, pass the joined `key`: it replaces the cause's id in the
        derivation. If one cause has several events of this class, `nth` distinguishes them. Task and agent are those of
        `cause` unless `fields` has others.
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
    """Base class of the events of a task."""

    stream = "task"
    names_task = True
    correlation_id: UUID


class AgentEvent(Event):
    """Base class of the events of an agent. The fold of all events of an agent is called its mind."""

    stream = "agent"
    agent_id: Identifier


class AgentWorkEvent(AgentEvent):
    """Base class of the events of an agent's work, which also change the state of the task that it works on."""

    names_task = True


class OperatorEvent(Event):
    """Base class of the events that record what operators did to the log."""

    stream = "operator"


class ClientEvent(Event):
    """Base class of the events that clients publish. The client's id is taken from the subject, never from the body."""

    stream = "client"
    client_id: Identifier = Field(default="unknown", exclude=True)

    @property
    def thread(self) -> UUID | None:
        """Return the id of the task that the event refers to; None by default.

        A subclass whose events belong to a task overrides it. A client's `correlation_id` alone does not assign a task.
        """
        return None


class Usage(Value):
    """Token usage of one or several model calls."""

    model: Text
    input_tokens: int = Field(default=0, ge=0)
    """Input tokens, cached ones included."""
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    """Input tokens that the provider read from its cache, which are cheaper; 0 if it does not say."""
    prompts: tuple[Label, ...] = ()
    """Names and versions of the prompts of the calls, such as "answer@4"; empty without a language model."""
    money: float | None = Field(default=None, ge=0)
    """Price in the currency of the operator's price list, at the prices of the time; None if the list does not have
    the model.
    """
    over_budget: Text | None = None
    """Why no language model was called although there is one, in one line; None if no budget prevented a call."""

    @property
    def tokens(self) -> int:
        """Return the number of tokens of the prompts and the replies."""
        return self.input_tokens + self.output_tokens

    @classmethod
    def together(cls, calls: "Iterable[Usage]") -> "Usage":
        """Return the summed usage of several calls. Its `model` lists the distinct model names, separated by
        commas, its `prompts` the distinct prompts."""
        spent = tuple(calls)
        return Usage(
            model=", ".join(dict.fromkeys(call.model for call in spent)),
            input_tokens=sum(call.input_tokens for call in spent),
            output_tokens=sum(call.output_tokens for call in spent),
            cached_tokens=sum(call.cached_tokens for call in spent),
            prompts=tuple(dict.fromkeys(prompt for one in spent for prompt in one.prompts)),
            money=_sum_of_known(call.money for call in spent),
            over_budget=next((call.over_budget for call in spent if call.over_budget), None),
        )


def _sum_of_known(prices: "Iterable[float | None]") -> float | None:
    """Return the sum of the known prices; None if none is known."""
    known = [price for price in prices if price is not None]
    return sum(known) if known else None
