"""Progress of an agent in its plan or action: the current step, the completed acts, and the act under way.

Progress counts the reported outcomes of acts. The module action awareness can take back a reported success.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

from pydantic import JsonValue

from nemuri_society.cognition.action_selection import required_acts
from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.situation_detection import number

MAX_RETRIES: Final = 3
"""Maximum number of consecutive failures of a step. With one more, the step has failed."""
MAX_DETOURS: Final = 40
"""Maximum number of acts that only lead to a step. With one more, the step has failed."""
_COUNTED: Final = 8


@dataclass(frozen=True, slots=True)
class ActionProgress:
    """Progress in a course: the steps of a plan, or the single intent of a decision (`courses.course_of`)."""

    course: str
    """Id of the plan, or the id of the decision that began the course with the words of its intent."""
    step: int = 0
    done: int = 0
    """Number of acts that performed the step and were reported as done."""
    legs: int = 0
    """Number of acts that only led to the step and were reported as done."""
    failed: int = 0
    """Number of consecutive failures in the step."""
    act: str | None = None
    """Id of the act under way; None if there is none."""
    serves: bool = True
    """True if the act under way performs the step; False if it only leads to the step."""
    status: Literal["on", "done", "failed"] = "on"
    why: str = ""
    """Reason of the last failure."""
    acts: int = 0
    """Number of acts that the agent has begun in its whole life. Act ids are derived from it."""
    counted: tuple[tuple[str, int], ...] = ()
    """Ids of the acts that were last counted as done, each with the index of its step."""
    undone: tuple[str, ...] = ()
    """Ids of acts that were counted as done and then taken back."""
    decided: str = ""
    """Id of the last decision that began or continued the course."""

    def values(self) -> dict[str, JsonValue]:
        """Return the progress as plain JSON values."""
        plain = {name: getattr(self, name) for name in _NAMES}
        return plain | {"counted": [list(count) for count in self.counted], "undone": list(self.undone)}

    @classmethod
    def of(cls, values: Mapping[str, Any], course: str) -> "ActionProgress":
        """Return the stored progress if it belongs to this course. Otherwise return new progress, which keeps the
        number of acts.
        """
        acts = int(number(values.get("acts")))
        if values.get("course") != course:
            return cls(course, acts=acts)
        counted = tuple((str(act), int(step)) for act, step in values["counted"])
        return cls(**{**values, "counted": counted, "undone": tuple(values["undone"])})

    def advanced(self, steps: Sequence[Intent]) -> "ActionProgress":
        """Return the progress at the first unfinished step. After the last step its status is `done`.

        A step is not left while an act is under way.
        """
        now = self
        while now.status == "on" and now.step < len(steps):
            intent = steps[now.step]
            required = required_acts(intent)
            if required is None or now.done < required or now.act is not None:
                return now
            now = replace(now, step=now.step + 1, done=0, legs=0, failed=0)
        return replace(now, status="done") if now.status == "on" else now

    def ended(self, act: Mapping[str, Any]) -> "ActionProgress":
        """Return the progress after the act under way ended. `act` contains its outcome."""
        outcome = mapped(act.get("outcome"))
        over = replace(self, act=None)
        if outcome.get("done"):
            if not self.serves:
                return replace(over, legs=self.legs + 1, failed=0)
            counted = (*self.counted, (str(act["id"]), self.step))[-_COUNTED:]
            return replace(over, done=self.done + 1, failed=0, counted=counted)
        if outcome.get("reason") in HARMLESS:
            return over
        return replace(over, failed=self.failed + 1, why=str(outcome.get("reason") or "nothing was heard of it"))

    def corrected(self, corrections: Iterable[Mapping[str, Any]], steps: Sequence[Intent]) -> "ActionProgress":
        """Return the progress moved back to the step of an act that was reported as done but had no effect.

        `corrections` are the entries of action awareness. Each act is taken back once.
        """
        counted, now = dict(self.counted), self
        for correction in corrections:
            act = str(correction.get("act"))
            if correction.get("supposed") and act in counted and act not in now.undone:
                step = counted[act]
                same = step == now.step
                left = now.done - 1 if same else (required_acts(steps[step]) or 1) - 1
                undone = (*now.undone, act)[-_COUNTED:]
                serves = now.serves and same
                now = replace(now, step=step, status="on", done=max(0, left), undone=undone, serves=serves)
        return now

    def reconsidered(self, decision: str, refused: str | None) -> "ActionProgress":
        """Return the progress after a new decision continued the course. A failed course goes on unless it is still
        `refused`, which is the reason.
        """
        now = replace(self, decided=decision)
        if self.status != "failed" or self.decided == decision or refused:
            return now
        return replace(now, status="on", failed=0, legs=0, why="")

    def settled(self) -> "ActionProgress":
        """Return the progress as `failed` if the step exceeded `MAX_RETRIES` or `MAX_DETOURS`, else unchanged."""
        if self.status == "on" and (self.failed > MAX_RETRIES or self.legs > MAX_DETOURS):
            return replace(self, status="failed", why=self.why or "found none")
        return self


_NAMES: Final = tuple(field.name for field in fields(ActionProgress))


def steps_of(plans: Mapping[str, JsonValue]) -> list[Intent]:
    """Return the executable steps of a plan as intents."""
    return [found for step in listed(plans, "steps") if (found := read_intent(str(step))) and found.verb != "plan"]


def acts_begun(history: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of acts that an agent has begun, by the ids in its history; 0 if it has none.

    Progress is not persisted, so an agent that moves to another host goes on counting from these. Otherwise an id would
    occur twice in its history, and the outcome of one act would count for both.
    """
    numbers = (str(act.get("id")).rpartition("-")[2] for act in history)
    return max((int(number) for number in numbers if number.isdecimal()), default=0)
