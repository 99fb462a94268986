"""Protocol between agent hosts and a world: actions, percepts and membership (document 002 §3.4).

A world process implements the other side: a world of this project or of another package, or a bridge to a Minecraft
server. Every message has a JSON Schema under `society/schemas/worlds`, and both sides validate against it.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from nemuri_contracts.event import Identifier, Label, Text, Value

CHAT_RADIUS = 32.0
"""Radius of speech in blocks (document 002 §3.4)."""
VISUAL_RADIUS = 16.0
"""Radius of sight in blocks."""
REACH = 4.0
"""Maximum distance in blocks from which an agent can dig, place, give or trade."""
SPEECH_LIMIT = 256
"""Maximum length of an utterance, in characters."""
COMMAND_LIMIT = 320
"""Maximum length of a command, in characters."""
ACTS_LIMIT = 4_000
"""Maximum number of acts or percepts in one message."""

Item = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""Name of an item or block, for example `wood`, `stone_pickaxe`, `table`."""
Count = Annotated[int, Field(ge=1, le=64)]
Points = Annotated[int, Field(ge=0, le=20)]


class Position(Value):
    """A position in blocks; `y` is height."""

    x: int = Field(ge=-30_000_000, le=30_000_000)
    y: int = Field(ge=-64, le=320)
    z: int = Field(ge=-30_000_000, le=30_000_000)


class Stack(Value):
    """A quantity of one item."""

    item: Item
    count: Count = 1


class Go(Value):
    """Walk until a position is within reach. The walk takes as long as the path needs."""

    action: Literal["go"] = "go"
    to: Position


class Collect(Value):
    """Take a block within reach. The yield goes into the inventory."""

    action: Literal["collect"] = "collect"
    block: Item
    at: Position


class Place(Value):
    """Place a block from the inventory at a free position within reach."""

    action: Literal["place"] = "place"
    block: Item
    at: Position


class Craft(Value):
    """Craft an item from the inventory. If the recipe needs a station, it must be near."""

    action: Literal["craft"] = "craft"
    item: Item


class Give(Value):
    """Give items to an agent within reach."""

    action: Literal["give"] = "give"
    to: Identifier
    stack: Stack


class Trade(Value):
    """Offer a trade to an agent within reach. The trade takes place when that agent offers the reverse trade."""

    action: Literal["trade"] = "trade"
    partner: Identifier
    offer: Stack
    want: Stack


class Deposit(Value):
    """Put items into a chest within reach."""

    action: Literal["deposit"] = "deposit"
    at: Position
    stack: Stack


class Withdraw(Value):
    """Withdraw items from a chest within reach."""

    action: Literal["withdraw"] = "withdraw"
    at: Position
    stack: Stack


class Say(Value):
    """Say something to all agents within `CHAT_RADIUS`. The current action continues."""

    action: Literal["say"] = "say"
    text: Text = Field(min_length=1, max_length=SPEECH_LIMIT)


class Rest(Value):
    """Do nothing for some seconds."""

    action: Literal["rest"] = "rest"
    seconds: float = Field(default=1.0, gt=0, le=60)


class Do(Value):
    """Carry out a command in words that the world itself reads, such as `vote up 12`. A percept names the commands in
    `possible`.
    """

    action: Literal["do"] = "do"
    command: Text = Field(min_length=1, max_length=COMMAND_LIMIT)


Action = Annotated[
    Go | Collect | Place | Craft | Give | Trade | Deposit | Withdraw | Say | Rest | Do,
    Field(discriminator="action"),
]
ACTIONS: dict[str, type[Value]] = {
    kind.model_fields["action"].default: kind
    for kind in (Go, Collect, Place, Craft, Give, Trade, Deposit, Withdraw, Say, Rest, Do)
}
"""Action class by name."""
action_of: TypeAdapter[Action] = TypeAdapter(Action)
"""Validator that reads an action from JSON or plain values and rejects anything else."""


class Sighting(Value):
    """Another agent within sight."""

    id: Identifier
    name: Label
    position: Position
    distance: float = Field(ge=0)
    activity: Item = "idle"


class Block(Value):
    """A useful block within sight."""

    block: Item
    position: Position


class Utterance(Value):
    """An utterance that the agent has heard since its last percept."""

    speaker: Identifier
    name: Label
    """Display name of the speaker."""
    text: Text = Field(max_length=COMMAND_LIMIT)
    second: float = Field(ge=0)


class Deed(Value):
    """What another agent did to this one."""

    deed: Literal["gave", "offered", "traded", "did"]
    by: Identifier
    name: Label
    """Display name of the other agent."""
    stack: Stack | None = None
    """What the other agent gave or offers; None for any other deed."""
    what: Text = Field(default="", max_length=SPEECH_LIMIT)
    """What it did, in words that follow its name. `YOU` stands for the agent itself, as in "voted for post 12 of YOU".
    Empty for gifts and trades.
    """
    want: Stack | None = None
    """What the other agent got or wants for it; None for a gift."""
    second: float = Field(ge=0)


class Notice(Value):
    """A line that stands before the agent, such as a post with its author and votes."""

    about: Text = Field(min_length=1, max_length=200)
    """What it is, in words of the world."""
    words: Text = Field(default="", max_length=COMMAND_LIMIT)
    """Words of another agent, which prompts quote; empty if it has none."""


class Possible(Value):
    """A command that the agent can give if its needs are met."""

    command: Text = Field(min_length=1, max_length=100)
    """Form of the command. Words in capitals stand for what the agent chooses, as in `reply to NUMBER: TEXT`."""
    does: Text = Field(min_length=1, max_length=200)
    """What the command does."""
    needs: Text = Field(default="", max_length=200)
    """What must hold for it, as far as that is not plain from the choices."""
    choices: tuple[Text, ...] = Field(default=(), max_length=16)
    """Commands of this form that can be given now; empty if none can. `TEXT` stands for any words."""


class Outcome(Value):
    """The outcome of an act."""

    act_id: Label
    done: bool
    reason: Text = Field(default="", max_length=200)
    """Reason of the failure; empty if the act was done."""


class Percept(Value):
    """One agent's perception at one moment.

    `heard`, `deeds`, `outcomes` and `hurt` report what happened since the last percept. The other fields are the
    current state. A world in which agents are always well leaves out `health`, `hunger` and `hurt`. A world without
    space leaves out `position`, `agents` and `blocks`. A world with `possible` commands has no other actions than
    these, speech and rest.
    """

    second: float = Field(ge=0)
    """Seconds of the world's clock, which may run faster than wall-clock time."""
    position: Position | None = None
    """None in a world without space."""
    health: Points = 20
    hunger: Points = 20
    """Hunger level: 20 is full, 0 is starving."""
    inventory: dict[Item, int] = Field(default_factory=dict)
    agents: tuple[Sighting, ...] = Field(default=(), max_length=64)
    """Visible agents, nearest first."""
    blocks: tuple[Block, ...] = Field(default=(), max_length=64)
    """Visible blocks, the nearest of each type first."""
    notices: tuple[Notice, ...] = Field(default=(), max_length=64)
    """Lines that stand before the agent, the most important first."""
    possible: tuple[Possible, ...] = Field(default=(), max_length=32)
    """Commands that the agent can give."""
    heard: tuple[Utterance, ...] = ()
    deeds: tuple[Deed, ...] = ()
    """Gifts, offers, trades and other deeds of others."""
    outcomes: tuple[Outcome, ...] = ()
    hurt: Points = 0
    """Health lost since the last percept. A value above 0 is urgent."""
    daylight: bool = True
    hour: float | None = Field(default=None, ge=0, lt=24)
    """Hour of the world's day; None if the world has no clock."""
    biome: Item = "plains"

    @property
    def here(self) -> Position:
        """Position of the agent. Raises LookupError in a world without space."""
        if self.position is None:
            raise LookupError("this world has no positions")
        return self.position


class Act(Value):
    """An action that an agent takes. Its outcome has the same `act_id`."""

    agent_id: Identifier
    act_id: Label
    act: Action


class Joining(Value):
    """Request of a host to add agents to the world. Agents that are in the world already belong to this host from then
    on.
    """

    host: Identifier
    agents: dict[Identifier, Label] = Field(max_length=ACTS_LIMIT)
    """Name of each agent by id."""
    towns: dict[Identifier, Identifier] = Field(default_factory=dict)
    """Town in which an agent starts, by the agent's id."""


class Joined(Value):
    """The world's answer to `Joining`: the agents that are in the world now, and its clock."""

    agents: tuple[Identifier, ...]
    second: float = Field(ge=0)
    rate: float = Field(gt=0)
    """Percepts per second of wall-clock time."""


class Leaving(Value):
    """Message of a host that removes agents from the world. The world ignores agents that belong to other hosts."""

    host: Identifier
    agents: tuple[Identifier, ...] = Field(max_length=ACTS_LIMIT)


class Acts(Value):
    """Acts of a host's agents."""

    host: Identifier
    acts: tuple[Act, ...] = Field(max_length=ACTS_LIMIT)


class Percepts(Value):
    """Percepts for a host's agents. Only agents with changes are included."""

    second: float = Field(ge=0)
    percepts: dict[Identifier, Percept] = Field(max_length=ACTS_LIMIT)


MESSAGES: dict[str, type[Value]] = {
    kind.__name__.lower(): kind for kind in (Joining, Joined, Leaving, Acts, Percepts, Percept)
}
"""Message class by name, for all messages between hosts and worlds."""
