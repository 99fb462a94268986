"""The cost of one sleep of an agent with a thousand memories, and of one with a million, in turn on the same servers.

    python -m bench.sleep

A sleep includes reading its input, the decision, the append, and the projector's fold and write of the event. Before
each sleep, the agent has the same session, which is not measured: ten memories retrieved, three used, one learned. In
each sleep, two memories of the agent fade to the archive threshold. So both agents change equally, and the costs differ
only by the number of memories. The limits on number and weight are off, because otherwise the million memories would be
pruned first.

The memories are inserted into the tables directly. One memory is folded from its event, and the database copies its
rows with other ids, strengths and levels. The copies have no vectors, which no sleep reads.
"""

import argparse
from uuid import UUID, uuid4

from sqlalchemy import text

from bench.measuring import Spent, save_figures, table
from bench.servers import servers
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective, PolicyAdopted
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, MemoriesRetrieved, MemoriesUsed, MemoryEncoded, SessionEnded, Use
from nemuri_domain.strength import sleep
from nemuri_domain.strength.decay import advance_by_sessions
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.projections.rebuilder import catch_up
from nemuri_infra.projections.sleep_input import sleep_input
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.stores.vectors import vector_key

SIZES = {"small": 1_000, "large": 1_000_000}
FADING, RETRIEVED, USED = 2, 10, 3
GOAL = 1.5
EMBEDDING = Embedding(model="nemuri-words-3", dimension=256)
ROOM = {"max_active_memories": None, "max_total_weight": None}
_MULTIPLIED = """
-- The template's rows with ids by number. The first memories are so faint that a few reach the threshold in each sleep
-- (`step` is what a sleep takes), the others lie at all levels and are too strong to fade meanwhile.
WITH fresh AS (
    SELECT n, md5(:agent || n)::uuid AS id, CASE WHEN n < :fading THEN 0 ELSE n % 6 END AS lies,
           CASE WHEN n < :fading THEN ln(0.1) - :clock + (n / :together + 0.5) * :step
                ELSE ln(1 + (n % 100) / 50.0) END AS keeps
    FROM generate_series(0, :memories - 1) AS n
), content AS (
    INSERT INTO memory SELECT (jsonb_populate_record(m, jsonb_build_object('memory_id', id))).*
    FROM memory AS m, fresh WHERE m.memory_id = :template
)
INSERT INTO memory_state SELECT (jsonb_populate_record(m, jsonb_build_object(
    'memory_id', id, 'level', lies, 'stored_strength', keeps, 'fade', keeps, 'perspectives', jsonb_build_object('cost',
    keeps), 'effective_uses', (ARRAY[0, 5, 15, 30, 60, 100])[lies + 1] ))).* FROM memory_state AS m, fresh WHERE
    m.memory_id = :template
"""
_COUNTED = """
UPDATE agent SET active = (
    SELECT jsonb_agg(coalesce(found, 0) ORDER BY level) FROM generate_series(0, 5) AS level
    LEFT JOIN (SELECT m.level, count(*) AS found FROM memory_state AS m WHERE agent_id = :agent GROUP BY m.level) AS m
    USING (level)
) WHERE agent_id = :agent
"""


async def say(resources: Resources, *events: Event) -> None:
    """Append the events and fold them into the projections."""
    for event in events:
        await resources.log.append(event)
    await followed(resources)


async def followed(resources: Resources) -> None:
    """Fold the log into the projections up to the log's end."""
    await catch_up(resources.projection, resources.log, await resources.log.last_sequence(), lambda *_: None)


def encoded(agent_id: str, content: str) -> MemoryEncoded:
    """Return an event that encodes a learned memory with this content."""
    return MemoryEncoded(
        event_id=uuid4(), agent_id=agent_id, memory=MemoryContent(content=content, tags=("steel", "price")),
        vector=vector_key(EMBEDDING.model, EMBEDDING.dimension, content), source="task", strength=1.0,
        perspectives=("cost",),
    )  # fmt: skip


async def filled(resources: Resources, agent_id: str, memories: int, sleeps: int) -> list[UUID]:
    """Create an agent with `memories` memories, and return the ids of some strong ones.

    Two memories fade to the archive threshold in each of `sleeps` sleeps.
    """
    definition = Definition(role=agent_id, perspectives=(Perspective(name="cost"),))
    template = encoded(agent_id, "Steel is dear in winter, when the river cannot be used.")
    await say(
        resources,
        AgentDefined(event_id=uuid4(), agent_id=agent_id, definition=definition, embedding=EMBEDDING),
        PolicyAdopted(event_id=uuid4(), agent_id=agent_id, parameters=ROOM),
        template,
    )
    for _ in range(2):  # After this, the next sleep no longer examines the template and its copies.
        await session(resources, agent_id, [])
        await slept(resources, agent_id, Spent())
    agent = (await resources.views.agents.read([agent_id]))[0]
    step = agent.clocks[0] - advance_by_sessions(agent.clocks, agent.rules, 1)[0]
    known = {"agent": agent_id, "template": template.memory_id, "memories": memories, "fading": FADING * sleeps}
    known |= {"together": FADING, "step": step, "clock": agent.clocks[0]}
    async with resources.database.begin() as connection:
        await connection.execute(text(_MULTIPLIED), known)
        await connection.execute(text(_COUNTED), {"agent": agent_id})
        await connection.execute(text("ANALYZE memory, memory_state, agent"))
        strong = text("SELECT memory_id FROM memory_state WHERE agent_id = :agent AND stored_strength > 0.5 LIMIT 500")
        return list((await connection.execute(strong, {"agent": agent_id})).scalars())


async def session(resources: Resources, agent_id: str, memories: list[UUID]) -> SessionEnded:
    """Record one session that retrieves these memories, uses the first three and learns one. Return the event that ends
    it.
    """
    assignment = uuid4()
    retrieved = MemoriesRetrieved(
        event_id=uuid4(), agent_id=agent_id, assignment_id=assignment, query="What does steel cost?", terms=("steel",),
        expansions={}, vector="-", perspective="cost", setting=Setting(), seed=1, ranking="linear-1", candidates=(),
        selected=tuple(memories),
    )  # fmt: skip
    uses = tuple(Use(memory_id=memory, method="citation") for memory in memories[:USED])
    used = MemoriesUsed(event_id=uuid4(), agent_id=agent_id, assignment_id=assignment, perspective="cost", uses=uses)
    over = SessionEnded(event_id=uuid4(), agent_id=agent_id, assignment_id=assignment)
    await say(resources, retrieved, used, encoded(agent_id, f"Lesson {assignment}"), over)
    return over


async def slept(resources: Resources, agent_id: str, spent: Spent) -> AgentSlept:
    """Run one complete sleep of the agent, add its times to `spent`, and return its event.

    Raises LookupError if the agent has no session to sleep over.
    """
    over = SessionEnded(event_id=uuid4(), agent_id=agent_id, assignment_id=uuid4())
    with spent.measured():
        newest = await resources.log.newest_on(resources.log.subjects.of_agent(agent_id, AgentSlept))
        agent = await resources.views.agent(agent_id)
        tired = await sleep_input(resources.database, agent) if agent else None
        event = sleep.decide(over, tired) if tired else None
        if event is None:
            raise LookupError(f"{agent_id} does not sleep")
        place = await resources.log.append(event, expected=newest.sequence)
        recorded = await resources.log.at(place)
        await ProjectionWriter(resources.projection).apply(Batch((recorded,) if recorded else (), (), place - 1, place))
    return event


async def measure(sizes: dict[str, int], sleeps: int) -> dict[str, object]:
    """Create both agents, let them sleep in turn, and return the figures."""
    async with servers() as settings, open_resources(settings) as resources:
        strong = {name: await filled(resources, name, size, sleeps) for name, size in sizes.items()}
        async with resources.database.reading() as connection:
            await connection.execute(text("CHECKPOINT"))
        spent = {name: Spent() for name in sizes}
        archived = dict.fromkeys(sizes, 0)
        for turn in range(sleeps):
            for name in sizes if turn % 2 else reversed(sizes):
                start = turn * RETRIEVED % 400
                await session(resources, name, strong[name][start : start + RETRIEVED])
                archived[name] += len((await slept(resources, name, spent[name])).archived)
    found: dict[str, object] = {
        name: {"memories": sizes[name], "archived": archived[name], **spent[name].medians()} for name in sizes
    }
    small, large = (spent[name].medians() for name in ("small", "large"))
    ratios = {key.removesuffix("_ms"): round(large[key] / small[key], 3) for key in small}
    return {"sleeps": sleeps, **found, "large_over_small": ratios, "goal": GOAL}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeps", type=int, default=100)
    parser.add_argument("--large", type=int, default=SIZES["large"])
    chosen = parser.parse_args()
    figures = run(measure(SIZES | {"large": chosen.large}, chosen.sleeps))
    rows: list[tuple[object, ...]] = [("memories", "wall ms", "CPU ms", "archived")]
    for name in SIZES:
        one: dict[str, object] = figures[name]  # type: ignore[assignment]
        rows.append((one["memories"], one["wall_ms"], one["cpu_ms"], one["archived"]))
    print(table(rows))
    print(f"large over small: {figures['large_over_small']}, goal {GOAL}")
    save_figures("sleep", figures)


if __name__ == "__main__":
    main()
