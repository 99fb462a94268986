"""Conversion of an offered turn into a memory."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from nemuri_contracts.affective import (
    SUMMARY_LIMIT,
    Link,
    Reading,
    TurnMatters,
    TurnOffered,
    TurnRemembered,
)
from nemuri_contracts.event import Usage
from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_domain.affective.nightly_job import first_age, last_night_time
from nemuri_domain.affective.policy import LOCAL, AffectPolicy
from nemuri_domain.affective.sanitize import storable


@dataclass(frozen=True, slots=True)
class TurnUnderstanding:
    """Results of reading a turn, from which its memory is made."""

    reading: Reading
    usage: Usage
    vector: str
    relations: tuple[Link, ...]
    """Relations to earlier memories."""


def with_matters(reading: Reading, matters: TurnMatters) -> Reading:
    """Return the reading with the files, commands and errors of the turn at the end of its content, as far as they
    fit. A turn in which something was done is not trivial.
    """
    if reading.concern == "trivia" and (matters.files or matters.commands):
        reading = reading.model_copy(update={"concern": "work"})
    lines = [reading.content]
    for name, some in (("Files", matters.files), ("Commands", matters.commands), ("Errors", matters.errors)):
        if some:
            lines.append(f"{name}: {'; '.join(some)}")
    content = "\n".join(filter(None, lines))
    return reading if len(lines) == 1 else reading.model_copy(update={"content": storable(content, SUMMARY_LIMIT)})


def weighed(reading: Reading, matters: TurnMatters, rules: AffectPolicy) -> Reading:
    """Return the reading of a turn, with a higher intensity if the policy says so: for errors, and for what is
    lastingly said about the user.
    """
    more = rules.retention.failure_intensity if matters.errors else 0
    more += rules.retention.personal_intensity if reading.concern == "user" else 0
    return reading.model_copy(update={"intensity": min(100, reading.intensity + more)}) if more else reading


def agent_timezone(rules: AffectPolicy, local: tzinfo) -> tzinfo:
    """Return the time zone in which the agent's nightly job is due. `local` is the time zone of the machine."""
    return local if rules.compression.timezone == LOCAL else ZoneInfo(rules.compression.timezone)


def encode_turn(
    offered: TurnOffered,
    agent: AffectAgent,
    made: TurnUnderstanding,
    number: int,
    zone: tzinfo,
    ahead: timedelta = timedelta(),
) -> TurnRemembered:
    """Return the event that makes a memory of an offered turn. `number` is the turn's number among the agent's turns,
    from 1.

    The label of the memory contains the day of the turn. Its decay starts at the session's end. `ahead` is the offset
    of the platform's clock, by which nights come, from the wall-clock time of the turn.
    """
    rules, reading = agent.rules, weighed(made.reading, offered.matters, agent.rules)
    said = _platform_time(offered.said_at, offered, ahead).astimezone(zone)
    ended = _platform_time(min(offered.ended_at, offered.at), offered, ahead).astimezone(zone)
    return TurnRemembered.following(
        offered,
        turn_id=offered.event_id,
        session=offered.session,
        project=offered.project,
        label=f"mem_{said:%Y%m%d}_{number:03d}",
        said_at=said,
        reading=reading,
        read_by=made.usage.model,
        usage=made.usage,
        coefficient=rules.retention.coefficient_of(reading),
        days=initial_age(ended, agent, zone, offered.workdays),
        protection="asked" if reading.protect else "none",
        relations=made.relations[: rules.relations.max_relations_per_memory],
        vector=made.vector,
    )


def initial_age(ended: datetime, agent: AffectAgent, zone: tzinfo, workdays: int | None = None) -> float:
    """Return the initial age of a memory in days: from the session's end to the next night, plus the nights that passed
    since.

    If the agent's memories age by workdays and `workdays` says how many came after the session, no more nights count.
    """
    rules = agent.rules
    hour = rules.compression.schedule_hour
    last = agent.last_night or last_night_time(agent.defined_at.astimezone(zone), hour).date()
    nights = max(0, (last - last_night_time(ended, hour).date()).days)
    if workdays is not None and rules.retention.aging_days == "workdays":
        nights = min(nights, workdays)
    return first_age(ended, hour) + nights


def _platform_time(moment: datetime, offered: TurnOffered, ahead: timedelta) -> datetime:
    """Return a time of the turn by the platform's clock. A time after the turn was offered is of that clock already."""
    return moment if moment > offered.at else moment + ahead
