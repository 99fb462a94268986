"""What people see of a result."""

from uuid import UUID

import pytest

from nemuri.contracts.event import Usage
from nemuri.contracts.results import TaskResult
from nemuri.contracts.tasks import Panel, Voice
from nemuri.face.cli.results import show_result
from nemuri.face.cli.session import Session


@pytest.mark.parametrize(("asked", "said"), [(5, True), (2, False), (None, False)])
def test_a_panel_with_fewer_voices_than_were_asked_for_says_so(
    asked: int | None, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A panel recorded before it was known how many were asked for says nothing."""
    voices = tuple(Voice(agent_id="a", perspective=each, answer="x") for each in ("cost", "time"))
    panel = Panel(voices=voices, merged="x", usage=Usage(model="m"), asked=asked)

    show_result(
        TaskResult(task_id=UUID(int=1), status="done", answer="x", panel=panel),
        Session(None, json=False, verbose=False),
    )

    assert ("2 of the 5 voices asked for could be seated." in capsys.readouterr().out) is said
