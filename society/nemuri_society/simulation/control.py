"""Control of a society from outside: until which second its clock runs, and what people give to its agents or ask them.

Both are entries of the society's states, so they reach a process that was restarted, too. Every process reads them with
each beat.
"""

from dataclasses import dataclass
from typing import Final, Literal
from uuid import uuid4

from pydantic import Field

from nemuri_contracts.event import Identifier, Value
from nemuri_society.contracts.residents import Line
from nemuri_society.stores.society_states import RevisionError, States

CONTROL: Final = "control"
"""First token of the keys. Only operators write them."""
CLOCK: Final = f"{CONTROL}.clock"


class ClockLimit(Value):
    """The limit of a society's clock."""

    until: float | None = Field(default=None, ge=0)
    """Second from which the clock stands still; None lets it run on."""


class Influence(Value):
    """A belief, an event or a law that a person gives an agent, or a question that is asked aside."""

    agent: Identifier
    sort: Literal["belief", "event", "law", "question"]
    text: Line


@dataclass(frozen=True, slots=True)
class Controls:
    """Entries in force."""

    limit: ClockLimit
    influences: dict[str, Influence]
    """Influences of people on agents, by id, oldest first."""


async def read_controls(states: States) -> Controls:
    """Return what is in force, with one request for each entry, and one more."""
    limit, influences = ClockLimit(), dict[str, Influence]()
    async for entry in states.read_one_by_one(f"{CONTROL}.>"):
        if entry.key == CLOCK:
            limit = ClockLimit.model_validate_json(entry.value)
        else:
            influences[entry.key.rpartition(".")[2]] = Influence.model_validate_json(entry.value)
    return Controls(limit, influences)


async def read_limit(states: States) -> ClockLimit:
    """Return the limit of the clock that is in force, with one request."""
    entry = await states.get(CLOCK)
    return ClockLimit() if entry is None else ClockLimit.model_validate_json(entry.value)


async def limit_clock(states: States, until: float | None) -> None:
    """Put a limit of the clock in force. A concurrent change of it is overwritten."""
    value = ClockLimit(until=until).model_dump_json().encode()
    while True:
        entry = await states.get(CLOCK)
        try:
            await states.write({CLOCK: value}, {} if entry is None else {CLOCK: entry.revision})
        except RevisionError:
            continue  # Another command changed it between the read and the write.
        return


async def give(states: States, influence: Influence) -> str:
    """Store an influence for the host of its agent, and return its id. It reaches the agent when the agent runs."""
    influence_id = uuid4().hex
    await states.write({_key(influence_id): influence.model_dump_json().encode()}, {})
    return influence_id


async def take_back(states: States, influence_id: str) -> None:
    """Delete an influence that has reached its agent."""
    await states.delete_entry(_key(influence_id))


def _key(influence_id: str) -> str:
    return f"{CONTROL}.given.{influence_id}"
