"""Understanding of an offered turn: what a model reads in it, beside the memories that it may relate to."""

from nemuri_contracts.affective import Link, TurnOffered
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory, embedded_text
from nemuri_domain.affective.candidate_query import AffectiveRetrieval, PromptVectors
from nemuri_domain.affective.remember_requests import relation_in
from nemuri_domain.affective.turn_encoding import TurnUnderstanding, with_matters
from nemuri_domain.affective.turn_reader import read_turn
from nemuri_infra.models.jobs.turn_reading import FeelJob
from nemuri_infra.models.protocol import Model
from nemuri_infra.models.sources import Source
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.stores.vectors import Vectors
from nemuri_services.affective_memory.candidates import candidates_by_vector

MAX_EARLIER = 5
"""Maximum number of earlier memories that a turn is compared with."""
EARLIER_LIMIT = 600
"""Maximum number of characters of an earlier memory that a model sees when it reads a turn."""


async def understand(
    turn: TurnOffered,
    agent: AffectAgent,
    model: Model,
    vectors: Vectors,
    queries: AffectiveQueries,
    indexes: MemoryIndexes,
) -> TurnUnderstanding:
    """Return what the model reads in a turn: its meaning, its emotion, and its relations to earlier memories.

    Earlier memories are looked up only if the model can tell relations, or if the words of the prompt express one.
    """
    some = model.understands or relation_in(turn.prompt) is not None
    earlier = await similar_memories(turn, agent, vectors, queries, indexes) if some else []
    known = {f"e{number}": memory for number, memory in enumerate(earlier, 1)}
    sources = tuple(
        Source(label, f"{memory.trigger}\n{memory.content}"[:EARLIER_LIMIT]) for label, memory in known.items()
    )
    reply = await model.do(FeelJob(turn.prompt, turn.reply, sources))
    reading = with_matters(reply.value.reading, turn.matters)
    links = tuple(Link(to=known[label].memory_id, sort=sort) for label, sort in reply.value.relations.items())
    key = vectors.key(embedded_text(reading.trigger, reading.content))
    return TurnUnderstanding(reading, reply.usage, key, links)


async def similar_memories(
    turn: TurnOffered, agent: AffectAgent, vectors: Vectors, queries: AffectiveQueries, indexes: MemoryIndexes
) -> list[AffectMemory]:
    """Return the active memories of the turn's project that have the same subject, most similar first.

    They are at most `MAX_EARLIER`. The turn is compared as the lexicon reads it.
    """
    reading = read_turn(turn.prompt, turn.reply)
    words = embedded_text(reading.trigger, reading.content)
    given = agent.rules.retrieval.relevance_similarity
    bound = vectors.thresholds.related if given is None else given
    projects = agent.project_names(turn.project) if turn.project else ()
    wanted = AffectiveRetrieval(
        top=MAX_EARLIER, relevance=bound, revival=bound, mood=None, archive=False, projects=projects
    )
    asked = PromptVectors.of((await vectors.of([words]))[0])
    found = await candidates_by_vector(agent, vectors, asked, wanted, indexes)
    nearest = sorted(
        (candidate for candidate in found if candidate.similarity >= bound), key=lambda candidate: -candidate.similarity
    )
    known = await queries.memories(memory.memory_id for memory in nearest[:MAX_EARLIER])
    return [known[candidate.memory_id] for candidate in nearest if candidate.memory_id in known]
