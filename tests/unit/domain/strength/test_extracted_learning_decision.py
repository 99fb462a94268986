"""Tests of the decision on a learning: kept, linked, counted as a repetition, or dropped."""

from uuid import UUID

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.strength import Dropped, Relation
from nemuri_domain.language.boilerplate import SET_PHRASE
from nemuri_domain.language.statement_comparison import UNRELATED, Compared, Comparison
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.extracted_learning_decision import (
    REPEATS_OTHER_LEARNING,
    REPEATS_USED_MEMORY,
    CandidateLearning,
    KeptLearning,
    LearningVerdict,
    RepeatedLearning,
    Verdicts,
    candidate_learnings,
    compared_statements,
    decide_learning,
    is_comparable,
    statements,
    verdict_on,
)
from tests.unit.domain.strength.stories import A, B, C, encoded, given, related

[LEARNING], _ = candidate_learnings({"cost": "Steel is dear."}, Setting())
TEXT = LEARNING.memory.content
MIND = given(encoded(A), encoded(B), related(C, A)).mind


def told(*judgements: tuple[UUID, Comparison], doubled: bool = False) -> Verdicts:
    """Return the verdicts of a learning's comparison with these memories, nearest memory first."""
    return Verdicts([LearningVerdict(known(memory_id)[1], judgement) for memory_id, judgement in judgements], doubled)


def known(memory_id: UUID) -> Remembered:
    """Return the memory of a mind in which memory A yields to memory C."""
    return MIND.contents[memory_id], MIND.memories[memory_id]


def test_learnings_become_memories_of_their_perspective() -> None:
    """Each learning becomes a memory with tags and the scope of the task: its project, its only domain, or
    universal.
    """
    said = {"cost": "Steel from Yamada costs 15 % more in winter.", "quality": "  "}

    (here,), nothing = candidate_learnings(said, Setting(project="bridge", domains=("steel",)))
    (field,), _ = candidate_learnings(said, Setting(domains=("steel",)))
    (anywhere,), _ = candidate_learnings(said, Setting(domains=("steel", "winter")))

    assert nothing == ()
    assert (here.perspective, here.memory.content) == ("cost", said["cost"])
    assert here.memory.learnings == {"cost": said["cost"]}
    assert {"steel", "yamada"} <= {tag.lower() for tag in here.memory.tags}
    assert (here.memory.scope.level, here.memory.scope.name) == ("project", "bridge")
    assert (field.memory.scope.level, field.memory.scope.name) == ("domain", "steel")
    assert (anywhere.memory.scope.level, anywhere.memory.scope.name) == ("universal", None)


def test_a_learning_without_content_is_dropped_and_recorded() -> None:
    """A learning without content is dropped and recorded as dropped. The other learnings are kept."""
    kept, empty = candidate_learnings({"cost": "了解しました。", "quality": "Steel is dear."}, Setting())

    assert [each.perspective for each in kept] == ["quality"]
    assert empty == (Dropped(text="了解しました。", reason=SET_PHRASE),)


def test_a_new_learning_is_kept_with_its_relations() -> None:
    """A new learning is kept with its relations. It may contradict one memory and supersede another."""
    assert decide_learning(LEARNING, told(), ()) == KeptLearning(())
    assert decide_learning(LEARNING, told((B, "contradicts"), (C, "supersedes"), (A, "unrelated")), ()) == KeptLearning(
        (Relation(older=B, sort="contradicts"), Relation(older=C, sort="supersedes"))
    )


def test_a_repetition_strengthens_the_nearest_memory() -> None:
    """If a learning says the same as several memories, it strengthens the nearest one, whatever its relations to others
    are.
    """
    assert decide_learning(LEARNING, told((C, "contradicts"), (B, "same")), ()) == RepeatedLearning(known(B)[1])
    assert decide_learning(LEARNING, told((B, "same"), (C, "same")), ()) == RepeatedLearning(known(B)[1])


def test_a_repetition_of_a_used_memory_does_not_count_again() -> None:
    """A learning that repeats a memory used in the answer does not strengthen it, because the use has done so."""
    assert decide_learning(LEARNING, told((B, "same")), {B}) == Dropped(text=TEXT, reason=REPEATS_USED_MEMORY)
    assert decide_learning(LEARNING, told((B, "same"), (C, "same")), {C}) == Dropped(
        text=TEXT, reason=REPEATS_USED_MEMORY
    )
    assert decide_learning(LEARNING, told((B, "contradicts")), {B}) == KeptLearning(
        (Relation(older=B, sort="contradicts"),)
    )


def test_of_two_equal_learnings_one_is_kept() -> None:
    """Of two equal learnings the first is kept, and the second is recorded as dropped."""
    assert decide_learning(LEARNING, told(doubled=True), ()) == Dropped(text=TEXT, reason=REPEATS_OTHER_LEARNING)


def test_a_repetition_of_an_outdated_memory_is_new() -> None:
    """A learning that repeats an outdated memory is kept as a new memory.

    Memory A yields to C. A learning that repeats A contradicts C and does not strengthen A.
    """
    assert decide_learning(LEARNING, told((A, "same"), (C, "contradicts")), ()) == KeptLearning(
        (Relation(older=C, sort="contradicts"),)
    )


def test_memories_are_near_by_similarity_or_by_words() -> None:
    """A memory is near a learning if their vectors are similar, or if they share half of the words of the shorter text.

    A text without words is never near.
    """
    assert is_comparable(0.5, [], [], same=0.5)
    assert is_comparable(0.1, ["steel", "dear"], ["steel", "cheap", "in", "summer"], same=0.5)
    assert not is_comparable(0.49, ["steel", "dear", "now"], ["steel", "cheap", "in", "summer"], same=0.5)
    assert not is_comparable(0.0, [], ["steel"], same=0.5)


def test_learnings_of_several_perspectives_stay_separate() -> None:
    """Learnings of several perspectives are decided separately."""
    kept, _ = candidate_learnings({"cost": "Steel is dear.", "quality": "Steel is hard."}, Setting())

    assert kept == (kept[0], CandidateLearning("quality", kept[1].memory))


def test_an_entry_states_its_learnings_and_not_what_happened() -> None:
    """The entry of a session states what it teaches. Any other memory states its content too."""
    taught = {"cost": "Steel is dear.", "quality": "Steel is hard."}
    memory = MemoryContent(content="Ann asked about steel.", learnings=taught)
    entry = known(A)[0].replace(memory=memory, source="task")

    assert statements(entry) == taught
    assert statements(entry.replace(source="manual")) == {None: memory.content} | taught
    alone = entry.replace(memory=MemoryContent(content=TEXT, learnings={"cost": TEXT}))
    assert statements(alone) == {None: TEXT}


def test_a_learning_is_compared_under_its_perspective_and_by_its_words() -> None:
    """A learning is compared with what a memory teaches under the same perspective, and with what shares its words."""
    taught = {"cost": "Prices rise.", "quality": "Steel is hard.", "habits": "Ann orders on Mondays."}
    entry = known(A)[0].replace(memory=MemoryContent(content="x", learnings=taught), source="task")

    assert compared_statements(LEARNING, entry).keys() == {"cost", "quality"}


def test_a_memory_repeats_a_learning_if_one_of_its_statements_does() -> None:
    """The verdict on a memory with several statements names the statement that counts first."""
    memory = known(A)[1]

    contrary, same = Compared("contradicts", "it is cheap"), Compared("same")
    assert verdict_on(memory, {"cost": contrary, "quality": same}) == LearningVerdict(memory, "same", "quality")
    assert verdict_on(memory, {None: UNRELATED, "cost": contrary}) == LearningVerdict(
        memory, "contradicts", "cost", "it is cheap"
    )
    assert verdict_on(memory, {}) == LearningVerdict(memory, "unrelated")
