"""What tasks teach a scorer, and by which of them it is judged (document 000 §3.4)."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from nemuri_contracts.scorers import HeldOut
from nemuri_domain.strength import scorer, training_samples
from nemuri_domain.strength.training_samples import LabelledRetrieval, LoggedRetrieval
from tests.unit.domain.strength.schooling import CONTEXT, by_impact, by_relevance, past, retrieved

EVENT = retrieved(1, np.random.default_rng(1))


def taught(*used: int, credited: tuple[str, ...] = ()) -> LabelledRetrieval:
    """An assignment that used the candidates of these ranks."""
    return training_samples.label_retrieval(
        LoggedRetrieval.of(EVENT), [EVENT.candidates[each].memory_id for each in used], credited
    )


def test_positives_are_what_was_used_and_negatives_twice_as_many_of_the_rest() -> None:
    """From all candidates; the same draw every time, another one for another assignment."""
    known = taught(0, 3)

    drawn = training_samples.samples([known])

    assert drawn.labels.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert drawn.features[:2].tolist() == known.retrieval.features[[0, 3]].tolist()
    rest = np.delete(known.retrieval.features, [0, 3], axis=0).tolist()
    assert all(each in rest for each in drawn.features[2:].tolist())
    assert (training_samples.samples([known]).features == drawn.features).all()
    other = replace(known, retrieval=replace(known.retrieval, assignment_id=UUID(int=5)))
    assert training_samples.samples([other]).features.tolist() != drawn.features.tolist()


def test_an_assignment_that_used_nothing_teaches_nothing() -> None:
    """Neither does a use of what no ranking had found; no negatives come from it."""
    unknown = training_samples.label_retrieval(LoggedRetrieval.of(EVENT), [UUID(int=0)], ("success",))
    empty = training_samples.samples([taught(), unknown])

    assert (len(empty), empty.tasks, empty.features.shape) == (0, 0, (0, 9))
    assert training_samples.samples([taught(1), taught(), unknown]).tasks == 1


def test_an_assignment_that_found_nothing_relevant_is_no_fault() -> None:
    """It has no candidates, teaches nothing, and stands in nobody's way."""
    nothing = LoggedRetrieval.of(EVENT.model_copy(update={"candidates": (), "selected": ()}))
    known = training_samples.label_retrieval(nothing, [UUID(int=1)], ("success",))

    assert nothing.features.shape == (0, 9)
    assert not known.telling
    assert training_samples.samples([known, taught(1)]).tasks == 1
    assert training_samples.split_held_out([known, taught(1)])[1] == []


def test_there_are_no_more_negatives_than_unused_candidates() -> None:
    """An answer that used nearly everything leaves few of them."""
    assert training_samples.samples([taught(*range(24))]).labels.tolist() == [1.0] * 24 + [0.0]


@pytest.mark.parametrize(
    ("credited", "weight"),
    [
        (("success",), 1.0),
        (("helpful",), 1.0),
        (("failure", "helpful"), 1.0),
        (("unhelpful",), 0.5),
        (("success", "failure"), 0.5),
        (("helpful", "success", "unhelpful"), 0.5),
        (("success", "prevented_error"), 1.0),
        (("failure", "prevented_error"), 0.5),
        (("prevented_error",), 0.5),
        ((), 0.5),
    ],
)
def test_only_success_counts_in_full(credited: tuple[str, ...], weight: float) -> None:
    """Failure counts half, and so does what nobody judged; the newest word decides, and success is never assumed."""
    assert set(training_samples.samples([taught(2, credited=credited)]).weights.tolist()) == {weight}


def test_feedback_reweighs_an_assignment_when_it_says_something_new() -> None:
    """The first success does, and a failure after it; what says the same again does not."""
    assert training_samples.reweighs("helpful", ["failure", "helpful", "success"])
    assert training_samples.reweighs("failure", ["success", "failure", "unhelpful"])
    assert not training_samples.reweighs("unhelpful", ["success", "failure", "unhelpful"])
    assert not training_samples.reweighs("prevented_error", ["prevented_error"])
    assert not training_samples.reweighs("success", ["failure", "helpful", "success"])
    assert not training_samples.reweighs("failure", ["failure"])
    assert not training_samples.reweighs("helpful", [])


@settings(max_examples=50, deadline=None)
@for_any(st.lists(st.lists(st.integers(0, 24), max_size=12), max_size=60))
def test_the_held_out_are_the_newest_and_nothing_newer_is_trained_on(uses: list[list[int]]) -> None:
    """Half of what can tell rankings apart is left to train on; each experience is on one side only, or on none."""
    everything = [taught(*each) for each in uses]

    older, held = training_samples.split_held_out(everything)

    telling = [each for each in everything if each.telling]
    assert held == telling[len(telling) - len(held) :]
    assert len(held) == min(max(10, len(telling) // 4), len(telling) // 2)
    assert older == everything[: everything.index(held[0]) if held else None]


def test_only_what_was_in_the_context_is_judged() -> None:
    """Nobody knows what would have been used of the rest: its place does not matter."""
    known = taught(0, 9)
    first = training_samples.ndcg(known, lambda rows: np.arange(len(rows), 0, -1.0))

    assert known.retrieval.shown.sum() == CONTEXT
    assert first == pytest.approx((1 + 1 / np.log2(11)) / (1 + 1 / np.log2(3)))
    assert training_samples.ndcg(taught(0, 9, 20), lambda rows: np.arange(len(rows), 0, -1.0)) == first
    assert training_samples.ndcg(taught(0), scorer.linear) == 1.0
    assert [taught().telling, taught(20).telling, taught(*range(10)).telling] == [False, False, False]


def test_equal_scores_go_by_relevance() -> None:
    """A scorer that says nothing is as good as relevance alone, and no better by the order that there was."""
    known = taught(4)
    silent = training_samples.ndcg(known, lambda rows: np.zeros(len(rows)))
    assert silent == training_samples.ndcg(known, lambda rows: rows[:, 0])


def test_a_copy_is_never_better() -> None:
    """It ranks equally, so there is nothing in favour of it."""
    _, held = training_samples.split_held_out(past(by_impact, 80, seed=1))

    found = training_samples.evaluate(scorer.copy_of_linear(), held)

    assert (found.tasks, found.learned - found.linear, found.error) == (len(held), 0.0, 0.0)
    assert not training_samples.is_better(found)


def test_a_scorer_that_learned_nonsense_does_not_serve() -> None:
    """The opposite of the linear score where that one is right: the held-out tasks show it."""
    copy = scorer.copy_of_linear()
    opposite = copy.model_copy(update={"output": tuple(-each for each in copy.output)})
    _, held = training_samples.split_held_out(past(by_relevance, 80, seed=1))

    found = training_samples.evaluate(opposite, held)

    assert found.learned < found.linear
    assert not training_samples.is_better(found)


def test_better_means_by_more_than_the_error_and_on_ten_tasks() -> None:
    """No held-out tasks show nothing at all."""
    found = HeldOut(tasks=10, learned=0.5, linear=0.4, error=0.09)

    assert training_samples.is_better(found)
    assert not training_samples.is_better(found.model_copy(update={"tasks": 9}))
    assert not training_samples.is_better(found.model_copy(update={"error": 0.11}))
    assert not training_samples.is_better(training_samples.evaluate(scorer.copy_of_linear(), []))
