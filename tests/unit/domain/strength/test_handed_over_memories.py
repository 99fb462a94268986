"""Choice of the memories that one agent passes on, and their form in the other's memory."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from nemuri_contracts.agents import Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import Origin
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Agent, Content, Memory
from nemuri_domain.strength.decay import stored_value
from nemuri_domain.strength.handed_over_memories import (
    need_of,
    reason_against,
    told_content,
    told_memory,
    worth_passing_on,
)
from tests.unit.domain.strength.stories import BEGINNING, A, B, C


def agent(name: str, *perspectives: str) -> Agent:
    """Return an agent that was just defined."""
    definition = Definition(
        role=f"{name}'s role",
        description="buys steel",
        perspectives=tuple(Perspective(name=perspective, keywords=("price",)) for perspective in perspectives),
    )
    embedding = Embedding(model="hashing", dimension=8)
    return Agent(agent_id=name, definition=definition, embedding=embedding, defined_at=BEGINNING)


ANN, BOB = agent("ann", "cost", "risk"), agent("bob", "cost")


def known(
    memory_id: UUID = A,
    text: str = "Steel is dear in winter.",
    *,
    strength: float = 1.0,
    content: Mapping[str, object] | None = None,
    memory: Mapping[str, object] | None = None,
    said: Mapping[str, object] | None = None,
) -> tuple[Content, Memory]:
    """Return a memory with its state. The last three arguments override fields of its parts."""
    fields = {"memory_id": memory_id, "agent_id": "ann", "links": (), "vector": "hashing.8.0", "source": "task"}
    times = {"created_at": BEGINNING, "created": 1, "origin": Origin(client_id="eve")}
    words = MemoryContent.model_validate({"content": text} | dict(said or {}))
    state = {"memory_id": memory_id, "agent_id": "ann", "stored_strength": stored_value(strength, 0), "changed": 1}
    return (
        Content.model_validate(fields | times | {"memory": words} | dict(content or {})),
        Memory.model_validate(state | {"perspectives": {}} | dict(memory or {})),
    )


def test_only_strong_and_current_memories_are_passed_on() -> None:
    """Faded, archived and outdated memories, principles, and what the receiver told itself stay with the source."""
    good = known()
    others = (
        known(strength=0.4),
        known(memory={"status": "archived"}),
        known(memory={"yields_to": (B,)}),
        known(content={"source": "definition"}),
        known(content={"origin": Origin(agent_id="bob", memory_id=C)}),
    )
    assert worth_passing_on(ANN, BOB, [*others, good]) == (good,)


def test_a_topic_is_a_tag() -> None:
    """With a topic only memories with this tag are passed on, whatever the case of its letters."""
    tagged = known(said={"tags": ("Steel",)})
    assert worth_passing_on(ANN, BOB, [known(B), tagged], "steel") == (tagged,)


def test_a_told_memory_begins_by_the_receivers_rules() -> None:
    """It has the initial strength and the perspectives of the receiver, and names the source's memory."""
    told = told_memory(ANN, BOB, known(strength=9.0, memory={"access_count": 7}), "key")
    assert (told.strength, told.perspectives) == (BOB.rules.initial_strength, ("cost",))
    assert told.origin == Origin(provenance="told", agent_id="ann", memory_id=A)
    assert told.links == (A,)


def test_what_was_inferred_does_not_become_told_by_being_passed_on() -> None:
    """An inferred memory stays inferred for the receiver, unless something confirmed it."""
    inferred = {"origin": Origin(provenance="inferred")}
    guess = known(content=inferred, memory={"unconfirmed": True})
    assert told_memory(ANN, BOB, guess, "key").origin.provenance == "inferred"
    confirmed = known(content=inferred, memory={"unconfirmed": False})
    assert told_memory(ANN, BOB, confirmed, "key").origin.provenance == "told"


def test_learnings_of_unknown_perspectives_become_part_of_the_text() -> None:
    """The receiver keeps learnings under its own perspectives, and loses no other one."""
    said = {"learnings": {"cost": "Buy in summer.", "risk": "Prices may double."}}
    told = told_content(known(said=said)[0].memory, BOB)
    assert told.learnings == {"cost": "Buy in summer."}
    assert told.content == "Steel is dear in winter.\nPrices may double."


def test_what_the_receiver_knows_is_left_out() -> None:
    """A memory is known if one of the receiver's says the same, has the same words, or was made of it."""
    mine = known()[0]
    cases: tuple[tuple[tuple[Content, Memory], dict[UUID, Comparison]], ...] = (
        (known(B, "Winter steel costs much."), {B: "same"}),
        (known(B, "steel is  dear in WINTER."), {}),
        (known(B, "Something else.", content={"origin": Origin(agent_id="ann", memory_id=A)}), {}),
    )
    for near, said in cases:
        against = reason_against(mine, [near], said)
        assert against is not None
        assert (against.reason, against.by) == ("known", B)
    assert reason_against(mine, [known(B, "Copper is cheap.")], {}) is None


def test_a_newer_contradiction_of_the_receiver_counts_more() -> None:
    """A memory that a newer one of the receiver contradicts is left out. An older one does not hold it back."""
    mine = known()[0]
    newer = known(B, "Steel is cheap in winter.", content={"created_at": BEGINNING + timedelta(days=1)})
    against = reason_against(mine, [newer], {B: "contradicts"})
    assert against is not None
    assert against.reason == "contradicted"
    older = known(B, "Steel is cheap in winter.", content={"created_at": BEGINNING - timedelta(days=1)})
    assert reason_against(mine, [older], {B: "contradicts"}) is None


def test_the_need_of_an_agent_names_its_field() -> None:
    """Role, description, perspectives and keywords say what an agent needs."""
    assert need_of(BOB) == "bob's role\nbuys steel\ncost price"
