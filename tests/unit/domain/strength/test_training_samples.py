"""Tests of the training samples of a scorer and of its held-out tasks (document 000 §3.4)."""

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
    """Return an assignment that used the candidates at these ranks."""
    return training_samples.label_retrieval(
        LoggedRetrieval.of(EVENT), [EVENT.candidates[each].memory_id for each in used], credited
    )


def test_used_memories_are_positives_with_two_negatives_each() -> None:
    """Each used memory is a positive sample, with two negative samples.

    Negatives are drawn from all other candidates, with a seed for each assignment.
    """
    known = taught(0, 3)

    drawn = training_samples.samples([known])

    assert drawn.labels.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert drawn.features[:2].tolist() == known.retrieval.features[[0, 3]].tolist()
    rest = np.delete(known.retrieval.features, [0, 3], axis=0).tolist()
    assert all(each in rest for each in drawn.features[2:].tolist())
    assert (training_samples.samples([known]).features == drawn.features).all()
    other = replace(known, retrieval=replace(known.retrieval, assignment_id=UUID(int=5)))
    assert training_samples.samples([other]).features.tolist() != drawn.features.tolist()


def test_an_assignment_without_uses_gives_no_samples() -> None:
    """An assignment without uses gives no samples, and neither does one that used only a memory that was no
    candidate.
    """
    unknown = training_samples.label_retrieval(LoggedRetrieval.of(EVENT), [UUID(int=0)], ("success",))
    empty = training_samples.samples([taught(), unknown])

    assert (len(empty), empty.tasks, empty.features.shape) == (0, 0, (0, 9))
    assert training_samples.samples([taught(1), taught(), unknown]).tasks == 1


def test_an_assignment_without_candidates_gives_no_samples() -> None:
    """An assignment without candidates gives no samples and raises no error."""
    nothing = LoggedRetrieval.of(EVENT.model_copy(update={"candidates": (), "selected": ()}))
    known = training_samples.label_retrieval(nothing, [UUID(int=1)], ("success",))

    assert nothing.features.shape == (0, 9)
    assert not known.is_informative
    assert training_samples.samples([known, taught(1)]).tasks == 1
    assert training_samples.split_held_out([known, taught(1)])[1] == []


def test_negatives_are_limited_by_the_unused_candidates() -> None:
    """If an answer used nearly all candidates, there are only as many negatives as unused candidates."""
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
def test_only_a_success_has_full_weight(credited: tuple[str, ...], weight: float) -> None:
    """Samples of a success have full weight, and those of a failure or of an unrated task half. The newest rating
    decides.
    """
    assert set(training_samples.samples([taught(2, credited=credited)]).weights.tolist()) == {weight}


def test_new_feedback_changes_the_weight_of_an_assignment() -> None:
    """The first success and a later failure change the weight of an assignment. Repeated feedback does not."""
    assert training_samples.reweighs("helpful", ["failure", "helpful", "success"])
    assert training_samples.reweighs("failure", ["success", "failure", "unhelpful"])
    assert not training_samples.reweighs("unhelpful", ["success", "failure", "unhelpful"])
    assert not training_samples.reweighs("prevented_error", ["prevented_error"])
    assert not training_samples.reweighs("success", ["failure", "helpful", "success"])
    assert not training_samples.reweighs("failure", ["failure"])
    assert not training_samples.reweighs("helpful", [])


@settings(max_examples=50, deadline=None)
@for_any(st.lists(st.lists(st.integers(0, 24), max_size=12), max_size=60))
def test_held_out_tasks_are_the_newest(uses: list[list[int]]) -> None:
    """The newest tasks are held out. At least half of the informative tasks stay for training, and no task is in both
    sets.
    """
    everything = [taught(*use) for use in uses]

    older, held = training_samples.split_held_out(everything)

    telling = [retrieval for retrieval in everything if retrieval.is_informative]
    assert held == telling[len(telling) - len(held) :]
    assert len(held) == min(max(10, len(telling) // 4), len(telling) // 2)
    assert older == everything[: everything.index(held[0]) if held else None]


def test_only_memories_in_the_context_are_judged() -> None:
    """Only ranks of memories in the context count, because it is unknown if others would have been used."""
    known = taught(0, 9)
    first = training_samples.ndcg(known, lambda rows: np.arange(len(rows), 0, -1.0))

    assert known.retrieval.shown.sum() == CONTEXT
    assert first == pytest.approx((1 + 1 / np.log2(11)) / (1 + 1 / np.log2(3)))
    assert training_samples.ndcg(taught(0, 9, 20), lambda rows: np.arange(len(rows), 0, -1.0)) == first
    assert training_samples.ndcg(taught(0), scorer.linear) == 1.0
    assert [taught().is_informative, taught(20).is_informative, taught(*range(10)).is_informative] == [
        False,
        False,
        False,
    ]


def test_ties_are_ordered_by_relevance() -> None:
    """Equal scores are ordered by relevance, so a constant scorer is as good as relevance alone."""
    known = taught(4)
    silent = training_samples.ndcg(known, lambda rows: np.zeros(len(rows)))
    assert silent == training_samples.ndcg(known, lambda rows: rows[:, 0])


def test_a_copy_is_never_better() -> None:
    """A copy of the linear score ranks the same, so it does not count as better."""
    _, held = training_samples.split_held_out(past(by_impact, 80, seed=1))

    found = training_samples.evaluate(scorer.copy_of_linear(), held)

    assert (found.tasks, found.learned - found.linear, found.error) == (len(held), 0.0, 0.0)
    assert not training_samples.is_better(found)


def test_an_inverted_scorer_does_not_serve() -> None:
    """A scorer with inverted weights is worse on the held-out tasks, and so does not rank."""
    copy = scorer.copy_of_linear()
    opposite = copy.model_copy(update={"output": tuple(-each for each in copy.output)})
    _, held = training_samples.split_held_out(past(by_relevance, 80, seed=1))

    found = training_samples.evaluate(opposite, held)

    assert found.learned < found.linear
    assert not training_samples.is_better(found)


def test_better_means_by_more_than_the_standard_error_on_ten_tasks() -> None:
    """A scorer counts as better if it exceeds the linear score by more than the standard error, on at least ten
    tasks.
    """
    found = HeldOut(tasks=10, learned=0.5, linear=0.4, error=0.09)

    assert training_samples.is_better(found)
    assert not training_samples.is_better(found.model_copy(update={"tasks": 9}))
    assert not training_samples.is_better(found.model_copy(update={"error": 0.11}))
    assert not training_samples.is_better(training_samples.evaluate(scorer.copy_of_linear(), []))
