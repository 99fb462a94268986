"""What becomes of feedback: each is credited, parked or refused, whenever it comes."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import FeedbackGiven
from nemuri_contracts.event import OPERATOR, TUTOR, Event
from nemuri_contracts.strength import ImpactCredited, SessionEnded
from nemuri_contracts.tasks import FeedbackParked, FeedbackRefused, TaskFailed
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.aggregate import Feedback, credit_key
from nemuri_domain.tasks.feedback_credit import Fate, credited_to, fate
from nemuri_domain.tasks.fold import LifeEvent
from tests.unit.domain.tasks.stories import (
    AGENT,
    Story,
    answered,
    assigned,
    completed,
    ended,
    failed,
    feedback,
    given,
    memory,
    recorded,
    reopened,
    routed,
    submitted,
    summarised,
    used,
    work,
)

A, B, C = memory(1), memory(2), memory(3)
BEGUN = given(submitted(), summarised(), routed(1), assigned(1))
DONE = BEGUN.when(answered(1), used(1, A, B), ended(1), completed())
SAID: list[dict[str, Any]] = [
    {},
    {"verdict": "unhelpful", "result": "failure"},
    {"verdict": None, "result": "success"},
    {"verdict": None, "prevented_error": B},
    {"prevented_error": C},
]
FAILED = BEGUN.when(failed())
TWO = given(submitted(), summarised("a", "b"), routed(2), assigned(1), assigned(2, part=1))


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ({}, [("helpful", 2.0, (A, B))]),
        ({"verdict": "unhelpful"}, [("unhelpful", 0.0, (A, B))]),
        ({"result": "success"}, [("helpful", 2.0, (A, B)), ("success", 1.5, (A, B))]),
        ({"verdict": None, "result": "success"}, [("success", 1.5, (A, B))]),
        ({"verdict": "unhelpful", "result": "failure"}, [("unhelpful", 0.0, (A, B)), ("failure", 0.0, (A, B))]),
        ({"prevented_error": B}, [("helpful", 2.0, (A, B)), ("prevented_error", 2.0, (B,))]),
        ({"verdict": None, "prevented_error": A}, [("prevented_error", 2.0, (A,))]),
    ],
)
def test_feedback_is_worth_what_the_document_says(said: dict[str, Any], worth: list[object]) -> None:
    """Document 003 §4.4; success is said, never assumed; each part is credited by itself."""
    fates = _credits(_fates(DONE, feedback(**said)))

    assert [(each.reason, each.points, each.memory_ids) for each in fates] == worth
    assert {(each.agent_id, each.assignment_id) for each in fates} == {(AGENT, work(1))}


def test_the_policy_of_the_agent_says_what_it_is_worth() -> None:
    """And not that of anybody else."""
    given_now = feedback()
    story = DONE.when(given_now)
    policies = {AGENT: Policy(impact_user_positive=5.0)}

    [credit] = _credits(fate(_said(story, given_now), story.state, policies, given_now))

    assert credit.points == 5.0


@pytest.mark.parametrize(
    ("story", "said", "outcome", "why"),
    [
        (Story(), {}, FeedbackParked, "does not exist yet"),
        (given(submitted()), {}, FeedbackParked, "not known yet"),
        (BEGUN, {}, FeedbackParked, "not known yet"),
        (BEGUN.when(answered(1)), {"prevented_error": C}, FeedbackParked, "not known yet"),
        (TWO.when(used(1, A)), {"verdict": None, "prevented_error": B}, FeedbackParked, "not known yet"),
        (FAILED, {}, FeedbackRefused, "failed"),
        (Story(), {"by": "bob"}, FeedbackParked, "does not exist yet"),
        (given(submitted()), {"by": "bob"}, FeedbackRefused, "belongs to client ann"),
        (BEGUN, {"by": "bob"}, FeedbackRefused, "belongs to client ann"),
        (DONE, {"by": "bob"}, FeedbackRefused, "belongs to client ann"),
        (FAILED, {"by": "bob"}, FeedbackRefused, "belongs to client ann"),
        (DONE, {"by": OPERATOR}, ImpactCredited, ""),
        (DONE, {"by": TUTOR}, ImpactCredited, ""),
        (FAILED.when(reopened()), {}, FeedbackParked, "not known yet"),
        (FAILED.when(reopened(), routed(1, 2), assigned(2, attempt=2), used(2, A)), {}, ImpactCredited, ""),
        (BEGUN.when(used(1)), {}, ImpactCredited, ""),
        (BEGUN.when(ended(1)), {}, FeedbackRefused, "could not be detected"),
        (DONE, {"verdict": None, "prevented_error": C}, FeedbackRefused, f"did not use the memory {C}"),
    ],
)
def test_whenever_feedback_comes_one_thing_becomes_of_it(
    story: Story, said: dict[str, Any], outcome: type[Event], why: str
) -> None:
    """Before the task, before the answer, of a failed task, of one that used nothing, of a memory that was not used."""
    [only] = _fates(story, feedback(**said))

    assert isinstance(only, outcome)
    assert why in getattr(only, "reason", "")


def test_what_a_stranger_said_before_is_not_applied_by_what_the_client_says() -> None:
    """Apply a credit to the feedback of those who may judge the task, and refuse the rest."""
    early, said = feedback(by="bob"), feedback()
    story = given(early).when(*_fates(given(early), early))
    story = story.when(submitted(), summarised(), routed(1), assigned(1), answered(1), used(1, A, B), ended(1))

    after = _through(story, said)

    assert [_said(after, each).standing for each in (early, said)] == ["parked", "applied"]
    assert [type(each) for each in _fates(after, early)] == [FeedbackRefused]


def test_an_answer_that_drew_on_nothing_can_be_helpful_too() -> None:
    """It is credited to no memory, and so it is applied: that nothing was used is worth knowing as well."""
    [credit] = _credits(_fates(BEGUN.when(used(1)), feedback()))

    assert credit.memory_ids == ()


def test_what_cannot_be_credited_does_not_keep_the_rest_from_it() -> None:
    """A memory that was not used prevented no error; that the answer helped stands all the same, and is applied."""
    said = feedback(prevented_error=C)
    told = _fates(DONE, said)

    assert [type(each) for each in told] == [ImpactCredited, FeedbackRefused]
    after = DONE.when(said, *told)
    assert _said(after, said).standing == "applied"
    assert "did not use" in (_said(after, said).reason or "")
    assert credited_to(_said(after, said), after.state) == (A, B)


def test_the_same_said_again_counts_once_and_says_so() -> None:
    """Another one with something new in it is applied for what is new."""
    first, again, more = feedback(prevented_error=A), feedback(prevented_error=A), feedback(prevented_error=B)
    story = _through(DONE, first)

    [refused] = _fates(story, again)
    assert isinstance(refused, FeedbackRefused)
    assert "given before" in refused.reason
    [credit] = _credits(_fates(story, more))
    assert (credit.reason, credit.memory_ids) == ("prevented_error", (B,))


def test_two_who_say_the_same_at_once_make_one_credit() -> None:
    """Both are decided before either is credited: the same ids, and both are applied."""
    one, other = feedback(), feedback()
    waiting = BEGUN.when(one, other, used(1, A), ended(1))
    first, second = (fate(_said(waiting, each), waiting.state, {}, ended(1)) for each in (one, other))

    assert [each.event_id for each in first] == [each.event_id for each in second]
    after = waiting.when(*first)
    assert [_said(after, each).standing for each in (one, other)] == ["applied", "applied"]
    assert fate(_said(after, other), after.state, {}, other) == ()


def test_parked_feedback_is_decided_when_the_session_ends() -> None:
    """From either side of the join the credit is the same; delivered again, it changes nothing."""
    said = feedback()
    parked = _through(BEGUN, said)
    assert _said(parked, said).standing == "parked"

    known = parked.when(used(1, A, B), ended(1))
    from_the_session = fate(_said(known, said), known.state, {}, ended(1))
    from_the_feedback = fate(_said(known, said), known.state, {}, said)

    assert [each.event_id for each in from_the_session] == [each.event_id for each in from_the_feedback]
    after = known.when(*from_the_session)
    assert _said(after, said).standing == "applied"
    assert fate(_said(after, said), after.state, {}, said) == ()


def test_of_several_assignments_each_is_credited_as_soon_as_it_can_be() -> None:
    """A part that is answered later is credited later, by the same feedback, which is applied from the first on."""
    said = feedback(prevented_error=B)
    half = _through(TWO.when(used(1, A), ended(1)), said)
    assert (_said(half, said).standing, credited_to(_said(half, said), half.state)) == ("applied", (A,))

    whole = half.when(used(2, B), ended(2))
    late = _credits(fate(_said(whole, said), whole.state, {}, ended(2)))

    assert [(each.reason, each.assignment_id) for each in late] == [("helpful", work(2)), ("prevented_error", work(2))]
    assert credited_to(_said(whole.when(*late), said), whole.when(*late).state) == (A, B)


def test_feedback_that_waited_for_a_task_that_failed_is_refused() -> None:
    """And stays refused when the task is tried again: it was said of an answer that never came."""
    said = feedback()
    lost = _through(_through(BEGUN, said).when(failed()), said, new=False)
    assert _said(lost, said).standing == "refused"

    again = lost.when(reopened(), routed(1, 2), assigned(2, attempt=2), used(2, A), ended(2))
    assert fate(_said(again, said), again.state, {}, ended(2)) == ()
    assert len(_credits(_fates(again, feedback()))) == 1


def test_decided_feedback_does_not_go_back() -> None:
    """Neither a late parking nor a late refusal undoes what was applied."""
    said = feedback()
    story = _through(DONE, said)
    late = FeedbackParked.following(said, key=1, feedback_id=said.event_id, reason="late")
    part = FeedbackRefused.following(said, key=2, feedback_id=said.event_id, reason="of a part")

    assert story.when(late).state == story.state
    assert (_said(story.when(part), said).standing, _said(story.when(part), said).reason) == ("applied", "of a part")


@for_any(
    said=st.lists(st.sampled_from(SAID), min_size=1, max_size=5),
    fails=st.booleans(),
    rng=st.randoms(use_true_random=False),
)
def test_no_feedback_is_ever_lost(said: list[dict[str, Any]], fails: bool, rng: random.Random) -> None:
    """Whenever it comes, and in whichever order it is reacted to: once the task has ended, all of it is decided.

    Each reason is credited once to each assignment, and reacting to everything once more changes nothing.
    """
    way: list[LifeEvent] = [submitted(), summarised("a", "b"), routed(2), assigned(1), assigned(2, part=1)]
    way += [used(1, A), ended(1), failed()] if fails else [used(1, A), used(2, A, B), ended(2), ended(1), completed()]
    for parts in said:
        way.insert(rng.randrange(len(way) + 1), feedback(**parts))
    log = Reacting(rng)
    for event in way:
        log.append(event)
        log.react(hurry=False)
    log.react(hurry=True)

    assert {each.standing for each in log.story.state.feedback.values()} <= {"applied", "refused"}
    counted = Counter(
        (each.assignment_id, credit_key(each.reason, each.memory_ids))
        for each in log.known.values()
        if isinstance(each, ImpactCredited)
    )
    assert set(counted.values()) <= {1}
    settled, log.due = log.story.state, list(log.reasons)
    log.react(hurry=True)
    assert log.story.state == settled


@dataclass
class Reacting:
    """A log with a slow service behind it, which reacts in any order to what it sees by then."""

    rng: random.Random
    story: Story = field(default_factory=Story)
    known: dict[UUID, LifeEvent] = field(default_factory=dict)
    due: list[LifeEvent] = field(default_factory=list)
    reasons: list[LifeEvent] = field(default_factory=list)

    def append(self, event: LifeEvent) -> None:
        """The first of an id counts."""
        if event.event_id in self.known:
            return
        self.known[event.event_id] = event
        self.story = self.story.when(event)
        if isinstance(event, FeedbackGiven | SessionEnded | TaskFailed):
            self.due.append(event)
            self.reasons.append(event)

    def react(self, *, hurry: bool) -> None:
        """To some of what is due, or to all of it."""
        while self.due and (hurry or self.rng.random() < 0.5):
            event = self.due.pop(self.rng.randrange(len(self.due)))
            state, mine = self.story.state, isinstance(event, FeedbackGiven)
            heard = [state.feedback[event.event_id]] if mine else list(state.feedback.values())
            for each in (one for said in heard for one in fate(said, state, {}, event)):
                if mine or not isinstance(each, FeedbackParked):
                    self.append(each)


def _fates(story: Story, said: FeedbackGiven) -> tuple[Fate, ...]:
    """What is decided about new feedback."""
    known = story.when(said)
    return fate(_said(known, said), known.state, {}, recorded(said, known.sequence))


def _through(story: Story, said: FeedbackGiven, *, new: bool = True) -> Story:
    """The story after the feedback and what is decided about it."""
    known = story.when(said) if new else story
    return known.when(*fate(_said(known, said), known.state, {}, said))


def _said(story: Story, said: FeedbackGiven) -> Feedback:
    return story.state.feedback[said.event_id]


def _credits(fates: tuple[Fate, ...]) -> list[ImpactCredited]:
    assert all(isinstance(each, ImpactCredited) for each in fates)
    return [each for each in fates if isinstance(each, ImpactCredited)]
