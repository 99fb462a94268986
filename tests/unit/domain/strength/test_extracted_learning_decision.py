"""What becomes of a learning: kept, linked, taken for a repetition, or dropped."""

from uuid import UUID

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Dropped, Relation
from nemuri_domain.language.boilerplate import SET_PHRASE
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.extracted_learning_decision import (
    REPEATS_OTHER_LEARNING,
    REPEATS_USED_MEMORY,
    CandidateLearning,
    KeptLearning,
    RepeatedLearning,
    Verdicts,
    candidate_learnings,
    decide_learning,
    is_comparable,
)
from tests.unit.domain.strength.stories import A, B, C, encoded, given, related

[LEARNING], _ = candidate_learnings({"cost": "Steel is dear."}, Setting())
TEXT = LEARNING.memory.content
MIND = given(encoded(A), encoded(B), related(C, A)).mind


def told(*judgements: tuple[UUID, Comparison], doubled: bool = False) -> Verdicts:
    """What the learning says of these memories, the nearest first."""
    return Verdicts([(known(memory_id), judgement) for memory_id, judgement in judgements], doubled)


def known(memory_id: UUID) -> Remembered:
    """A memory of the mind, in which A yields to C."""
    return MIND.contents[memory_id], MIND.memories[memory_id]


def test_learnings_become_memories_of_their_perspective() -> None:
    """With tags, valid where the task took place: its project, its only domain, or everywhere."""
    said = {"cost": "Steel from Yamada costs 15 % more in winter.", "quality": "  "}

    (here,), nothing = candidate_learnings(said, Setting(project="bridge", domains=("steel",)))
    (field,), _ = candidate_learnings(said, Setting(domains=("steel",)))
    (anywhere,), _ = candidate_learnings(said, Setting(domains=("steel", "winter")))

    assert nothing == ()
    assert (here.perspective, here.memory.content) == ("cost", said["cost"])
    assert here.memory.learnings == {"cost": said["cost"]}
    assert {"steel", "yamada"} <= {each.lower() for each in here.memory.tags}
    assert (here.memory.scope.level, here.memory.scope.name) == ("project", "bridge")
    assert (field.memory.scope.level, field.memory.scope.name) == ("domain", "steel")
    assert (anywhere.memory.scope.level, anywhere.memory.scope.name) == ("universal", None)


def test_what_says_nothing_is_dropped_and_told() -> None:
    """The others are kept."""
    kept, empty = candidate_learnings({"cost": "了解しました。", "quality": "Steel is dear."}, Setting())

    assert [each.perspective for each in kept] == ["quality"]
    assert empty == (Dropped(text="了解しました。", reason=SET_PHRASE),)


def test_what_is_new_is_kept_with_what_it_outdates() -> None:
    """It may contradict one memory and supersede another."""
    assert decide_learning(LEARNING, told(), ()) == KeptLearning(())
    assert decide_learning(LEARNING, told((B, "contradicts"), (C, "supersedes"), (A, "unrelated")), ()) == KeptLearning(
        (Relation(older=B, sort="contradicts"), Relation(older=C, sort="supersedes"))
    )


def test_what_a_memory_says_already_strengthens_it() -> None:
    """The nearest of those that say it, whatever else the learning says of others."""
    assert decide_learning(LEARNING, told((C, "contradicts"), (B, "same")), ()) == RepeatedLearning(B)
    assert decide_learning(LEARNING, told((B, "same"), (C, "same")), ()) == RepeatedLearning(B)


def test_what_was_used_is_not_counted_twice() -> None:
    """The use itself has strengthened the memory already."""
    assert decide_learning(LEARNING, told((B, "same")), {B}) == Dropped(text=TEXT, reason=REPEATS_USED_MEMORY)
    assert decide_learning(LEARNING, told((B, "same"), (C, "same")), {C}) == Dropped(
        text=TEXT, reason=REPEATS_USED_MEMORY
    )
    assert decide_learning(LEARNING, told((B, "contradicts")), {B}) == KeptLearning(
        (Relation(older=B, sort="contradicts"),)
    )


def test_of_two_learnings_that_say_the_same_one_is_kept() -> None:
    """The other is told."""
    assert decide_learning(LEARNING, told(doubled=True), ()) == Dropped(text=TEXT, reason=REPEATS_OTHER_LEARNING)


def test_what_is_outdated_and_said_again_is_new() -> None:
    """A yields to C; whoever says again what A says contradicts C, and does not strengthen what yields."""
    assert decide_learning(LEARNING, told((A, "same"), (C, "contradicts")), ()) == KeptLearning(
        (Relation(older=C, sort="contradicts"),)
    )


def test_near_is_by_cosine_or_by_words() -> None:
    """Half of the words of the shorter text are enough; no words are never near."""
    assert is_comparable(0.5, [], [])
    assert is_comparable(0.1, ["steel", "dear"], ["steel", "cheap", "in", "summer"])
    assert not is_comparable(0.49, ["steel", "dear", "now"], ["steel", "cheap", "in", "summer"])
    assert not is_comparable(0.0, [], ["steel"])


def test_a_learning_is_what_a_perspective_says() -> None:
    """Learnings of several perspectives stay apart."""
    kept, _ = candidate_learnings({"cost": "Steel is dear.", "quality": "Steel is hard."}, Setting())

    assert kept == (kept[0], CandidateLearning("quality", kept[1].memory))
