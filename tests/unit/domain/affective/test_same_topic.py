"""Tests of the relation `same_topic` with the vectors of the built-in embedder, in an agent without servers."""

from datetime import UTC, datetime, timedelta

from bench.simulated_memory import CachedEmbedder, SimulatedMemory

from nemuri_domain.affective.policy import AffectPolicy
from nemuri_infra.embeddings.built_in import BuiltInEmbedder

MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)
TURNS = (
    ("The parser crashes on empty files again, fix it.", "Fixed: parse() returns an empty document for an empty file."),
    ("Which day do we deploy?", "Deploys go out on Tuesdays only, never on a Friday."),
    ("An empty file still makes the parser fail.", "The parser now treats an empty input file as an empty document."),
    ("Our login endpoint is slow, find out why.", "bcrypt with a cost of 14 takes most of the time."),
)


async def related(policy: AffectPolicy) -> set[frozenset[int]]:
    """Return the pairs of turns with the relation after the first night."""
    memory = SimulatedMemory(CachedEmbedder(BuiltInEmbedder()), policy, MONDAY - timedelta(days=1))
    ids = [await memory.remember("s", prompt, reply, MONDAY, MONDAY) for prompt, reply in TURNS]
    await memory.pass_nights(MONDAY + timedelta(days=1))
    every = [memory.mind.memories[each] for each in ids]
    ties = [(each.memory_id, link) for each in every for link in each.relations]
    assert {link.sort for _, link in ties} <= {"same_topic"}
    return {frozenset((ids.index(of), ids.index(link.to))) for of, link in ties}


async def test_two_turns_about_the_same_in_other_words_are_related() -> None:
    """Turns about the same subject are related after a night, and no others, by the threshold of the embedder."""
    assert await related(AffectPolicy()) == {frozenset((0, 2))}


async def test_a_number_in_the_policy_replaces_the_threshold_of_the_embedder() -> None:
    """The policy's threshold decides, if it has one: a high one relates nothing."""
    assert await related(AffectPolicy.of({"relations": {"auto_link_similarity_threshold": 0.99}})) == set()
