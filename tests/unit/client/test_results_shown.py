"""Tests of the printed result of a task."""

from uuid import UUID

import pytest

from nemuri.cli.result_lines import show_result
from nemuri.cli.session import Session
from nemuri_contracts.event import Usage
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import Panel, Voice


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
