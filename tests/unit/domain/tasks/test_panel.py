"""Tests of merging the answers of a panel (several agents that answer the same task)."""

from nemuri_contracts.tasks import Dissent, Voice
from nemuri_domain.tasks import fan_in, panel
from nemuri_domain.tasks.panel import DISSENT_CHARACTERS, MERGED_CHARACTERS, VOICES_CHARACTERS
from tests.unit.domain.tasks.stories import (
    USAGE,
    Story,
    answered,
    assigned,
    completed,
    given,
    routed,
    submitted,
    summarised,
)


def test_a_panel_is_merged_with_its_last_answer() -> None:
    """A panel is merged when its last answer is there. Answers are in the order of assignments, with all parts of a
    member together.
    """
    story = _panel()
    assert panel.voices_of(story.when(answered(1), answered(2), answered(3)).state) is None

    heard = panel.voices_of(story.when(*(answered(number, f"answer {number}") for number in (4, 2, 3, 1))).state)

    assert heard == (
        Voice(agent_id="b", perspective="cost", answer="## First\n\nanswer 1\n\nanswer 3"),
        Voice(agent_id="a", perspective="time", answer="## First\n\nanswer 2\n\nanswer 4"),
    )


def test_a_task_of_one_agent_is_not_merged() -> None:
    """A task of a single agent is not merged, and a panel that has ended is not merged again."""
    alone = given(submitted(), summarised("x"), routed(), assigned(1), answered(1))
    done = _panel().when(*map(answered, (1, 2, 3, 4)), completed())

    assert panel.voices_of(alone.state) is None
    assert panel.voices_of(done.state) is None


def test_the_end_of_a_panel_has_merged_answer_dissent_and_all_answers() -> None:
    """The end of a panel has the merged answer, the dissent, and all answers with their labels.

    The id of the event is derived as for any other task.
    """
    story = _panel().when(*map(answered, (1, 2, 3, 4)))
    heard = (
        Voice(agent_id="b", perspective="cost", answer="It is dear [m1]."),
        Voice(agent_id="a", perspective=None, answer="It is late [m1]."),
    )

    end = panel.concluded(answered(4), story.task, heard, "Both.", [Dissent(agent_id="a", text="Not dear.")], USAGE)

    assert end.answer == (
        "Both.\n\n## Dissent\n\n- **a**: Not dear.\n\n## Side by side\n\n"
        "### b · cost\n\nIt is dear [m1].\n\n### a\n\nIt is late [m1]."
    )
    assert end.panel is not None
    assert (end.panel.voices, end.panel.merged, end.panel.usage) == (heard, "Both.", USAGE)
    plain = fan_in.complete(answered(4), story.state)
    assert plain is not None
    assert end.event_id == plain.event_id
    assert story.when(end).task.voices == end.panel
    assert [voice.answer for voice in panel.unlabelled(heard)] == ["It is dear.", "It is late."]


def test_a_panel_with_missing_members_says_so() -> None:
    """If members are missing, the answer states the number of members, in the language of the task."""
    heard = tuple(Voice(agent_id="a", perspective=each, answer="x") for each in ("cost", "time"))
    for text, line in (
        ("Buy?", "2 of the 5 voices asked for could be seated."),
        ("買うか？", "求められた5つの声のうち、席に着けたのは2つです。"),
    ):
        task = _panel().task.replace(panel=5, text=text)
        end = panel.concluded(answered(4), task, heard, "Both.", (), USAGE)
        assert end.answer.startswith(f"Both.\n\n{line}\n\n## ")
        assert end.panel is not None
        assert (end.panel.asked, len(end.panel.voices)) == (5, 2)


def test_without_dissent_the_answer_mentions_none() -> None:
    """If nobody dissents, the answer has no heading for dissent."""
    end = panel.concluded(
        answered(4), _panel().task, (Voice(agent_id="a", perspective=None, answer="x"),), "x", (), USAGE
    )

    assert "Dissent" not in end.answer


def test_the_end_of_a_panel_fits_one_event() -> None:
    """The end of a panel fits into one event, whatever the length and script of the answers are."""
    long = "記" * 200_000
    story = _panel().when(*(answered(number, long) for number in (1, 2, 3, 4)))
    heard = panel.voices_of(story.state)
    assert heard is not None

    end = panel.concluded(
        answered(4), story.task, heard, long, [Dissent(agent_id=name, text=long) for name in "ab"], USAGE
    )

    assert sum(len(voice.answer) for voice in heard) <= VOICES_CHARACTERS
    assert end.panel is not None
    assert len(end.panel.merged) == MERGED_CHARACTERS
    assert sum(len(dissent.text) for dissent in end.panel.dissent) <= DISSENT_CHARACTERS
    assert len(end.model_dump_json().encode()) < 900_000


def test_answers_are_merged_by_comparing_statements() -> None:
    """Answers are merged by comparing their statements.

    Shared statements come first, with names if not all members agree, and then statements of one member. Contradictions
    are the dissent.
    """
    text, dissent = panel.merged(
        [
            Voice(agent_id="a", perspective=None, answer="The boiler runs at 70 degrees. Ann built it in May."),
            Voice(agent_id="b", perspective=None, answer="The boiler runs at 70 degrees."),
            Voice(agent_id="c", perspective=None, answer="The boiler runs at 90 degrees."),
        ]
    )

    assert text == "- The boiler runs at 70 degrees. (a, b)\n- only a says: Ann built it in May."
    assert dissent == (Dissent(agent_id="c", text="The boiler runs at 90 degrees."),)
    assert panel.merged([Voice(agent_id="a", perspective=None, answer="")]) == ("", ())


def test_a_statement_of_all_has_no_names() -> None:
    """A statement that all members share has no names."""
    heard = [Voice(agent_id=name, perspective=None, answer="納期は5日です。") for name in "ab"]

    assert panel.merged(heard) == ("- 納期は5日です。", ())


def test_identical_answers_are_shown_once_with_all_names() -> None:
    """Answers that are equal except for labels are shown once, without labels and with the names of all their
    members.
    """
    heard = [
        Voice(agent_id="a", perspective="cost", answer="- It is dear. [m1]"),
        Voice(agent_id="b", perspective=None, answer="- It is late. [m1]"),
        Voice(agent_id="a", perspective="time", answer="- It is dear. [m2]"),
        Voice(agent_id="c", perspective=None, answer="- It is late. [m1]"),
    ]

    assert panel.side_by_side(heard) == ("### a · cost, a · time\n\n- It is dear.\n\n### b, c\n\n- It is late. [m1]")


def test_an_answer_equal_to_the_merged_one_is_shown_once() -> None:
    """If an answer equals the merged answer, for example because nobody found anything, the text is shown once."""
    heard = [Voice(agent_id=name, perspective=None, answer="Nothing was found.") for name in "abc"]

    end = panel.concluded(answered(4), _panel().task, heard, "Nothing was found.", (), USAGE)

    assert end.answer == "Nothing was found."
    assert end.panel is not None
    assert end.panel.voices == tuple(heard)


def test_two_seats_of_one_agent_have_different_names() -> None:
    """An agent that is a member twice has two different names: in single statements, in the dissent and in the list of
    answers.
    """
    heard = [
        Voice(agent_id="a", perspective="cost", answer="The boiler runs at 70 degrees. Ann built it in May."),
        Voice(agent_id="a", perspective="time", answer="The boiler runs at 90 degrees."),
    ]

    text, dissent = panel.merged(heard)
    end = panel.concluded(answered(4), _panel().task, heard, text, dissent, USAGE)

    assert text == "- only a · cost says: Ann built it in May."
    assert [(each.agent_id, each.perspective) for each in dissent] == [("a", "cost"), ("a", "time")]
    assert "- **a · time**: The boiler runs at 90 degrees." in end.answer


def _panel() -> Story:
    """Return the story of a panel with two agents and two parts."""
    return given(
        submitted("Buy?", panel=2),
        summarised("x", "y", titles=("First", None)),
        routed(4),
        assigned(1, 0, agent="b", perspective="cost"),
        assigned(2, 0, agent="a", perspective="time"),
        assigned(3, 1, agent="b", perspective="cost"),
        assigned(4, 1, agent="a", perspective="time"),
    )
