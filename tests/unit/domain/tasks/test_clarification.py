"""An agent asks once. The first of answer and expiry counts, and the complete answer says what was assumed."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from nemuri_contracts.clarifications import (
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRequest,
)
from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_domain.tasks import clarification, fan_in
from nemuri_domain.tasks.conversation_history import waits
from tests.unit.domain.tasks.stories import (
    AGENT,
    BEGINNING,
    TASK,
    USAGE,
    Story,
    answered,
    assigned,
    chosen,
    completed,
    failed,
    given,
    opened,
    reopened,
    routed,
    submitted,
    summarised,
    work,
)

REQUEST = ClarificationRequest(question="Which lamp?", assumption="it is the green lamp.", options=("green", "red"))


def asked(number: int = 1) -> ClarificationAsked:
    """Return the event that the agent of an assignment asks which lamp is meant."""
    return ClarificationAsked(
        event_id=uuid4(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number), request=REQUEST,
        until=BEGINNING + timedelta(minutes=10), usage=USAGE,
    )  # fmt: skip


def said(text: str = "the red one", by: str = "ann") -> ClarificationAnswered:
    """Return the event of a client's answer."""
    return ClarificationAnswered(event_id=uuid4(), client_id=by, correlation_id=TASK, text=text)


def expired(number: int = 1) -> ClarificationExpired:
    """Return the event that nobody answered the question of an assignment in time."""
    return ClarificationExpired(event_id=uuid4(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number))


def begun(parts: int = 1, **fields: Any) -> Story:
    """Return the story of a task that was routed and assigned."""
    text = str(fields.pop("text", "What does it cost?"))
    story = given(submitted(text, **fields), summarised(*(text,) * parts), routed(parts))
    return story.when(*(assigned(number + 1, number) for number in range(parts)))


def test_a_task_waits_for_the_answer_and_continues_with_it() -> None:
    """While the question waits, the task is not done and holds up no conversation. The answer joins the request."""
    story = begun().when(asked()).then(status="clarification")
    assert not waits([story.task])
    assert fan_in.answers(story.state) is None
    answer = said()
    story = story.when(answer).then(status="open")
    assert story.task.part(0).text == "What does it cost?\nthe red one"
    assert clarification.resumed(answer, story.state) == story.assignment(1)
    assert clarification.refuse(answer, story.task) is None


@pytest.mark.parametrize("by", ["ann", OPERATOR, TUTOR])
def test_the_tasks_client_operators_and_the_tutor_may_answer(by: str) -> None:
    """An answer of one of them counts."""
    begun().when(asked(), said(by=by)).then(status="open")


def test_another_clients_answer_is_refused() -> None:
    """The answer of another client changes nothing and is refused with the reason."""
    other = said(by="bob")
    story = begun().when(asked(), other).then(status="clarification")
    refusal = clarification.refuse(other, story.task)
    assert refusal is not None
    assert "belongs to client ann" in refusal.reason


def test_the_first_of_answer_and_expiry_counts() -> None:
    """Whichever comes second changes nothing and continues nothing; a late answer is refused."""
    end, answer = expired(), said()
    late = begun().when(asked(), end, answer)
    assert late.task.clarification is not None
    assert (late.task.clarification.state, late.task.clarification.answer) == ("expired", None)
    assert clarification.resumed(end, late.state) is not None
    assert clarification.resumed(answer, late.state) is None
    refusal = clarification.refuse(answer, late.task)
    assert refusal is not None
    assert refusal.reason == "the agent went on with its assumption"
    early = begun().when(asked(), answer, end, said("the blue one"))
    assert early.task.part(0).text.endswith("the red one")
    assert clarification.resumed(end, early.state) is None


def test_the_answer_of_an_expired_question_begins_with_the_assumption() -> None:
    """The complete answer says what was asked and assumed, in the language of the request."""
    for text, sign in (("What does it cost?", "I assumed: it is the"), ("いくらですか。", "仮定しました：it is the")):
        story = begun(text=text).when(asked(), expired())
        end = answered(1, "5 euro")
        done = fan_in.complete(end, story.when(end).state)
        assert done is not None
        assert done.answer.endswith("\n\n5 euro")
        assert "Which lamp?" in done.answer
        assert sign in done.answer


def test_an_answer_recorded_at_the_same_time_ends_the_wait() -> None:
    """If another worker answered while the question was asked, the answer counts and the task does not wait."""
    story = begun().when(asked(), answered(1)).then(status="open", clarification=None)
    assert fan_in.answers(story.state) is not None
    begun().when(answered(1), asked()).then(status="open", clarification=None)


def test_a_task_has_one_question() -> None:
    """A second question changes nothing. A new attempt keeps an answered question, and may repeat an open one."""
    story = begun().when(asked(), said())
    story.when(asked()).then(status="open")
    again = story.when(failed(), reopened(), routed(attempt=2), assigned(2, attempt=2))
    assert clarification.minutes_to_wait(again.task, 10) == 0
    assert again.task.part(0).text.endswith("the red one")
    begun().when(asked(), failed()).then(status="failed").when(reopened()).then(clarification=None)


@pytest.mark.parametrize(
    ("story", "minutes"),
    [
        (begun(), 10),
        (begun(question_minutes=3), 3),
        (begun(question_minutes=0), 0),
        (begun(panel=2), 0),
        (begun(parts=2), 0),
        (begun().when(asked(), expired()), 0),
        (given(submitted(), opened(), chosen(), summarised("?"), routed(), assigned(1)), 0),
        (given(submitted().model_copy(update={"client_id": TUTOR}), summarised("?"), routed(), assigned(1)), 0),
    ],
    ids=["plain", "own time", "forbidden", "panel", "parts", "asked", "negotiated", "exercise"],
)
def test_who_may_ask(story: Story, minutes: float) -> None:
    """Only the one agent of a task that was never asked about may ask, for the task's or else the platform's time."""
    assert clarification.minutes_to_wait(story.task, 10) == minutes


def test_a_long_answer_is_material() -> None:
    """A long answer is read like a passage of a document, and only its beginning joins the query."""
    text = "The lamp is red. " * 60
    story = begun().when(asked(), said(text))
    task = story.task
    assert task.part(0).text == "What does it cost?"
    assert clarification.material(task) == (text,)
    assert clarification.query(task, story.assignment(1)) == f"What does it cost?\n{text[:400]}"


def test_a_question_of_a_finished_or_unknown_task_changes_nothing() -> None:
    """Late questions and answers about a task that is done change nothing."""
    story = begun().when(answered(1), completed(), asked(), said()).then(status="done", clarification=None)
    refusal = clarification.refuse(said(), story.task)
    assert refusal is not None
    assert refusal.reason == "the agent asked nothing about the task"
    assert given(asked(), said(), expired()).state.task is None
