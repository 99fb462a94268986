"""Tests of the printed result of a task."""

from uuid import UUID

import pytest

from nemuri.cli.result_lines import show_result
from nemuri.cli.session import Session
from nemuri_contracts.event import Usage
from nemuri_contracts.rebuttals import Revision
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import Panel, Voice


def test_a_rebuttal_shows_the_first_and_the_revised_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Each member's position is shown: who revised its answer with both answers, who stands, and who could not read."""
    usage = Usage(model="m")
    revisions = (
        Revision(answer="It is 5.", stands=False, takes_over="b: 5", contradicts="c: 9", usage=usage),
        Revision(answer="It is 3.", stands=True, usage=usage),
        Revision(answer="It is 3.", stands=True, problem="the model refused", usage=usage),
    )
    voices = tuple(
        Voice(agent_id=name, perspective=None, answer="It is 3.", revision=each)
        for name, each in zip("abc", revisions, strict=True)
    )
    panel = Panel(voices=voices, merged="x", usage=usage, asked=3)

    show_result(
        TaskResult(task_id=UUID(int=1), status="done", answer="x", panel=panel),
        Session(None, json=False, verbose=False),
    )

    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith(("rebuttal", "         "))] == [
        "rebuttal a revised its answer",
        "         first: It is 3.",
        "         now: It is 5.",
        "         takes over: b: 5",
        "         contradicts: c: 9",
        "rebuttal b stands by its answer",
        "rebuttal c stands by its answer: the model refused",
    ]


@pytest.mark.parametrize(("asked", "said"), [(5, True), (2, False), (None, False)])
def test_a_panel_with_missing_members_says_so(
    asked: int | None, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A panel with fewer members than requested says so, unless it is old and its requested number is not recorded."""
    voices = tuple(Voice(agent_id="a", perspective=each, answer="x") for each in ("cost", "time"))
    panel = Panel(voices=voices, merged="x", usage=Usage(model="m"), asked=asked)

    show_result(
        TaskResult(task_id=UUID(int=1), status="done", answer="x", panel=panel),
        Session(None, json=False, verbose=False),
    )

    assert ("2 of the 5 voices asked for could be seated." in capsys.readouterr().out) is said
