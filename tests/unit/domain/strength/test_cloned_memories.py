"""The copies of a cloned agent's memories have the state of the originals, and change on their own from then on."""

from nemuri_contracts.agents import AgentDefined, Clone
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.strength import Origin
from nemuri_domain.strength.aggregate import Content, Memory, Mind
from nemuri_domain.strength.cloned_memories import copies, copy_id
from nemuri_domain.strength.fold import evolve
from tests.unit.domain.strength.stories import (
    BEGINNING,
    COST,
    RULE,
    A,
    B,
    C,
    D,
    Story,
    credited,
    encoded,
    ended,
    given,
    parted,
    recorded,
    related,
    retrieved,
    ruled,
    sleeps,
    slept,
    used,
)

CLONE = "clerk-2"


def experienced() -> Story:
    """Return the story of an agent whose memories were used, credited, archived, outdated and slept over."""
    rule = encoded(copy_id("clerk", Content.model_validate(_principle())), principle=True)
    return given(
        *ruled(initial_strength=2.0, expected_tasks_per_day=1),
        rule,
        encoded(A),
        encoded(B, perspectives=(COST,)),
        related(C, A, B),
        parted(C, B),
        encoded(D),
        retrieved(A, B),
        used(A, A, perspective=COST),
        credited(A),
        ended(1),
        sleeps(),
        slept(levels={A: (1, 2)}, archived={D: 0}),
        ended(2),
        sleeps(),
    )


def _principle() -> dict[str, object]:
    event = recorded(encoded(A, principle=True), 1)
    fields = event.model_dump(include={"memory", "links", "vector", "source"})
    return {"memory_id": A, "agent_id": "clerk", "created": 1, "created_at": BEGINNING, **fields}


def cloned(story: Story) -> Mind:
    """Return the mind of the clone of a story's agent."""
    agent = story.agent
    clone = Clone(agent_id=agent.agent_id, as_of=BEGINNING, policy=dict(agent.policy))
    begin = AgentDefined(
        event_id=A, agent_id=CLONE, definition=agent.definition, embedding=agent.embedding, cloned=clone
    )
    mind = Mind()
    events: tuple[AnyAgentEvent, ...] = (begin, *copies(story.mind, CLONE, lambda content: content.vector))
    for number, each in enumerate(events, 1):
        mind = evolve(mind, recorded(each, number))
    return mind


def test_a_clone_remembers_as_its_original_does() -> None:
    """Every field of every memory's state is that of the original, but ids, revisions and the form of the strength.

    A new field of `Memory` fails this test until a copy has it.
    """
    story = experienced()
    mind, agent = cloned(story), story.agent
    assert mind.agent is not None
    assert (mind.agent.policy, mind.agent.active, mind.agent.archived) == (agent.policy, agent.active, agent.archived)
    ids = {content.memory_id: copy_id(CLONE, content) for content in story.mind.contents.values()}
    assert len(mind.memories) == len(story.mind.memories) == 5
    for memory_id, before in story.mind.memories.items():
        after = mind.memories[ids[memory_id]]
        own = {
            "memory_id",
            "agent_id",
            "stored_strength",
            "perspectives",
            "revision",
            "changed",
            "fade",
            "relations",
            "yields_to",
            "held_until",
            "rescoped",
        }
        assert after.model_dump(exclude=own) == before.model_dump(exclude=own)
        assert after.yields_to == tuple(ids[each] for each in before.yields_to)
        assert after.held_until == {ids[newer]: at for newer, at in before.held_until.items()}
        for relation, copy in zip(before.relations, after.relations, strict=True):
            assert copy == relation.model_copy(update={"older": ids[relation.older]})
        for perspective in (None, *before.perspectives):
            there, here = agent.strength(before, perspective), mind.agent.strength(after, perspective)
            assert abs(there - here) < 1e-9 * there


def test_a_copy_names_its_original() -> None:
    """Each copy links to its original, and keeps text, time and source. Links between originals are between copies."""
    story = experienced()
    mind = cloned(story)
    for content in story.mind.contents.values():
        copy = mind.contents[copy_id(CLONE, content)]
        assert (copy.memory, copy.created_at, copy.source) == (content.memory, content.created_at, content.source)
        assert (copy.origin.agent_id, copy.origin.memory_id) == ("clerk", content.memory_id)
        assert (content.memory_id in copy.links) == (content.memory.content != RULE)
    assert mind.memories[copy_id(CLONE, story.mind.contents[A])].yields_to == (copy_id(CLONE, story.mind.contents[C]),)


def test_a_repeated_copy_changes_nothing() -> None:
    """A copy that is appended again after the clone has learned does not set the memory back."""
    story = experienced()
    mind, again = cloned(story), copies(story.mind, CLONE, lambda content: content.vector)
    slipped = mind.with_agent(clocks=(-1.0,) * 6)
    for number, each in enumerate(again, 100):
        slipped = evolve(slipped, recorded(each, number))
    assert slipped.memories == mind.memories


def test_an_origin_with_an_agent_alone_is_a_source() -> None:
    """Memories told by a colleague count as one source, those of a client as that client's."""
    assert Origin(agent_id="bob").source == "agent bob"
    assert Origin(agent_id="bob", client_id="ann").source == "client ann"
    assert isinstance(next(iter(cloned(experienced()).memories.values())), Memory)
