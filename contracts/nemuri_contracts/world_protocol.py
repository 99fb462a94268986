"""Worlds: what agents do in one and perceive of it, and what hosts and worlds say to each other (document 002 §3.4).

A world is whoever answers here: the grid of this project, or a bridge to a Minecraft server. Every message has one
JSON Schema under `contracts/schemas/worlds`, and both sides check against it.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from nemuri_contracts.event import Identifier, Label, Text, Value

CHAT_RADIUS = 32.0
"""Blocks within which speech is heard (document 002 §3.4)."""
VISUAL_RADIUS = 16.0
"""Blocks within which others are seen."""
REACH = 4.0
"""Blocks within which things can be done: digging, placing, giving, trading."""
SPEECH_LIMIT = 256
"""Characters of one utterance."""
ACTS_LIMIT = 4_000
"""Acts, or percepts, in one message."""

Item = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A thing that can be held, or a block: `wood`, `stone_pickaxe`, `table`."""
Count = Annotated[int, Field(ge=1, le=64)]
Points = Annotated[int, Field(ge=0, le=20)]


class Position(Value):
    """Where something is, in blocks; `y` is height."""

    x: int = Field(ge=-30_000_000, le=30_000_000)
    y: int = Field(ge=-64, le=320)
    z: int = Field(ge=-30_000_000, le=30_000_000)


class Stack(Value):
    """Some of one item."""

    item: Item
    count: Count = 1


class Go(Value):
    """Walk to within reach of a place; goes on for as long as it takes."""

    action: Literal["go"] = "go"
    to: Position


class Collect(Value):
    """Take a block within reach, or drink: what it yields is in the inventory then."""

    action: Literal["collect"] = "collect"
    block: Item
    at: Position


class Place(Value):
    """Put a block from the inventory on a free place within reach."""

    action: Literal["place"] = "place"
    block: Item
    at: Position


class Craft(Value):
    """Make an item from what the inventory holds, near whatever its recipe asks for."""

    action: Literal["craft"] = "craft"
    item: Item


class Eat(Value):
    """Eat something from the inventory."""

    action: Literal["eat"] = "eat"
    item: Item


class Attack(Value):
    """Strike a creature within reach, by the id that it is seen under."""

    action: Literal["attack"] = "attack"
    target: Identifier


class Give(Value):
    """Hand something to an agent within reach."""

    action: Literal["give"] = "give"
    to: Identifier
    stack: Stack


class Trade(Value):
    """Offer an exchange to an agent within reach; it happens as soon as that one offers the reverse."""

    action: Literal["trade"] = "trade"
    partner: Identifier
    offer: Stack
    want: Stack


class Deposit(Value):
    """Put something into a chest within reach."""

    action: Literal["deposit"] = "deposit"
    at: Position
    stack: Stack


class Withdraw(Value):
    """Take something out of a chest within reach."""

    action: Literal["withdraw"] = "withdraw"
    at: Position
    stack: Stack


class Say(Value):
    """Say something; whoever is within the radius of chat hears it. Does not interrupt what the hands do."""

    action: Literal["say"] = "say"
    text: Text = Field(min_length=1, max_length=SPEECH_LIMIT)


class Rest(Value):
    """Do nothing for some seconds; rest heals."""

    action: Literal["rest"] = "rest"
    seconds: float = Field(default=1.0, gt=0, le=60)


Action = Annotated[
    Go | Collect | Place | Craft | Eat | Attack | Give | Trade | Deposit | Withdraw | Say | Rest,
    Field(discriminator="action"),
]
ACTIONS: dict[str, type[Value]] = {
    each.model_fields["action"].default: each
    for each in (Go, Collect, Place, Craft, Eat, Attack, Give, Trade, Deposit, Withdraw, Say, Rest)
}
"""Every action by its name."""
action_of: TypeAdapter[Action] = TypeAdapter(Action)
"""Reads an action from JSON or plain values; refuses what is none."""


class Sighting(Value):
    """Another agent, or a creature, within sight."""

    id: Identifier
    name: Label
    position: Position
    distance: float = Field(ge=0)
    activity: Item = "idle"
    creature: bool = False
    """Whether it is a creature of the world and nobody's agent."""


class Block(Value):
    """A block of use within sight."""

    block: Item
    position: Position


class Utterance(Value):
    """Something heard since the last percept."""

    speaker: Identifier
    name: Label
    """Of the speaker: what the hearer knows it by."""
    text: Text = Field(max_length=SPEECH_LIMIT)
    second: float = Field(ge=0)


class Outcome(Value):
    """What became of an act."""

    act_id: Label
    done: bool
    reason: Text = Field(default="", max_length=200)
    """Why not; empty where it is done."""


class Percept(Value):
    """What one agent perceives at one moment: what stands is told again each time, what happens once."""

    second: float = Field(ge=0)
    """Seconds of the world's clock, which may run faster than the wall's."""
    position: Position
    health: Points = 20
    hunger: Points = 20
    """20 is full, 0 is starving."""
    inventory: dict[Item, int] = Field(default_factory=dict)
    agents: tuple[Sighting, ...] = Field(default=(), max_length=64)
    """The nearest first."""
    blocks: tuple[Block, ...] = Field(default=(), max_length=64)
    """The nearest of each sort first."""
    heard: tuple[Utterance, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    hurt: Points = 0
    """Health lost since the last percept: urgent."""
    daylight: bool = True
    biome: Item = "plains"


class Act(Value):
    """An agent's act; the outcome of it bears the same id."""

    agent_id: Identifier
    act_id: Label
    act: Action


class Joining(Value):
    """A host takes agents into the world, or takes over those that are in it."""

    host: Identifier
    agents: dict[Identifier, Label] = Field(max_length=ACTS_LIMIT)
    """The name of each, by id."""
    towns: dict[Identifier, Identifier] = Field(default_factory=dict)
    """Where those begin who are to begin in a town."""


class Joined(Value):
    """The world's answer to a host: who is in it now, and its clock."""

    agents: tuple[Identifier, ...]
    second: float = Field(ge=0)
    rate: float = Field(gt=0)
    """Percepts a second of the wall's clock."""


class Leaving(Value):
    """Agents go out of the world, as the host says that speaks for them; of others it is ignored."""

    host: Identifier
    agents: tuple[Identifier, ...] = Field(max_length=ACTS_LIMIT)


class Acts(Value):
    """What the agents of a host do."""

    host: Identifier
    acts: tuple[Act, ...] = Field(max_length=ACTS_LIMIT)


class Percepts(Value):
    """What the agents of a host perceive: only of those for whom something changed."""

    second: float = Field(ge=0)
    percepts: dict[Identifier, Percept] = Field(max_length=ACTS_LIMIT)


MESSAGES: dict[str, type[Value]] = {
    each.__name__.lower(): each for each in (Joining, Joined, Leaving, Acts, Percepts, Percept)
}
"""What hosts and worlds say to each other, by name."""
