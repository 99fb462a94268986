"""A small platform with something to see on every page, for the walk through the window and for its pictures."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from nemuri.client.client import Client
from nemuri_contracts.affective import NightPassed, TurnOffered
from nemuri_contracts.agents import AgentDefined, Definition, Perspective
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    EMBEDDING,
    connected_client,
    dead_letters,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.integration.poison import submission
from tests.integration.web_gateway import Gateway, running_gateway
from tests.integration.window.sample_society import VILLAGE, found_village

INJECTIONS = (
    "<script>window.stolen = document.cookie</script>",
    '<img src="x" onerror="window.stolen = 1">',
    "</script><svg onload=window.stolen=1>",
    "{{ 7 * 7 }} {% for x in [1] %} ${window.stolen=1} javascript:window.stolen=1",
    '" autofocus onfocus="window.stolen=1" x="',
)
"""Texts that do something if they are shown as markup or evaluated as a template."""
LIBRARY = {
    "A dictionary without items has the truth value false.": ("truth",),
    "Compare with None by `is`, never by ==.": ("truth", "style"),
    "A list of lists made by multiplication shares its rows.": ("lists",),
    "Default arguments are evaluated once, when the function is defined.": ("functions",),
    "The garden gate needs oil before winter.": ("house",),
}
QUESTIONS = (
    "Which truth value has a dictionary without items?",
    "How do I compare with None?",
    "Why do the rows of my list of lists change together?",
)
TURNS = (
    ("The deploy failed again and I am furious!", "The certificate had expired; it is renewed."),
    ("Finally all tests are green, I am so happy.", "Good. The flaky test waited for a port."),
    ("Which port does the database use?", "It uses 5432."),
)
RESIDENTS = 12


@dataclass(frozen=True, slots=True)
class SamplePlatform:
    """A running platform with agents of all three kinds, tasks, sleeps, a night, a society and a dead letter."""

    resources: Resources
    gateway: Gateway
    tasks: tuple[UUID, ...]
    """Ids of tasks that are done."""
    memory: UUID
    """Id of a memory that an answer used."""
    dead_letter: str
    """Name of a dead letter, such as intake/17."""

    def pages(self) -> Mapping[str, str]:
        """Return the address of every view, by the name of its picture."""
        return {
            "overview": "/",
            "log": "/log",
            "event": "/log/3",
            "tasks": "/tasks",
            "task": f"/tasks/{self.tasks[0]}",
            "why": f"/tasks/{self.tasks[0]}/why",
            "agents": "/agents",
            "agent": "/agents/python",
            "memory": f"/memories/{self.memory}",
            "sleep": "/sleep",
            "time": "/time?agent=python",
            "affect": "/agents/diary/affect",
            "tiers": "/agents/noah/tiers",
            "societies": "/societies",
            "society": f"/societies/{VILLAGE}",
            "replay": f"/societies/{VILLAGE}/replay",
            "mind": f"/societies/{VILLAGE}/agents/{VILLAGE}-0000",
            "operations": "/operations",
            "dead-letter": f"/operations/dead/{self.dead_letter}",
            "erasure": f"/operations/erasure?sort=memory&name={self.memory}",
            "ask": "/ask",
        }


@asynccontextmanager
async def sample_platform(settings: Settings) -> AsyncIterator[SamplePlatform]:
    """Run all services and the gateway, fill the platform, and yield it."""
    async with (
        running_services(settings) as resources,
        running_gateway(settings) as gateway,
        connected_client(settings, OPERATOR) as client,
    ):
        await _define_agents(resources, client)
        for text, tags in LIBRARY.items():
            await client.remember("python", text, tags=tags)
        for injection in INJECTIONS:
            await client.remember("python", f"Note {injection}")
        results = [await client.ask(question, agent="python", settled=True) for question in QUESTIONS]
        await client.feedback(results[0].task_id, "helpful", result="success")
        await _fill_affective(resources)
        for each in ("Lila gave me iron at the mine.", "I built a wall with Lila.", "The wolves attacked at night!"):
            await client.experience("noah", each, participants=["Lila"], importance=0.8)
        await found_village(resources.log, RESIDENTS)
        name = await _leave_dead_letter(resources)
        await until_idle(resources)
        used = next(each for result in results for each in result.used)
        yield SamplePlatform(resources, gateway, tuple(each.task_id for each in results), used, name)


async def _define_agents(resources: Resources, client: Client) -> None:
    perspectives = (
        Perspective(name="semantics", keywords=("truth", "value")),
        Perspective(name="pitfalls", keywords=("error", "shared")),
    )
    kinds: dict[str, dict[str, object]] = {
        "python": {"perspectives": perspectives, "description": "python language truth value lists functions"},
        "diary": {"memory": "affective"},
        "noah": {"memory": "tiered"},
    }
    for agent_id, more in kinds.items():
        definition = Definition.model_validate({"role": f"{agent_id} of the sample"} | more)
        await resources.log.append(
            AgentDefined(event_id=uuid4(), agent_id=agent_id, definition=definition, embedding=EMBEDDING)
        )
    await client.settle()


async def _fill_affective(resources: Resources) -> None:
    """Let the affective agent remember turns of two days ago, and pass a night."""
    began = datetime.now(UTC) - timedelta(days=2)
    for number, (prompt, reply) in enumerate(TURNS):
        await resources.log.append(
            TurnOffered(
                event_id=uuid4(),
                client_id=OPERATOR,
                agent_id="diary",
                session="sample",
                prompt=prompt,
                reply=reply,
                said_at=began + timedelta(minutes=number),
                ended_at=began + timedelta(minutes=number + 1),
            )
        )
    await until_idle(resources)
    await resources.clock.advance(timedelta(days=1))

    async def night_passed() -> bool:
        """Return True once the nightly job has run."""
        return any(isinstance(event, NightPassed) for event in await effective_events(resources.log))

    await eventually(night_passed)


async def _leave_dead_letter(resources: Resources) -> str:
    """Publish a task without a text, and return the name of its dead letter."""
    subject = f"{resources.log.subjects.namespace}.client.-.{OPERATOR}.task_submitted"
    ack = await resources.log.stream.publish(subject, submission(text=""))
    name = f"intake/{ack.seq}"

    async def stored() -> bool:
        """Return True once the dead letter is stored."""
        return name in {letter.letter.name for letter in await dead_letters(resources.log)}

    await eventually(stored)
    return name
