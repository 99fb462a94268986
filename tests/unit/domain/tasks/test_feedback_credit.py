"""Tests of feedback: it is credited, parked (kept until it can be decided) or refused, at whatever time it comes."""

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
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import ImpactCredited, SessionEnded
from nemuri_contracts.tasks import FeedbackParked, FeedbackRefused, TaskFailed
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.aggregate import Feedback, credit_key
from nemuri_domain.tasks.feedback_credit import CreditDecision, credited_to, decide_credit
from nemuri_domain.tasks.fold import LifeEvent
from tests.unit.domain.tasks.stories import (
    AGENT,
    TASK,
    USAGE,
    Story,
    answered,
    assigned,
    completed,
    encoded,
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
    ("given_parts", "worth"),
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
def test_feedback_has_the_points_of_the_document(given_parts: dict[str, Any], worth: list[object]) -> None:
    """The parts of feedback have the points of document 003 §4.4, and each is credited separately.

    Success counts only if the feedback states it.
    """
    fates = _credits(_fates(DONE, feedback(**given_parts)))

    assert [(fate.reason, fate.points, fate.memory_ids) for fate in fates] == worth
    assert {(fate.agent_id, fate.assignment_id) for fate in fates} == {(AGENT, work(1))}


def test_what_the_session_taught_is_credited_with_the_rest() -> None:
    """Memories that the session taught get the same points, once, after the session ended; without points, nothing."""
    taught = BEGUN.when(answered(1), used(1, A, B), encoded(1, C))
    early = feedback()
    assert [event.memory_ids for event in _credits(_fates(taught, early))] == [(A, B)]

    [credit, more] = _credits(_fates(taught.when(ended(1)), feedback()))

    assert (more.memory_ids, more.points, more.taught, credit.taught) == ((C,), 2.0, True, False)
    assert more.event_id != credit.event_id
    [refused] = _fates(taught.when(ended(1), credit, more), feedback())
    assert isinstance(refused, FeedbackRefused)
    assert len(_credits(_fates(taught.when(ended(1)), feedback("unhelpful")))) == 1


def test_a_cited_colleague_shares_the_credit() -> None:
    """Memories that the answer of a cited colleague used are credited to it by its policy, as soon as they are known.

    A colleague whose answer is not cited gets nothing.
    """
    ask = AssignmentStepped(
        event_id=UUID(int=7), correlation_id=TASK, agent_id=AGENT, assignment_id=work(1), number=1, tool="consult",
        query="Which?", colleague="sealer", usage=USAGE,
    )  # fmt: skip
    told = ConsultationEnded(
        event_id=UUID(int=8), correlation_id=TASK, agent_id=AGENT, assignment_id=work(1), consultation_id=work(2),
        answer="This.",
    )  # fmt: skip
    asked = assigned(2, agent="sealer").model_copy(update={"consulted_by": work(1), "question": "Which?"})
    story = BEGUN.when(ask, asked, answered(2), told)
    cited = story.when(answered(1, "This [c1]."), used(1, A), ended(1))
    said = feedback(prevented_error=B)
    known = cited.when(said, used(2, B), ended(2))
    policies = {"sealer": Policy(impact_user_positive=5.0)}

    assert [(event.agent_id, event.memory_ids) for event in _credits(_fates(cited, feedback()))] == [(AGENT, (A,))]
    later = _credits(decide_credit(_said(known, said), known.state, policies, said))
    assert [(event.agent_id, event.assignment_id, event.reason, event.points, event.memory_ids) for event in later] == [
        (AGENT, work(1), "helpful", 2.0, (A,)),
        ("sealer", work(2), "helpful", 5.0, (B,)),
        ("sealer", work(2), "prevented_error", 2.0, (B,)),
    ]
    after = known.when(*later)
    assert set(credited_to(_said(after, said), after.state)) == {A, B}
    silent = story.when(answered(1, "This."), used(1, A), ended(1), used(2, B), ended(2))
    assert [event.agent_id for event in _credits(_fates(silent, feedback()))] == [AGENT]


def test_the_points_come_from_the_agents_policy() -> None:
    """The points are those of the policy of the agent that answered."""
    given_now = feedback()
    story = DONE.when(given_now)
    policies = {AGENT: Policy(impact_user_positive=5.0)}

    [credit] = _credits(decide_credit(_said(story, given_now), story.state, policies, given_now))

    assert credit.points == 5.0


@pytest.mark.parametrize(
    ("story", "given_parts", "outcome", "why"),
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
def test_feedback_has_one_outcome_at_any_time(
    story: Story, given_parts: dict[str, Any], outcome: type[Event], why: str
) -> None:
    """Feedback has one outcome in each case: before the task, before the answer, on a failed task, without uses, on an
    unused memory.
    """
    [only] = _fates(story, feedback(**given_parts))

    assert isinstance(only, outcome)
    assert why in getattr(only, "reason", "")


def test_feedback_of_a_stranger_is_not_applied_by_the_clients() -> None:
    """A credit applies only feedback of clients that may judge the task. Feedback of others is refused."""
    early, given_parts = feedback(by="bob"), feedback()
    story = given(early).when(*_fates(given(early), early))
    story = story.when(submitted(), summarised(), routed(1), assigned(1), answered(1), used(1, A, B), ended(1))

    after = _through(story, given_parts)

    assert [_said(after, each).standing for each in (early, given_parts)] == ["parked", "applied"]
    assert [type(decision) for decision in _fates(after, early)] == [FeedbackRefused]


def test_an_answer_without_uses_can_be_helpful() -> None:
    """Feedback on an answer that used no memory is applied, and credits no memory."""
    [credit] = _credits(_fates(BEGUN.when(used(1)), feedback()))

    assert credit.memory_ids == ()


def test_an_invalid_part_does_not_block_the_others() -> None:
    """If a prevented error names an unused memory, this part is refused, and the verdict is still applied."""
    given_parts = feedback(prevented_error=C)
    told = _fates(DONE, given_parts)

    assert [type(decision) for decision in told] == [ImpactCredited, FeedbackRefused]
    after = DONE.when(given_parts, *told)
    assert _said(after, given_parts).standing == "applied"
    assert "did not use" in (_said(after, given_parts).reason or "")
    assert credited_to(_said(after, given_parts), after.state) == (A, B)


def test_repeated_feedback_counts_once() -> None:
    """Repeated feedback counts once. If it has a new part, that part is applied."""
    first, again, more = feedback(prevented_error=A), feedback(prevented_error=A), feedback(prevented_error=B)
    story = _through(DONE, first)

    [refused] = _fates(story, again)
    assert isinstance(refused, FeedbackRefused)
    assert "given before" in refused.reason
    [credit] = _credits(_fates(story, more))
    assert (credit.reason, credit.memory_ids) == ("prevented_error", (B,))


def test_concurrent_equal_feedback_makes_one_credit() -> None:
    """Two equal events of feedback that are decided at the same time give one credit, and both count as applied."""
    one, other = feedback(), feedback()
    waiting = BEGUN.when(one, other, used(1, A), ended(1))
    first, second = (decide_credit(_said(waiting, each), waiting.state, {}, ended(1)) for each in (one, other))

    assert [event.event_id for event in first] == [event.event_id for event in second]
    after = waiting.when(*first)
    assert [_said(after, each).standing for each in (one, other)] == ["applied", "applied"]
    assert decide_credit(_said(after, other), after.state, {}, other) == ()


def test_parked_feedback_is_decided_at_the_end_of_the_session() -> None:
    """Parked feedback is decided at the end of the session.

    Either of the two joined events gives the same credit, and a redelivery changes nothing.
    """
    given_parts = feedback()
    parked = _through(BEGUN, given_parts)
    assert _said(parked, given_parts).standing == "parked"

    known = parked.when(used(1, A, B), ended(1))
    from_the_session = decide_credit(_said(known, given_parts), known.state, {}, ended(1))
    from_the_feedback = decide_credit(_said(known, given_parts), known.state, {}, given_parts)

    assert [decision.event_id for decision in from_the_session] == [decision.event_id for decision in from_the_feedback]
    after = known.when(*from_the_session)
    assert _said(after, given_parts).standing == "applied"
    assert decide_credit(_said(after, given_parts), after.state, {}, given_parts) == ()


def test_each_assignment_is_credited_as_soon_as_possible() -> None:
    """Each assignment is credited as soon as its answer is there. Feedback counts as applied from its first credit
    on.
    """
    given_parts = feedback(prevented_error=B)
    half = _through(TWO.when(used(1, A), ended(1)), given_parts)
    assert (_said(half, given_parts).standing, credited_to(_said(half, given_parts), half.state)) == ("applied", (A,))

    whole = half.when(used(2, B), ended(2))
    late = _credits(decide_credit(_said(whole, given_parts), whole.state, {}, ended(2)))

    assert [(event.reason, event.assignment_id) for event in late] == [
        ("helpful", work(2)),
        ("prevented_error", work(2)),
    ]
    assert credited_to(_said(whole.when(*late), given_parts), whole.when(*late).state) == (A, B)


def test_feedback_parked_for_a_failed_task_is_refused() -> None:
    """Feedback that was parked for a failed task is refused, also after a reopening, because it was not about the new
    answer.
    """
    given_parts = feedback()
    lost = _through(_through(BEGUN, given_parts).when(failed()), given_parts, new=False)
    assert _said(lost, given_parts).standing == "refused"

    again = lost.when(reopened(), routed(1, 2), assigned(2, attempt=2), used(2, A), ended(2))
    assert decide_credit(_said(again, given_parts), again.state, {}, ended(2)) == ()
    assert len(_credits(_fates(again, feedback()))) == 1


def test_applied_feedback_stays_applied() -> None:
    """Applied feedback stays applied: a later event that parks or refuses it has no effect."""
    given_parts = feedback()
    story = _through(DONE, given_parts)
    late = FeedbackParked.following(given_parts, key=1, feedback_id=given_parts.event_id, reason="late")
    part = FeedbackRefused.following(given_parts, key=2, feedback_id=given_parts.event_id, reason="of a part")

    assert story.when(late).state == story.state
    assert (_said(story.when(part), given_parts).standing, _said(story.when(part), given_parts).reason) == (
        "applied",
        "of a part",
    )


@for_any(
    given_parts=st.lists(st.sampled_from(SAID), min_size=1, max_size=5),
    fails=st.booleans(),
    rng=st.randoms(use_true_random=False),
)
def test_no_feedback_is_ever_lost(given_parts: list[dict[str, Any]], fails: bool, rng: random.Random) -> None:
    """When the task has ended, all feedback is decided, whenever it came and in whatever order it was handled.

    For each assignment every reason is credited once. Handling everything again changes nothing.
    """
    way: list[LifeEvent] = [submitted(), summarised("a", "b"), routed(2), assigned(1), assigned(2, part=1)]
    way += [used(1, A), ended(1), failed()] if fails else [used(1, A), used(2, A, B), ended(2), ended(1), completed()]
    for parts in given_parts:
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
    """A log, and a slow service that handles the events in any order."""

    rng: random.Random
    story: Story = field(default_factory=Story)
    known: dict[UUID, LifeEvent] = field(default_factory=dict)
    due: list[LifeEvent] = field(default_factory=list)
    reasons: list[LifeEvent] = field(default_factory=list)

    def append(self, event: LifeEvent) -> None:
        """Append the event if it is the first of its id."""
        if event.event_id in self.known:
            return
        self.known[event.event_id] = event
        self.story = self.story.when(event)
        if isinstance(event, FeedbackGiven | SessionEnded | TaskFailed):
            self.due.append(event)
            self.reasons.append(event)

    def react(self, *, hurry: bool) -> None:
        """Handle some of the waiting events, or with `hurry` all of them."""
        while self.due and (hurry or self.rng.random() < 0.5):
            event = self.due.pop(self.rng.randrange(len(self.due)))
            state, mine = self.story.state, isinstance(event, FeedbackGiven)
            heard = [state.feedback[event.event_id]] if mine else list(state.feedback.values())
            for each in (one for given_parts in heard for one in decide_credit(given_parts, state, {}, event)):
                if mine or not isinstance(each, FeedbackParked):
                    self.append(each)


def _fates(story: Story, given_parts: FeedbackGiven) -> tuple[CreditDecision, ...]:
    """Return the decisions on new feedback in this story."""
    known = story.when(given_parts)
    return decide_credit(_said(known, given_parts), known.state, {}, recorded(given_parts, known.sequence))


def _through(story: Story, given_parts: FeedbackGiven, *, new: bool = True) -> Story:
    """Return the story after the feedback and the decisions on it."""
    known = story.when(given_parts) if new else story
    return known.when(*decide_credit(_said(known, given_parts), known.state, {}, given_parts))


def _said(story: Story, given_parts: FeedbackGiven) -> Feedback:
    return story.state.feedback[given_parts.event_id]


def _credits(fates: tuple[CreditDecision, ...]) -> list[ImpactCredited]:
    assert all(isinstance(fate, ImpactCredited) for fate in fates)
    return [fate for fate in fates if isinstance(fate, ImpactCredited)]
