"""Tests of detecting the memories that an answer used."""

from uuid import UUID

from nemuri_domain.strength.policy import Detection
from nemuri_domain.strength.usage_detection import TOLD_AGAIN, ContextMemory, detect_uses, judged_uses, told_again

A, B, C, D = (UUID(int=number) for number in range(1, 5))


def test_citations_take_precedence_over_similarity_and_similarity_over_tags() -> None:
    """Citations take precedence over similarity, and similarity over tags. The first kind of evidence found decides
    alone.

    Two matching tags of one memory are needed.
    """
    shown = [ContextMemory(A, ("steel", "winter"), 0.0), ContextMemory(B, ("delay",), 0.0), ContextMemory(C, (), 1.0)]

    assert _used("steel is late in winter", [C, C], shown) == {C: "citation"}
    assert _used("steel is late in winter", [], shown) == {C: "similarity"}
    assert _used("steel is late in winter", [], shown[:2]) == {A: "tag"}
    assert _used("steel comes with a delay", [], shown[:2]) == {}


def test_only_memories_in_the_context_can_be_used() -> None:
    """A memory can be used only if it was in the context. A citation of another memory is ignored."""
    assert _used("steel", [D], [ContextMemory(A, ("steel",), 1.0), ContextMemory(B, (), 0.0)]) == {A: "similarity"}
    assert _used("steel", [D], []) == {}


def test_complete_citations_are_final() -> None:
    """If the answer states that its citations are complete and has none, it used no memory."""
    shown = [ContextMemory(A, ("steel",), 0.9)]

    assert detect_uses("steel", [], shown, complete=True) == ()
    assert [use.memory_id for use in detect_uses("-", [A], shown, complete=True)] == [A]


def test_a_tag_counts_as_a_whole_term_only() -> None:
    """A tag matches only as a whole term: `art` does not match `start`, nor does 京都 match 東京都."""
    shown = [ContextMemory(A, ("art",), 0.0), ContextMemory(B, ("rent",), 0.0), ContextMemory(C, ("C++",), 0.0)]

    assert _tagged("start with the current parts", shown) == set()
    assert _tagged("The ART of it", shown) == {A}
    assert _tagged("written in C++, of course", shown) == {C}


def test_a_tag_of_most_memories_is_no_evidence() -> None:
    """A tag that more than half of the memories share is no evidence. If there is only one memory, its tags count."""
    shared = [ContextMemory(each, ("steel",), 0.0) for each in (A, B, C)]

    assert _tagged("steel", [*shared, ContextMemory(D, ("delay",), 0.0)]) == set()
    assert _tagged("steel", [*shared[:2], ContextMemory(C, (), 0.0), ContextMemory(D, (), 0.0)]) == {A, B}
    assert _tagged("steel", [ContextMemory(A, ("steel", "steel"), 0.0)]) == {A}


def test_a_memory_that_is_said_again_is_used() -> None:
    """A memory counts as used from the share on that the answer says again. The threshold itself is included."""
    shown = [ContextMemory(A, (), TOLD_AGAIN), ContextMemory(B, (), TOLD_AGAIN - 0.01)]

    assert _used("", [], shown) == {A: "similarity"}


def test_an_answer_in_other_words_says_a_memory_again() -> None:
    """An answer says a memory again in other words and in another language. What the question has already said, and
    what is about something else, does not count.
    """
    question = "When does the doctor open?"
    memories = ["The doctor opens at nine on Mondays.", "The invoices are paid in thirty days.", "When does it open?"]

    for answer in ("At nine on Mondays.", "月曜日の九時です。"):
        hours, invoices, repeated = told_again(question, memories, answer)
        assert hours > invoices
        assert repeated < hours
        assert 0 <= invoices <= hours <= 1
    assert told_again(question, memories, "") == [0.0, 0.0, 0.0]
    assert told_again(question, ["", question], "nine") == [0.0, 0.0]


def test_each_detection_method_can_be_chosen_alone() -> None:
    """The policy can choose one method, which ignores other evidence. If there is no judge, the layered method replaces
    it.
    """
    shown = [ContextMemory(A, ("steel",), 0.0), ContextMemory(B, ("delay",), 1.0), ContextMemory(C, (), 0.0)]

    def used(detection: Detection) -> dict[UUID, str]:
        found = detect_uses("steel is late [m3]", [C], shown, complete=True, detection=detection)
        return {use.memory_id: use.method for use in found}

    assert used("citation") == {C: "citation"}
    assert used("tag") == {A: "tag"}
    assert used("similarity") == {B: "similarity"}
    assert used("judge") == used("layered") == {C: "citation"}


def test_a_memory_named_by_the_judge_is_used() -> None:
    """The memories whose labels the judge names are used. A label without a memory is ignored."""
    assert [(use.memory_id, use.method) for use in judged_uses({"m1": A, "m2": B}, ["m2", "m7"])] == [(B, "judge")]


def _tagged(answer: str, shown: list[ContextMemory]) -> set[UUID]:
    return {use.memory_id for use in detect_uses(answer, [], shown, detection="tag")}


def _used(answer: str, citations: list[UUID], shown: list[ContextMemory]) -> dict[UUID, str]:
    return {use.memory_id: use.method for use in detect_uses(answer, citations, shown)}
