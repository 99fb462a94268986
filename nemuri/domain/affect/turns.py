"""How a turn becomes a memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo

from nemuri.contracts.affect import LinkSort, Reading, Tie, TurnOffered, TurnRemembered
from nemuri.contracts.event import Usage, derive
from nemuri.domain.affect.mind import AffectAgent, AffectMemory
from nemuri.domain.affect.night import first_days
from nemuri.domain.affect.policy import LOCAL, AffectPolicy


@dataclass(frozen=True, slots=True)
class Understood:
    """What was made of a turn."""

    reading: Reading
    usage: Usage
    vector: str
    sort: LinkSort | None
    """The relation that the turn's own words tell of."""
    earlier: Sequence[AffectMemory]
    """What it is about, most similar first."""


def home(rules: AffectPolicy, local: tzinfo) -> tzinfo:
    """The zone in which the agent's hours are meant; `local` is that of the machine."""
    return local if rules.compression.timezone == LOCAL else ZoneInfo(rules.compression.timezone)


def remembered(offered: TurnOffered, agent: AffectAgent, made: Understood, number: int, zone: tzinfo) -> TurnRemembered:
    """The memory that a turn becomes; `number` counts the agent's turns, from 1.

    The label has the day of the turn; the session's end starts the decay.
    """
    rules, reading = agent.rules, made.reading
    said = offered.said_at.astimezone(zone)
    memory_id = derive(offered.event_id, TurnRemembered.kind_of())
    return TurnRemembered.following(
        offered,
        turn_id=offered.event_id,
        session=offered.session,
        label=f"mem_{said:%Y%m%d}_{number:03d}",
        said_at=said,
        reading=reading,
        read_by=made.usage.model,
        usage=made.usage,
        coefficient=rules.retention.coefficient(reading.category, reading.intensity),
        days=first_days(_ended(offered).astimezone(zone), rules.compression.schedule_hour),
        protection=_protection(reading, agent),
        ties=_ties(made, agent, memory_id),
        vector=made.vector,
    )


def _ended(offered: TurnOffered) -> datetime:
    """When the session ended; never later than it was told."""
    return min(offered.ended_at, offered.at)


def _protection(reading: Reading, agent: AffectAgent) -> str:
    if not reading.protect:
        return "none"
    return "protected" if agent.protected < agent.rules.protection.max_protected_memories else "asked"


def _ties(made: Understood, agent: AffectAgent, memory_id: UUID) -> tuple[Tie, ...]:
    """To the memory that the turn's words speak of; from the stronger, and where they are close from the newer."""
    if made.sort is None or not made.earlier:
        return ()
    other = made.earlier[0]
    apart = made.reading.intensity - other.retention(agent.nights)
    from_new = apart > 0 or abs(apart) < agent.rules.relations.score_proximity_threshold
    if not from_new and len(other.relations) >= agent.rules.relations.max_relations_per_memory:
        return ()
    of, to = (memory_id, other.memory_id) if from_new else (other.memory_id, memory_id)
    return (Tie(of=of, to=to, sort=made.sort),)
