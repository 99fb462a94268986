"""Steering of a society: pause, step and continue its clock, and give its agents beliefs, events and laws."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Literal

import orjson

from nemuri_infra.bus.event_log import Log
from nemuri_society.cognition.influence import STUDY
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import SocietyFigures, watch_figures
from nemuri_society.operations.story import find_resident
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.control import Influence, give, limit_clock, read_limit, take_back
from nemuri_society.simulation.leases import BEAT_SECONDS
from nemuri_society.simulation.worlds import world_class
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import AGENT, SocietyError, States

ANSWER_SECONDS: Final = 5.0
"""Seconds without figures of the world after which a society counts as not running."""
GIVEN_SECONDS: Final = 15.0
"""Seconds after which an influence that did not reach a running agent is taken back."""
RECORDED_SECONDS: Final = 45.0
"""Seconds after which agents that are not reached are given up: a model has not answered, or a host is gone."""
POLL_SECONDS: Final = 0.2
OBEY_SECONDS: Final = 2 * BEAT_SECONDS
"""Seconds of the wall clock within which every process has read a new limit of the clock."""
BEATS_TO_OBEY: Final = 2
"""Number of the world's figures until it has obeyed: it may have read the limit just before it was written."""
TOLERANCE: Final = 1e-6
"""Rounding error of the clock, in seconds."""


async def pause_society(log: Log, name: str) -> float:
    """Let the clock of a running society stand still, and return its second. Model calls in flight end.

    Hosts and world stop at one second, `OBEY_SECONDS` from now. Raises `SocietyError` if the society does not exist or
    does not run, if its world has no clock of its own, or if another command changes the clock meanwhile.
    """

    def until(society: Society, second: float, before: float | None) -> float:
        stands = before is not None and second >= before - TOLERANCE
        return second if stands else second + OBEY_SECONDS * society.speed

    return await _steer(log, name, until)


async def step_society(log: Log, name: str, seconds: float) -> float:
    """Let a running society go on for some seconds of its clock, wait until they are over, and return the second.

    Raises like `pause_society`.
    """
    return await _steer(log, name, lambda _society, second, _before: second + seconds)


async def continue_society(log: Log, name: str) -> float:
    """Let the clock of a running society run on, and return its second. Raises like `pause_society`."""
    return await _steer(log, name, lambda _society, _second, _before: None)


async def inject(
    log: Log, name: str, agent: str, sort: Literal["belief", "event", "law"], text: str
) -> tuple[Resident, bool]:
    """Give an agent a belief, an event or a law. Return the agent, and whether it has reached it.

    If the society runs, wait until the host has given it to the agent. Otherwise it reaches the agent as soon as the
    society goes on. Raises `SocietyError` if the society or the agent is unknown.
    """
    states = await States.open(log, name)
    society = await read_society(states)
    resident = find_resident(society, agent)
    influence_id = await give(states, Influence(agent=resident.id, sort=sort, text=text))
    if not await _is_running(log, name):
        return resident, False
    key = f"{AGENT}.{_cell(society, resident)}.{resident.id}.{STUDY}"
    try:
        async with asyncio.timeout(GIVEN_SECONDS):
            while not await _is_given(states, key, influence_id):  # noqa: ASYNC110
                await asyncio.sleep(POLL_SECONDS)  # The host writes the state at a beat, which nothing announces.
    except TimeoutError:
        await take_back(states, influence_id)
        raise SocietyError(f"no host of society {name!r} runs {resident.name}; nothing was changed") from None
    await take_back(states, influence_id)
    return resident, True


async def give_all(
    log: Log, name: str, sort: Literal["event", "law", "question"], texts: Mapping[str, str]
) -> dict[str, str]:
    """Give each of these agents of a running society, by id, an event or a law, or ask it a question aside.

    Wait until it is on record that it reached them, `RECORDED_SECONDS` at most. Return the answers, or the texts that
    were not questions, of the agents that were reached.
    """
    states, record = await States.open(log, name), SocietyRecord(log, name)
    after, until = await record.last_sequence(), time.monotonic() + RECORDED_SECONDS
    given = [await give(states, Influence(agent=agent, sort=sort, text=text)) for agent, text in texts.items()]
    reached = dict[str, str]()
    try:
        while len(reached) < len(texts) and time.monotonic() < until:
            await asyncio.sleep(POLL_SECONDS)  # Hosts write the record at a beat, which nothing announces.
            async for event in record.events(after=after):
                values = event.values
                if event.kind == "answer" and texts.get(values["agent"]) == values["question"]:
                    reached[values["agent"]] = values["answer"]
                elif event.kind == "influence" and texts.get(values["agent"]) == values["text"]:
                    reached[values["agent"]] = values["text"]
    finally:
        for influence_id in given:
            await take_back(states, influence_id)
    return reached


async def _is_given(states: States, key: str, influence_id: str) -> bool:
    entry = await states.get(key)
    return entry is not None and influence_id in orjson.loads(entry.value).get("given", ())


def _cell(society: Society, resident: Resident) -> int:
    return next(nth for nth in range(society.cells) if resident in society.cell(nth))


async def _steer(log: Log, name: str, limit: Callable[[Society, float, float | None], float | None]) -> float:
    """Put a limit of the clock in force, and return the world's second once the world stands there.

    `limit` returns it for the society, the world's second and the limit before. None lets the clock run on.
    """
    states = await States.open(log, name)
    society = await read_society(states)
    if not world_class(society.world).pausable:
        raise SocietyError(f"society {name!r} cannot be paused: its world, {society.world}, does not stand still")
    async with watch_figures(log, name) as figures:
        second = await _next_second(figures, name)
        until = limit(society, second, (await read_limit(states)).until)
        await limit_clock(states, until)
        beats = 0
        while beats < BEATS_TO_OBEY or (until is not None and second < until - TOLERANCE):
            second, beats = await _next_second(figures, name), beats + 1
            if (await read_limit(states)).until != until:
                raise SocietyError(f"another command has changed the clock of society {name!r} meanwhile")
        return second


async def _next_second(figures: SocietyFigures, name: str) -> float:
    """Return the world's second by its next figures, which it publishes with every beat."""
    figures.world_updated.clear()
    with suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS):
            await figures.world_updated.wait()
    if figures.world_health is None or not figures.world_updated.is_set():
        raise SocietyError(f"society {name!r} is not running; continue it with `nemuri society resume {name}`")
    return figures.world_health.second


async def _is_running(log: Log, name: str) -> bool:
    async with watch_figures(log, name) as figures:
        try:
            await _next_second(figures, name)
        except SocietyError:
            return False
        return True
