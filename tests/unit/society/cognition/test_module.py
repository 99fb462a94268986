"""Tests of modules from other packages. An error in such a module is a failure of its run and affects no other
module.
"""

from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

import pytest

from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.shared_state import SharedState, Snapshot
from tests.unit.society.cognition.modules import Counting, Made

GARBAGE: dict[str, Any] = {
    "no changes": ["plans"],
    "no section": {"plans": 5},
    "a set": {"plans": {"note": {1, 2}}},
    "an object": {"plans": {"note": object()}},
    "too large a number": {"plans": {"note": 2**64}},
    "half a character": {"plans": {"note": "\ud800"}},
    "a key that is none": {"plans": {"note": {("a", "b"): 1}}},
    "too much": {"plans": {"note": "x" * 2_000_000}},
    "an act that is a number": {"pending_acts": {"queue": [5]}},
    "an act without an id": {"pending_acts": {"queue": [{"act": {"action": "rest"}}]}},
    "an act that nobody knows": {"pending_acts": {"queue": [{"id": "a", "act": {"action": "fly"}}]}},
    "a speech": {"pending_speech": {"text": "x" * 300}},
}


class Foreign(Made):
    """A module of another package. It can be set to raise in `pause` and in `urgency`."""

    def __init__(
        self,
        step: Callable[[Snapshot], Any],
        *,
        brief: bool = True,
        pausing: type[BaseException] | None = None,
        urging: type[BaseException] | None = None,
    ) -> None:
        """Declare three sections that the module writes and does not read: a stored one, actions and speech."""
        writes = "plans pending_acts pending_speech"
        super().__init__(step, "foreign", reads="percepts", urgent="percepts", writes=writes, brief=brief)
        self._pausing, self._urging = pausing, urging

    def pause(self, snapshot: Snapshot) -> float:
        """Return the usual pause, or raise the error that is set."""
        if self._pausing is not None:
            raise self._pausing
        return super().pause(snapshot)

    def urgency(self, snapshot: Snapshot) -> bool:
        """Return True, or raise the error that is set."""
        if self._urging is not None:
            raise self._urging
        return super().urgency(snapshot)


def _lived(foreign: Foreign) -> Engine:
    """Run an agent for three seconds with this module and an ordinary one, and assert that the ordinary one is not
    affected.
    """
    runs = Counting()
    engine = Engine([foreign, Made(name="well", step=runs, interval=0.5)], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    engine.put("ada", {"percepts": {"health": 1}}, 0.0)
    for tenth in range(30):
        for pending in list(engine.run(tenth / 10)):
            if pending is not None:
                made: Any = pending.work() if callable(pending.work) else pending.work
                engine.settle(pending, made, tenth / 10)
    assert len(runs.runs) >= 5
    return engine


@pytest.mark.parametrize("brief", [True, False], ids=["brief", "aside"])
@pytest.mark.parametrize("made", GARBAGE.values(), ids=GARBAGE)
def test_output_that_cannot_be_stored_is_a_failure(made: Any, brief: bool) -> None:
    """Output that cannot be stored is a failure of the run, and no part of it is applied."""
    engine = _lived(Foreign(lambda _: made, brief=brief))
    assert {failure.module for failure in engine.failures} == {"foreign"}
    assert engine.states["ada"].values() == {"percepts": {"health": 1}}
    assert not engine.sending


@pytest.mark.parametrize("raised", [ZeroDivisionError, SystemExit, CancelledError])
@pytest.mark.parametrize("where", ["step", "pausing", "urging"])
def test_an_exception_in_a_module_does_not_stop_the_others(where: str, raised: type[BaseException]) -> None:
    """An exception in a module, even one that would end a process or a task, does not stop other modules."""

    def step(_: Snapshot) -> Any:
        if where == "step":
            raise raised
        return {}

    engine = _lived(Foreign(step, **({} if where == "step" else {where: raised})))  # type: ignore[arg-type]
    assert {(failure.module, type(failure.error)) for failure in engine.failures} == {("foreign", raised)}


def test_writing_an_unread_section_again_is_no_conflict() -> None:
    """A module may overwrite a section that it does not read. This is no conflict, so each run writes the section
    once.
    """
    engine = _lived(Foreign(lambda snapshot: {"plans": {"note": f"at {snapshot.second}"}}))
    assert (engine.conflicts, engine.failures) == (0, [])
    assert engine.states["ada"].values()["plans"]["note"] != "at 0.0"
