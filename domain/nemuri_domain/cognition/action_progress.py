"""How far hands have come with what was decided: the step, what is done of it, and what they are at.

It goes by what is said to be done. Where action awareness tells that something was not, that is taken back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

from pydantic import JsonValue

from nemuri_domain.cognition.action_selection import finished, needed
from nemuri_domain.cognition.intents import Intent, read_intent
from nemuri_domain.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_domain.cognition.situation import number
from nemuri_domain.cognition.surroundings import View

RETRIES: Final = 3
"""How often a step may fail in a row."""
LEGS: Final = 40
"""How often a step may lead somewhere else before it counts as failed."""
_COUNTED: Final = 8


@dataclass(frozen=True, slots=True)
class Progress:
    """Where hands are in a course: the steps of a plan, or the one action of a decision."""

    course: str
    """The id of the plan, or of the decision."""
    step: int = 0
    done: int = 0
    """Acts that served the step and are said to be done."""
    legs: int = 0
    """Acts that only led to it."""
    failed: int = 0
    """Failures in a row."""
    act: str | None = None
    """The act under way."""
    serves: bool = True
    """Whether that act is the thing itself."""
    status: Literal["on", "done", "failed"] = "on"
    why: str = ""
    """Why it failed."""
    acts: int = 0
    """All acts ever, for their ids."""
    had: Mapping[str, JsonValue] = field(default_factory=dict)
    """What was held when the step began."""
    counted: tuple[tuple[str, int], ...] = ()
    """The last acts that were counted, each with its step."""
    undone: tuple[str, ...] = ()
    """Those that were taken back."""

    def values(self) -> dict[str, JsonValue]:
        """The same as plain values."""
        plain = {name: getattr(self, name) for name in _NAMES}
        return plain | {"counted": [list(each) for each in self.counted], "undone": list(self.undone)}

    @classmethod
    def of(cls, values: Mapping[str, Any], course: str) -> "Progress":
        """The progress that was kept, if it is of this course; else a beginning."""
        acts = int(number(values.get("acts")))
        if values.get("course") != course:
            return cls(course, acts=acts)
        counted = tuple((str(act), int(step)) for act, step in values["counted"])
        return cls(**{**values, "counted": counted, "undone": tuple(values["undone"])})

    def advanced(self, steps: Sequence[Intent], view: View) -> "Progress":
        """On the first step that is not done yet."""
        now = self
        while now.status == "on" and now.step < len(steps):
            intent = steps[now.step]
            if now.done < needed(intent) and not finished(intent, view, now.had):
                return now
            if now.act is not None:
                return now
            now = replace(now, step=now.step + 1, done=0, legs=0, failed=0, had=dict(_inventory(view)))
        return replace(now, status="done") if now.status == "on" else now

    def ended(self, act: Mapping[str, Any]) -> "Progress":
        """With the outcome of the act under way."""
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

    def corrected(self, corrections: Iterable[Mapping[str, Any]], steps: Sequence[Intent]) -> "Progress":
        """With what was only supposed to be done taken back, and hands at that step again."""
        counted, now = dict(self.counted), self
        for each in corrections:
            act = str(each.get("act"))
            if each.get("supposed") and act in counted and act not in now.undone:
                step = counted[act]
                same = step == now.step
                left = now.done - 1 if same else needed(steps[step]) - 1
                undone = (*now.undone, act)[-_COUNTED:]
                serves = now.serves and same
                now = replace(now, step=step, status="on", done=max(0, left), undone=undone, serves=serves)
        return now

    def settled(self) -> "Progress":
        """Failed, where it was tried often enough."""
        if self.status == "on" and (self.failed > RETRIES or self.legs > LEGS):
            return replace(self, status="failed", why=self.why or "found none")
        return self


_NAMES: Final = tuple(each.name for each in fields(Progress))


def steps_of(plans: Mapping[str, JsonValue]) -> list[Intent]:
    """The steps of a plan that hands can do."""
    return [found for each in listed(plans, "steps") if (found := read_intent(str(each))) and found.verb != "plan"]


def _inventory(view: View) -> Mapping[str, JsonValue]:
    return mapped(view.percepts.get("inventory"))
