"""The record of a society: what its agents said, decided, did, perceived and felt, in the order in which it happened.

Hosts write it while the society runs, in batches. Commands write the events about a whole run. It is beside the log,
in a stream of its own, and is deleted with the society.
"""

from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, TypeAdapter

from nemuri_contracts.event import Identifier, Label, Text, Value
from nemuri_society.contracts.society import HostHealthReport

Second = Annotated[float, Field(ge=0)]
"""Time on the society's clock, in seconds."""


class RecordEvent(Value):
    """An event of the record."""

    second: Second


class AgentRecordEvent(RecordEvent):
    """An event of one agent."""

    agent: Identifier


class Spoke(AgentRecordEvent):
    """An agent said something."""

    kind: Literal["speech"] = "speech"
    text: Text


class Decided(AgentRecordEvent):
    """The controller of an agent made a decision."""

    kind: Literal["decision"] = "decision"
    decision: Label
    intent: Text
    action: Text
    directive: Text = ""
    """Words or topic that the agent is to say; empty if nothing."""
    summary: Text = ""
    """The situation as the controller told it to the other modules."""


class Acted(AgentRecordEvent):
    """An act ended. `second` is the time of its outcome."""

    kind: Literal["act"] = "act"
    act_id: Label
    text: Text
    action: dict[str, JsonValue]
    begun: float
    done: bool
    reason: Text = ""
    """Why the act was not done; empty if it was."""


class Perceived(AgentRecordEvent):
    """An agent perceived or concluded something that was important enough for its memory (document 004 §4.3)."""

    kind: Literal["percept"] = "percept"
    type: Literal["observation", "reflection"]
    content: Text
    importance: Annotated[float, Field(ge=0, le=1)]


class Felt(AgentRecordEvent):
    """The opinion of an agent about another one changed."""

    kind: Literal["feeling"] = "feeling"
    towards: Label
    """Name of the other agent."""
    sentiment: float
    """From 0 to 10; 5 is neutral."""
    before: float | None
    """The sentiment before; None for the first opinion."""
    relationship: Text = ""


class Aimed(AgentRecordEvent):
    """The goals of an agent changed."""

    kind: Literal["goals"] = "goals"
    goals: tuple[Text, ...]


class Obtained(AgentRecordEvent):
    """An agent holds an item of a kind that it never held before."""

    kind: Literal["item"] = "item"
    item: Label
    count: int


class Adopted(AgentRecordEvent):
    """The laws that are in force for an agent changed."""

    kind: Literal["laws"] = "laws"
    laws: tuple[Text, ...]


class Influenced(AgentRecordEvent):
    """A person gave an agent a belief, or let it perceive an event."""

    kind: Literal["influence"] = "influence"
    sort: Literal["belief", "event", "law"]
    text: Text


class Answered(AgentRecordEvent):
    """An agent answered a probe. It remembers neither the question nor the answer."""

    kind: Literal["answer"] = "answer"
    question: Text
    answer: Text
    by: Literal["model", "state"]
    """Who answered: a language model, or rules from the agent's state alone."""


class Voted(AgentRecordEvent):
    """An agent voted, or was asked for its vote in vain."""

    kind: Literal["vote"] = "vote"
    matter: Text
    """Subject of the vote."""
    options: tuple[Label, ...]
    """Options of the vote."""
    choice: Label | None
    """Option that the agent voted for; None if its answer named none."""


class Located(RecordEvent):
    """Where the agents of a host are. Only changed places are told, except in a complete event."""

    kind: Literal["places"] = "places"
    complete: bool = False
    places: dict[Identifier, tuple[int, int]]


class Measured(RecordEvent):
    """The figures of a host, sampled."""

    kind: Literal["figures"] = "figures"
    figures: HostHealthReport


class RunBegan(RecordEvent):
    """A command began to run the society."""

    kind: Literal["run"] = "run"
    manifest: dict[str, JsonValue]


class RunEnded(RecordEvent):
    """A command ended the run in order."""

    kind: Literal["end"] = "end"
    report: dict[str, JsonValue]


class Restored(RecordEvent):
    """The society went back to a checkpoint. What was recorded after `second` before this event is another branch."""

    kind: Literal["restored"] = "restored"
    checkpoint: Label


class Forked(RecordEvent):
    """The society was made of a checkpoint of another one. The record up to `second` is that of the other society."""

    kind: Literal["forked"] = "forked"
    source: Identifier
    checkpoint: Label


AnyRecordEvent = Annotated[
    Spoke | Decided | Acted | Perceived | Felt | Aimed | Obtained | Adopted | Influenced | Answered | Voted
    | Located | Measured | RunBegan | RunEnded | Restored | Forked,
    Field(discriminator="kind"),
]  # fmt: skip


class Record(Value):
    """A batch of events that a host or a command adds to the record."""

    writer: Identifier
    """The host, or the command's run. A batch with a number that its writer has used before counts once."""
    number: int = Field(ge=1)
    """Number of the batch among those of its writer, in order."""
    missed: int = Field(ge=0)
    """Number of events that the writer dropped before this batch, because the server did not answer for long."""
    events: tuple[AnyRecordEvent, ...]


record_events: Final[TypeAdapter[tuple[AnyRecordEvent, ...]]] = TypeAdapter(tuple[AnyRecordEvent, ...])
"""Validator of the events of a batch."""
AGENT_KINDS: Final = frozenset(
    {"speech", "decision", "act", "percept", "feeling", "goals", "item", "laws", "influence", "answer", "vote"}
)
"""Kinds of the events of one agent."""
