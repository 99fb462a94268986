"""Choice of the memories that become one semantic memory: settled, of one scope, and saying the same."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.strength import AgentSlept, Consolidated, Origin, Relation
from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.semantic_groups import (
    MAX_ANCHORS,
    MAX_LABELS,
    comparable_pairs,
    groups,
    is_settled,
    may_agree,
    merged_content,
    newly_settled,
    semantic_memory,
    statement_pairs,
    typical_first,
)
from tests.unit.domain.strength.stories import AGENT, given

DAY = datetime(2026, 1, 1, tzinfo=UTC)
RULES = Policy()


def memory(number: int, text: str, *, uses: int = 5, created: datetime = DAY, **fields: Any) -> Remembered:
    """Return a settled memory with this text. `fields` are fields of its content, of its state, or of both rows."""
    known = {name: fields.pop(name) for name in ("source", "origin") if name in fields}
    state = {
        name: fields.pop(name)
        for name in ("status", "level", "relations", "yields_to", "unconfirmed")
        if name in fields
    }
    memory_id = UUID(int=number)
    content = Content(
        memory_id=memory_id, agent_id=AGENT, memory=MemoryContent(content=text, **fields), links=(), vector="-",
        created_at=created, created=number, **({"source": "manual"} | known),
    )  # fmt: skip
    return content, Memory(
        memory_id=memory_id, agent_id=AGENT, stored_strength=0.0, perspectives={}, access_count=uses, changed=number,
        **({"level": 1} | state),
    )  # fmt: skip


def same(*pairs: tuple[int, int]) -> dict[tuple[UUID, UUID], Any]:
    """Return comparisons in which these pairs are the same, in this direction only."""
    return {(UUID(int=one), UUID(int=other)): "same" for one, other in pairs}


def test_only_memories_that_settled_in_this_sleep_are_looked_at() -> None:
    """The anchors are the memories that reached the policy's level in the sleep, highest first and bounded in number.
    With the switch off there is none.
    """
    changes = tuple(Consolidated(memory_id=UUID(int=at), revision=0, level=at % 4) for at in range(40))
    event = AgentSlept(event_id=UUID(int=99), agent_id=AGENT, sessions=(), consolidated=changes)
    found = newly_settled(event, Policy(semantic_level=2))
    assert len(found) == MAX_ANCHORS
    assert {each.int % 4 for each in found} == {3}
    assert newly_settled(event, Policy(semantic_memories_per_sleep=0)) == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"level": 0},
        {"status": "archived"},
        {"status": "absorbed"},
        {"yields_to": (UUID(int=9),)},
        {"source": "definition"},
    ],
    ids=str,
)
def test_other_memories_stay_alone(fields: dict[str, Any]) -> None:
    """A memory below the level, an archived, absorbed or outdated one, and one of a definition stays as it is."""
    assert is_settled(memory(1, "Steel is dear."), RULES)
    assert not is_settled(memory(1, "Steel is dear.", **fields), RULES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Steel costs 100 euro.", "Steel costs 200 euro."),
        ("The delivery came on 3 May.", "The delivery came on 4 May."),
        ("Steel is dear.", "Steel is not dear."),
        ("鋼は冬に高い。", "鋼は冬に高くない。"),
        ("納期は3日です。", "納期は5日です。"),
        ("If it rains, the crane stops.", "If it does not rain, the crane stops."),
    ],
)
def test_differing_figures_dates_and_negations_forbid_a_merge(one: str, other: str) -> None:
    """Memories with other numbers, dates or negations are not even compared, whatever a model would say."""
    assert not may_agree(memory(1, one)[0], memory(2, other)[0])
    assert comparable_pairs([[memory(1, one), memory(2, other)]]) == ()


def test_relative_times_must_mean_the_same_day() -> None:
    """ "Yesterday" means the same only if it was said on the same day."""
    later = datetime(2026, 2, 1, tzinfo=UTC)
    text = "Yesterday the supplier burned down."
    assert not may_agree(memory(1, text)[0], memory(2, text, created=later)[0])
    assert may_agree(memory(1, text)[0], memory(2, text, created=later, said_at=DAY)[0])
    assert may_agree(memory(1, "The supplier is unsafe.")[0], memory(2, "The supplier is unsafe.", created=later)[0])


def test_scopes_and_learnings_must_agree() -> None:
    """Memories of different scopes stay apart, and so do those that taught different figures under one perspective."""
    plain = memory(1, "Steel is dear.", learnings={"cost": "Plan for 10 percent more."})[0]
    assert not may_agree(plain, memory(2, "Steel is dear.", scope=Scope(level="project", name="bridge"))[0])
    assert not may_agree(plain, memory(2, "Steel is dear.", learnings={"cost": "Plan for 20 percent more."})[0])
    assert may_agree(plain, memory(2, "Steel is dear.", learnings={"quality": "Plan for 20 percent more."})[0])


def test_all_members_of_a_group_say_the_same_in_both_directions() -> None:
    """A memory joins a group only if it and each member say the same in both directions. No memory is in two groups,
    and there are no more groups than the policy allows.
    """
    one, two, three, four = (memory(number, "Steel is dear.") for number in range(1, 5))
    both = same((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 4), (4, 3), (2, 4), (4, 2))
    near = [[one, two, three], [two, four], [four, two, three]]
    assert groups(near, both, 3) == [[one, two], [four, three]]
    assert groups(near, both, 1) == [[one, two]]
    assert groups(near, same((1, 2)), 3) == []


def test_a_group_fits_into_one_memory() -> None:
    """A memory whose tags would not fit into the semantic memory stays alone, so that no tag is lost."""
    one = memory(1, "Steel is dear.", tags=tuple(f"a{number}" for number in range(MAX_LABELS)))
    two = memory(2, "Steel is dear.", tags=("b",))
    assert groups([[one, two]], same((1, 2), (2, 1)), 3) == []


def test_the_content_is_that_of_the_sources() -> None:
    """The semantic memory has the words of its most central source, all tags, and under each perspective what the most
    used source taught. It has the speaker that all share, and no date.
    """
    group = [
        memory(
            1, "In winter steel is dear.", tags=("steel",), learnings={"cost": "Buy early."}, said_by="Ann", said_at=DAY
        ),
        memory(
            2, "Steel is dear in winter.", uses=9, tags=("winter",), learnings={"cost": "Buy in May."}, said_by="Ann"
        ),
        memory(3, "Steel is really dear in cold winter.", learnings={"quality": "Check it."}, said_by="Ann"),
    ]
    content = merged_content(group, typical_first(group)[0])
    assert content.content == "Steel is dear in winter."
    assert set(content.tags) == {"steel", "winter"}
    assert content.learnings == {"cost": "Buy in May.", "quality": "Check it."}
    assert (content.said_by, content.said_at) == ("Ann", None)


def test_provenance_and_relations_come_from_the_sources() -> None:
    """The provenance is the weakest of the sources, where a confirmed inference counts as told. Relations to older
    memories outside the group are kept, and so is an origin that all sources share.
    """
    outside, inside = Relation(older=UUID(int=9), sort="supersedes"), Relation(older=UUID(int=2), sort="contradicts")
    told, observed = (Origin(client_id="ann", provenance=each) for each in ("told", "observed"))
    inferred = Origin(client_id="bob", provenance="inferred")
    first = memory(1, "Steel is dear.", origin=observed, relations=(outside, inside))
    agent = given().agent

    def formed(*group: Remembered) -> Any:
        return semantic_memory(agent, group, merged_content(group, "Steel is dear."), "-")

    shared = formed(first, memory(2, "Steel is dear.", origin=told, created=datetime(2026, 3, 1, tzinfo=UTC)))
    assert shared.origin == told
    assert shared.relations == (outside,)
    assert (shared.experiences.count, shared.experiences.since, shared.experiences.until.month) == (2, DAY, 3)
    assert formed(first, memory(2, "Steel is dear.", origin=inferred, unconfirmed=True)).origin.provenance == "inferred"
    confirmed = memory(2, "Steel is dear.", origin=inferred)
    assert formed(first, confirmed).origin == Origin(provenance="told")


def test_episodes_that_taught_the_same_belong_together() -> None:
    """What happened in a task is not compared, only what it taught. So two fires that taught the same risk agree, and
    the semantic memory says the risk without the fires.
    """
    risk, other = "Supplier Y has a single site.", "Supplier Y has many sites."
    fire = memory(1, "In January 2024 Y burned.", source="task", learnings={"risk": risk})
    flood = memory(2, "On 3 May Y was flooded.", source="task", uses=9, learnings={"risk": risk, "cost": "Pay less."})
    storm = memory(3, "In 2025 a storm hit Y.", source="task", learnings={"risk": other})
    told = memory(4, "Supplier Y has a single site.")
    assert may_agree(fire[0], flood[0])
    assert statement_pairs(fire[0], flood[0]) == ((risk, risk),)
    assert statement_pairs(fire[0], storm[0]) == ((risk, other),)
    assert statement_pairs(fire[0], told[0]) == ((risk, risk),)
    assert statement_pairs(flood[0], told[0]) == ()
    assert typical_first([fire, flood]) == [risk]
