"""Tests of the importance of experiences, and of the cues (such as a failure or an emotion) that raise it."""

import pytest

from nemuri_contracts.tiered import Cues, Experienced
from nemuri_domain.tiered.importance import detect_cues, importance


@pytest.mark.parametrize(
    ("kind", "cues", "expected"),
    [
        ("conversation", Cues(), 0.5),
        ("conversation", Cues(request=True), 0.7),
        ("conversation", Cues(request=True, proposal=True, emotion=0.6), 0.8),
        ("conversation", Cues(emotion=0.5), 0.5),
        ("conversation", Cues(threat=True, failure=True, new_agent=True, goal_related=True), 0.5),
        ("action", Cues(), 0.3),
        ("action", Cues(goal_related=True), 0.6),
        ("action", Cues(goal_related=True, failure=True), 0.8),
        ("observation", Cues(), 0.2),
        ("observation", Cues(new_agent=True), 0.5),
        ("observation", Cues(new_agent=True, threat=True), 0.9),
        ("reflection", Cues(request=True, threat=True, emotion=1.0), 0.6),
    ],
)
def test_importance_goes_by_the_documents_rules(kind: Experienced, cues: Cues, expected: float) -> None:
    """Importance is the base value of the kind of experience plus a bonus for its cues (document 004 §4.5.3)."""
    assert importance(kind, cues) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lilaが「一緒に鉄を採掘しよう」と提案した", {"proposal"}),
        ("Lila said: let's mine iron together", {"proposal"}),
        ("明日、森へ行きませんか?", {"proposal"}),
        ("パンを分けてください", {"request"}),
        ("Could you hand me a pickaxe, please?", {"request"}),
        ("Noah asked Lila to guard the gate", {"request"}),
        ("鉄の採掘に失敗した", {"failure"}),
        ("The furnace could not be built: not enough stone", {"failure"}),
        ("ゾンビに襲われている", {"threat"}),
        ("A creeper is about to explode near the house", {"threat"}),
        ("見知らぬ人が村に来た", {"new_agent"}),
        ("Noah met Mira for the first time", {"new_agent"}),
        ("木を3本切った", set()),
        ("Noah planted wheat beside the river", set()),
        ("そうだね、今日は天気がいい", set()),
    ],
)
def test_words_tell_of_cues(text: str, found: set[str]) -> None:
    """A text has exactly the expected cues, in Japanese and English."""
    cues = detect_cues(text).model_dump(exclude={"emotion"})

    assert {name for name, there in cues.items() if there} == found


def test_what_is_felt_is_heard() -> None:
    """A text with a strong emotion has an emotion cue above 0.5, the threshold for conversations. A neutral text has
    0.
    """
    assert detect_cues("本当に悲しい、泣いている").emotion > 0.5
    assert detect_cues("I am furious with you!").emotion > 0.5
    assert detect_cues("Noah planted wheat").emotion == 0


def test_what_shares_words_with_a_goal_is_related_to_it() -> None:
    """A text is related to a goal if they share words. Without goals it is related to none."""
    goals = ["鉄インゴットを精錬する", "Build a stone house"]

    assert detect_cues("鉄インゴットを3個手に入れた", goals).goal_related
    assert detect_cues("Collected stone", goals).goal_related
    assert not detect_cues("Planted wheat", goals).goal_related
    assert not detect_cues("Collected stone").goal_related
