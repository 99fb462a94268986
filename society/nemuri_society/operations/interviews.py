"""Interviews and surveys: questions to agents aside. Nothing is written, so no agent remembers them.

An answer is made of a copy of the agent's state and memories, whether its society runs or not.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from nemuri_contracts.event import Identifier, Label, Text, Value
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_society.cognition.interview import INTERVIEW_SECTIONS, interview_prompt, state_answer
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.residents import Resident
from nemuri_society.operations.past_society import SocietyMoment, society_moment
from nemuri_society.operations.story import find_resident
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.host_study import INTERVIEW
from nemuri_society.simulation.initial_state import initial_sections
from nemuri_society.simulation.model_building import build_choice


class Interview(Value):
    """An agent's answer to a question."""

    agent: Identifier
    name: Label
    second: float
    """Second of the society's clock of the state that answered."""
    question: Text
    answer: Text
    by: Literal["model", "state"]
    """Who answered: a language model, or rules from the agent's state alone."""


async def interview(log: Log, settings: Settings, name: str, agent: str, question: str) -> Interview:
    """Return the answer of an agent, given by its name or id.

    Raises `SocietyError` if the society or the agent is unknown, and `ModelUnavailable` or `ModelRefused` if a language
    model is chosen and does not answer.
    """
    moment = await society_moment(log, name)
    resident = find_resident(moment.society, agent)
    return (await _answers(log, settings, moment, [resident], question))[0]


async def survey(log: Log, settings: Settings, name: str, question: str) -> list[Interview]:
    """Return the answers of all agents of a society. Raises like `interview`."""
    moment = await society_moment(log, name)
    return await _answers(log, settings, moment, moment.society.agents, question)


async def _answers(
    log: Log, settings: Settings, moment: SocietyMoment, residents: Sequence[Resident], question: str
) -> list[Interview]:
    models, memories = settings.model_settings(), AgentMemories(log)
    choice, places = build_choice(moment.society, models), asyncio.Semaphore(models.concurrency)
    second = moment.second or 0.0

    async def answered(resident: Resident) -> Interview:
        sections = moment.minds.get(resident.id) or initial_sections(moment.society, resident)
        snapshot = SharedState.of(resident.id, sections, second).snapshot(INTERVIEW_SECTIONS, second)
        recalled = memories.recall(resident.id, question, INTERVIEW, second, count=False)
        async with places:
            answer = await choice.of(INTERVIEW, resident.id)[1].answer(interview_prompt(snapshot, question, recalled))
        return Interview(
            agent=resident.id, name=resident.name, second=second, question=question, answer=answer.strip(),
            by="state" if answer == state_answer(snapshot) else "model",
        )  # fmt: skip

    try:
        memories.queue_load([resident.id for resident in residents])
        await memories.load()
        return await asyncio.gather(*map(answered, residents))
    finally:
        memories.close()
        await choice.close()
