"""Figures of runs: intervals, evidence, differences and costs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.evaluation.benchmark import Question
from nemuri.evaluation.contexts import Passage
from nemuri.evaluation.figures import ALL, costs, differences, figures, wilson
from nemuri.evaluation.line_file import LineFile
from nemuri.evaluation.questions import retrieval_figures
from nemuri.evaluation.results import ArmResult, HistoryResult, QuestionResult, Results
from nemuri_contracts.event import Usage

OLD, NEW, OTHER = ("a", 0), ("b", 3), ("c", 1)


def passages(*places: tuple[str, int], tokens: int = 300) -> list[Passage]:
    """Return passages with these places."""
    return [Passage("text", tokens, place) for place in places]


def result(number: int, kind: str, *arms: ArmResult) -> QuestionResult:
    """Return the result of a question."""
    return QuestionResult(question_id=f"q{number}", kind=kind, question="?", right="", arms=arms)


def test_wilson_agrees_with_the_literature() -> None:
    """The interval of 8 of 10 is that of Newcombe's tables, and lies within 0 and 1 at the edges."""
    found = wilson([1.0] * 8 + [0.0] * 2)
    assert (found.mean, round(found.low, 3), round(found.high, 3)) == (0.8, 0.490, 0.943)
    assert wilson([1.0]).high == 1.0
    assert wilson([0.0] * 3).low == pytest.approx(0)
    with pytest.raises(ValueError, match="no scores"):
        wilson([])


@given(st.lists(st.floats(0, 1), min_size=1))
def test_a_mean_lies_in_its_interval(scores: list[float]) -> None:
    """An interval contains its mean, within 0 and 1."""
    found = wilson(scores)
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_evidence_is_counted_by_rank_and_by_tokens() -> None:
    """Evidence counts among the first passages, and among those that fit into so many tokens."""
    question = Question("q", "?", "kind", evidence=frozenset({NEW, OTHER}))
    ranked = passages(NEW, ("x", 1), ("x", 2), ("x", 3), ("x", 4), OTHER)
    found = retrieval_figures(question, ranked, ranked[:1])
    assert found["evidence"] == 0.5
    assert found["needed_first"] is None
    at = found["evidence_at"]
    assert (at["5"], at["10"]) == (0.5, 1.0)
    assert (at["500 tokens"], at["1000 tokens"], at["2000 tokens"]) == (0.5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("places", "needed_first"), [((NEW, OLD), True), ((OLD, NEW), False), ((NEW,), True), ((OLD,), False), ((), False)]
)
def test_what_holds_now_must_come_first(places: tuple[tuple[str, int], ...], needed_first: bool) -> None:
    """Evidence comes before what it replaces, or the replaced is not found at all; nothing found is not right."""
    question = Question("q", "?", "kind", evidence=frozenset({NEW}), misleading=frozenset({OLD}))
    assert retrieval_figures(question, passages(OTHER, *places), [])["needed_first"] is needed_first


def test_without_an_answer_there_is_no_evidence() -> None:
    """Questions that nothing answers, or whose evidence nobody named, have no figures of retrieval."""
    assert retrieval_figures(Question("q", "?", "kind"), passages(NEW), []) == {}
    unknown = Question("q", "?", "kind", evidence=frozenset({NEW}), unanswerable=True)
    assert retrieval_figures(unknown, passages(NEW), []) == {}


def test_figures_are_by_arm_and_kind() -> None:
    """There is a row for each arm and kind, and one over all; arms without answers have no accuracy."""
    results = [
        result(1, "near", ArmResult(arm="memory", score=1.0), ArmResult(arm="bm25", score=0.0, failure="no")),
        result(2, "far", ArmResult(arm="memory", score=0.5), ArmResult(arm="bm25")),
    ]
    rows = {(row.arm, row.kind): row for row in figures(results)}
    assert rows.keys() == {(arm, kind) for arm in ("memory", "bm25") for kind in (ALL, "near", "far")}
    every = rows["memory", ALL].accuracy
    assert every is not None
    assert (every.mean, every.repeats) == (0.75, 2)
    assert rows["bm25", "far"].accuracy is None
    assert rows["bm25", ALL].failures == 1


def test_differences_are_paired_by_question() -> None:
    """A difference counts the questions of both arms, and needs three."""
    results = [
        result(number, "k", ArmResult(arm="memory", score=1.0), ArmResult(arm="bm25", score=0.5)) for number in range(3)
    ]
    found = differences([*results, result(9, "k", ArmResult(arm="memory", score=0.0))], seed=1)
    assert found.keys() == {("bm25", "accuracy")}
    assert found["bm25", "accuracy"].mean == 0.5
    assert differences(results[:2], seed=1) == {}


def test_costs_are_summed_by_role(tmp_path: Path) -> None:
    """Calls, tokens and money of learning, reading and judging are told apart; without a price there is no money."""
    results = Results(LineFile(tmp_path / "results.jsonl"))
    usage = Usage(model="m", input_tokens=10, output_tokens=2, money=0.5)
    results.questions["q"] = result(1, "k", ArmResult(arm="memory", reading=usage, judging=Usage(model="j")))
    learned = Usage(model="l", input_tokens=7)
    results.histories["h"] = HistoryResult(history_id="h", messages=3, seconds=2.0, learning=learned, calls=4)
    rows = {row.role: row for row in costs(results)}
    assert (rows["learner"].calls, rows["learner"].input_tokens, rows["learner"].seconds) == (4, 7, 2.0)
    assert (rows["reader"].calls, rows["reader"].output_tokens, rows["reader"].money) == (1, 2, 0.5)
    assert (rows["judge"].calls, rows["judge"].money) == (1, None)
