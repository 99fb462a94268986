"""Tests of the index for stage 1 of retrieval, which finds candidates by their meaning."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.client_events import Scope, Setting
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import SHORTLIST, StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from tests.unit.domain.strength.searches import asked, by_vector, index_of, message, numbers, rows

MEMORIES = (
    "The dog is called Rex.",
    "The spare key is in the blue box in the basement.",
    "Invoices are paid within thirty days.",
    "鍵は入口の棚にあります。",
    "Anna is allergic to peanuts.",
    "母の誕生日は六月十二日です。",
    "The doctor's practice opens at nine.",
)
REX, KEY, INVOICES, SHELF, ANNA, BIRTHDAY, DOCTOR = range(1, 8)
MAIL = """Dear team,

thank you for the pleasant evening last week. The weather was lovely and the children enjoyed the garden very much.
We drove home late, and the motorway was full because of the road works near the bridge.

{question}

On Friday I am going to the cinema with my sister, and afterwards we eat at the Italian restaurant on the corner.

Best regards, Marie"""


def relevances(index: StrengthIndex, texts: SearchTexts, *, floor: float = 0.0) -> dict[int, float]:
    """Return the relevance of each candidate by the number of its id."""
    found = index.search(texts, floor=floor)
    return dict(zip(numbers(found), found.relevance.tolist(), strict=True))


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What is the name of our puppy?", REX),
        ("犬の名前は？", REX),
        ("Where did we put the spare keys?", KEY),
        ("お母さんの生まれた日は？", BIRTHDAY),
        ("When is mum's birthday?", BIRTHDAY),
        ("When does the physician start work?", DOCTOR),
    ],
)
def test_a_question_in_other_words_finds_its_memory(question: str, memory: int) -> None:
    """A question finds the memory that answers it, in other words and in another language, and the floor lets it
    through.
    """
    assert numbers(index_of(MEMORIES).search(message(question), floor=RELEVANCE_FLOOR))[0] == memory


@given(st.sets(st.sampled_from(range(1, 7)), max_size=6))
def test_the_relevance_of_a_memory_does_not_depend_on_other_memories(others: set[int]) -> None:
    """The same query and memory have the same relevance, whichever other memories are in the index."""
    query = asked("Who is Rex, and where is the key?")
    alone = relevances(index_of(MEMORIES[:1]), query)[REX]

    among = relevances(index_of([MEMORIES[0], *(MEMORIES[other] for other in sorted(others))]), query)[REX]

    assert among == pytest.approx(alone, rel=1e-5)


def test_a_memory_is_as_relevant_among_a_thousand_as_alone() -> None:
    """Memories beyond the shortlist do not change the relevance of the others."""
    crowd = [f"Parcel {number} weighs {number + 3} grams." for number in range(20 * SHORTLIST)]
    query = asked("What is the dog's name?")

    among = relevances(index_of([MEMORIES[0], *crowd]), query)

    assert among[REX] == pytest.approx(relevances(index_of(MEMORIES[:1]), query)[REX], rel=1e-5)
    assert max(among, key=lambda relevance: among[relevance]) == REX


@given(st.permutations(range(len(MEMORIES))), st.permutations(range(3)))
def test_neither_the_order_of_memories_nor_that_of_texts_matters(order: list[int], places: list[int]) -> None:
    """The candidates and their order depend neither on the order of additions nor on that of the texts."""
    index = StrengthIndex(word_table().dimension)
    for each in order:
        index.add([UUID(int=each + 1)], rows([MEMORIES[each]]), [MEMORIES[each]])
    query = ("Where is the key?", "母の誕生日はいつですか", "What is Anna allergic to?")

    found = index.search(asked(*(query[place] for place in places)), floor=RELEVANCE_FLOOR)
    expected = index_of(MEMORIES).search(asked(*query), floor=RELEVANCE_FLOOR)

    assert found.ids == expected.ids
    np.testing.assert_allclose(found.relevance, expected.relevance, rtol=1e-5)


@pytest.mark.parametrize("question", ["Where did we put the spare key?", "What is Anna allergic to?"])
def test_a_question_in_a_long_mail_finds_what_the_bare_one_finds(question: str) -> None:
    """A question inside a long mail has the same best memory, with the same relevance, as the question alone."""
    index = index_of(MEMORIES)

    inside = index.search(message(MAIL.format(question=question)), floor=RELEVANCE_FLOOR)
    bare = index.search(message(question), floor=RELEVANCE_FLOOR)

    assert inside.ids[0] == bare.ids[0]
    assert inside.relevance[0] == pytest.approx(bare.relevance[0], rel=1e-5)


@pytest.mark.parametrize("query", ["xqzvw", "zzkqj wvxq pfffgh", "qwjkzx"])
def test_random_letters_find_nothing(query: str) -> None:
    """Random letters are near no memory, so nothing reaches the floor."""
    found = index_of(MEMORIES).search(message(query), floor=RELEVANCE_FLOOR)

    assert found.ids == ()
    assert len(found.relevance) == len(found.in_context) == len(found.similarity) == len(found.lexical) == 0


def test_the_nearest_memory_is_named_if_none_is_relevant() -> None:
    """If no memory reaches the floor, the nearest one is named with its relevance. Otherwise none is named."""
    index, query = index_of(MEMORIES), asked("Where is the key?")
    best = index.search(query)
    relevance = float(best.relevance[0])

    below, at = index.search(query, floor=relevance * 1.01), index.search(query, floor=relevance * 0.99)

    assert below.ids == ()
    assert below.nearest is not None
    assert below.nearest[0] == best.ids[0]
    assert below.nearest[1] == pytest.approx(relevance, rel=1e-5)
    assert (at.ids[0], at.nearest, best.nearest) == (best.ids[0], None, None)
    assert StrengthIndex(2).search(by_vector("key", [0, 0]), floor=0.1).nearest is None


def test_memories_far_behind_the_best_are_left_out() -> None:
    """With a floor, memories that are far less relevant than the best one are left out. Without one they are found
    behind it.
    """
    index, query = index_of(MEMORIES), asked("What is Anna allergic to?")

    everything, few = numbers(index.search(query)), numbers(index.search(query, floor=RELEVANCE_FLOOR))

    assert everything[0] == few[0] == ANNA
    assert everything[: len(few)] == few
    assert len(few) < len(everything)


def test_memories_without_vectors_are_found_by_their_words() -> None:
    """A memory without a vector is found by its words alone, and is less relevant than one with a vector."""
    index = StrengthIndex(2)
    index.add(
        [UUID(int=1), UUID(int=2)], np.zeros((2, 2), np.float32), ["sleep makes memories fade", "眠りは記憶を弱める"]
    )

    found = index.search(by_vector("memories fade", [0, 0]))

    assert found.ids[0] == UUID(int=1)
    assert found.similarity[0] == 0
    assert found.lexical[0] > 0.9
    assert 0 < found.relevance[0] < found.lexical[0]
    assert numbers(index.search(by_vector("記憶と眠り", [0, 0])))[0] == 2


def test_memories_without_words_are_found_by_vectors() -> None:
    """By vectors, nearer memories come first. A cosine that is not positive gives no candidate."""
    index = _by_vectors([[0.6, 0.8], [1, 0], [0, 1], [-1, 0]])

    found = index.search(by_vector("", [1, 0]))

    assert numbers(found) == (2, 1)
    assert found.similarity.tolist() == pytest.approx([1.0, 0.6])
    assert found.lexical.tolist() == [0, 0]


def test_the_cosines_of_another_embedder_are_scaled() -> None:
    """A cosine counts relative to the scale of the embedder."""
    index = _by_vectors([[0.3, np.sqrt(1 - 0.3**2)]])

    narrow, wide = (float(index.search(by_vector("", [1, 0], each)).relevance[0]) for each in (1, 2))

    assert narrow == pytest.approx(2 * wide, rel=1e-5)


def test_a_text_with_less_weight_makes_less_relevant() -> None:
    """The weight of a text scales the relevance to it, and the text to which a memory is most relevant counts."""
    index = index_of(MEMORIES)
    full, other = "Where is the spare key?", "What is Anna allergic to?"
    half = QueryText(full, 0.5)

    alone = relevances(index, asked(half))[KEY]

    assert alone == pytest.approx(relevances(index, asked(full))[KEY] / 2, rel=1e-5)
    assert relevances(index, asked(half, other))[KEY] == pytest.approx(alone, rel=1e-5)
    assert relevances(index, asked(half, full))[KEY] == pytest.approx(2 * alone, rel=1e-5)
    assert numbers(index.search(asked(half, other)))[0] == ANNA


def test_an_expansion_makes_nothing_relevant() -> None:
    """A text that does not decide adds candidates beside others, but never lets a memory reach the floor."""
    index = index_of(MEMORIES)
    about_anna, expansion = "What is Anna allergic to?", QueryText("the spare key", decides=False)

    assert index.search(asked("xqzvw", expansion), floor=RELEVANCE_FLOOR).ids == ()
    both = index.search(asked(about_anna, expansion), floor=RELEVANCE_FLOOR)
    assert {ANNA, KEY} <= set(numbers(both))
    assert KEY not in numbers(index.search(asked(about_anna), floor=RELEVANCE_FLOOR))


def test_one_source_gets_at_most_its_share_of_the_candidates() -> None:
    """A source with many similar texts gets at most half of the candidates, or all if there is no other
    source.
    """
    flood, others = [UUID(int=100 + number) for number in range(40)], [UUID(int=number) for number in (1, 2, 3)]
    index, size = StrengthIndex(word_table().dimension), len(flood) // 2
    for some, said, sources in (
        (flood[:size], ["Sleep, sleep."] * size, ["client mallory"] * size),
        (others, ["Sleep helps much."] * 3, ["client ann", "textbook S", ""]),
        (flood[size:], ["Sleep, sleep."] * size, ["client mallory"] * size),
    ):
        index.add(some, rows(said), said, sources=sources)

    def ask(share: float, limit: int = 10) -> tuple[UUID, ...]:
        return index.search(asked("sleep"), limit=limit, share=share).ids

    assert ask(1.0) == tuple(flood[:10])
    assert ask(0.5) == (*flood[:7], *others)
    assert ask(0.5, limit=4) == (*flood[:2], *others[:2])
    index.drop(others)
    assert ask(0.5) == tuple(flood[:10])


def test_archived_memories_are_searched_on_request_only() -> None:
    """Archived memories are searched only on request (deep recall), in the same index."""
    index, query = index_of(MEMORIES), asked("What is Anna allergic to?")
    index.update([UUID(int=ANNA), UUID(int=99)], active=[False, False])

    assert ANNA not in numbers(index.search(query))
    assert numbers(index.search(query, mask=index.eligible(active=False))) == (ANNA,)
    assert index.search(query, floor=0.5).ids == ()
    everything = index.eligible() | index.eligible(active=False)
    assert numbers(index.search(query, floor=0.5, mask=everything))[0] == ANNA


def test_only_scopes_valid_in_the_setting_are_searched() -> None:
    """Universal memories are always searched. Memories of a domain or project are searched only under its name
    (document 003 §3.3).
    """
    scopes = [Scope(), Scope(level="domain", name="web"), Scope(level="project", name="web"), Scope()]
    index = index_of(["sleep"] * 4, scopes=scopes)

    def found(setting: Setting | None) -> tuple[int, ...]:
        return numbers(index.search(asked("sleep"), mask=index.eligible(setting)))

    assert found(None) == (1, 2, 3, 4)
    assert found(Setting()) == (1, 4)
    assert found(Setting(domains=("web", "unknown"))) == (1, 2, 4)
    assert found(Setting(project="web")) == (1, 3, 4)


def test_an_absorbed_memory_is_found_as_the_one_that_stands_for_it() -> None:
    """What finds an absorbed memory finds the one that stands for it, as relevant by its sources as by itself."""
    index, query = index_of(MEMORIES), asked("What is Anna allergic to?")
    before = index.search(query)
    index.update([UUID(int=ANNA)], absorbed=[True], stand_in=[UUID(int=REX).bytes])

    after = index.search(query)

    assert ANNA not in numbers(after)
    assert numbers(after)[0] == REX
    assert after.in_context[0] == pytest.approx(before.in_context[0])
    index.update([UUID(int=ANNA)], absorbed=[False])
    assert index.search(query).ids == before.ids


def test_an_updated_memory_replaces_the_old_one() -> None:
    """An updated memory replaces the old version. If one call has two versions, the last one is kept."""
    index, rex = index_of(MEMORIES), UUID(int=REX)
    index.add(
        [rex, rex],
        rows(["The cat is ill.", "Trains to Kyoto are late."]),
        ["The cat is ill.", "Trains to Kyoto are late."],
    )

    def best(query: str) -> tuple[int, ...]:
        return numbers(index.search(asked(query), floor=0.5))

    assert (best("The dog is called Rex."), best("The cat is ill."), best("Trains to Kyoto are late.")) == (
        (),
        (),
        (REX,),
    )
    assert len(index) == len(MEMORIES)


def test_invalid_input_changes_nothing() -> None:
    """Arrays of different lengths, vectors of another dimension and NaN are refused, and the index is not changed."""
    index, one = StrengthIndex(2), UUID(int=1)
    index.add([one], np.array([[1, 0]], np.float32), ["sleep"])
    for vectors in (np.zeros((1, 3), np.float32), np.full((1, 2), np.nan, np.float32)):
        with pytest.raises(ValueError, match="expected 1 values"):
            index.add([one], vectors, ["new"])
    with pytest.raises(ValueError, match="expected 1 values"):
        index.add([one], np.zeros((1, 2), np.float32), ["new", "newer"])
    with pytest.raises(ValueError, match="argument 2 is longer"):
        index.add([one], np.zeros((1, 2), np.float32), ["new"], scopes=[Scope(), Scope()])
    with pytest.raises(ValueError, match="expected vectors of dimension 2"):
        index.search(by_vector("sleep", [0, 0, 0]))
    for shape in ((0, 2), (2, 2), (2,)):
        with pytest.raises(ValueError, match="expected at least one text and a vector of each"):
            SearchTexts.of([QueryText("sleep")] if shape[0] else [], np.zeros(shape, np.float32))

    assert index.search(by_vector("sleep", [1, 0])).relevance[0] == pytest.approx(1)


def test_an_empty_index_finds_nothing() -> None:
    """A search in an empty index, or under an empty mask, gives no candidates."""
    index = index_of(MEMORIES)
    assert StrengthIndex(2).search(by_vector("sleep", [1, 0])).ids == ()
    assert index.search(asked("key"), mask=np.zeros(len(MEMORIES), np.bool_)).ids == ()
    assert index.search(asked("key"), limit=0).ids == ()


def test_ties_are_ordered_by_id() -> None:
    """Candidates of equal relevance are ordered by id, so that a replay selects the same ones at the limit."""
    index = StrengthIndex(word_table().dimension)
    ids, texts = [UUID(int=number) for number in range(50, 0, -1)], ["same text"] * 50
    index.add(ids, rows(texts), texts)

    assert numbers(index.search(asked("text"), limit=3)) == (1, 2, 3)


def test_a_crowd_of_equal_memories_lowers_no_other_relevance() -> None:
    """The words of a memory beside hundreds of more relevant ones are compared too, and the crowd is ordered by id."""
    index = index_of(["Sleep, sleep."] * 5 * SHORTLIST + ["Sleep helps much."])
    found = index.search(asked("sleep"), limit=len(index))

    assert numbers(found) == tuple(range(1, len(index) + 1))
    assert found.in_context[-1] >= found.relevance[-1] > 0.5


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["", *MEMORIES]), st.booleans()), max_size=30))
def test_an_index_after_changes_equals_a_new_one(history: list[tuple[int, str, bool]]) -> None:
    """After any additions, replacements and removals an index gives the same results as a new one."""
    index, now = StrengthIndex(word_table().dimension), dict[UUID, tuple[str, bool]]()
    for number, text, active in history:
        memory_id = UUID(int=number)
        if text:
            index.add([memory_id], rows([text]), [text])
            index.update([memory_id], active=[active])
            now[memory_id] = (text, active)
        else:
            index.drop([memory_id])
            now.pop(memory_id, None)
    fresh = StrengthIndex(word_table().dimension)
    for memory_id, (text, active) in sorted(now.items()):
        fresh.add([memory_id], rows([text]), [text])
        fresh.update([memory_id], active=[active])

    query = asked("Where is the key of the dog?", "鍵")
    assert relevances(index, query) == pytest.approx(relevances(fresh, query), rel=1e-5)
    assert {memory_id for memory_id in map(UUID, map(str, now)) if memory_id in index} == set(now)
    assert len(index) == len(now)


def _by_vectors(vectors: Sequence[Sequence[float]]) -> StrengthIndex:
    """Return an index of memories without words."""
    index = StrengthIndex(2)
    ids = [UUID(int=number) for number in range(1, len(vectors) + 1)]
    index.add(ids, np.array(vectors, np.float32), [""] * len(ids))
    return index
