"""Tests of the costs of a task by step."""

from uuid import UUID

from nemuri_contracts.event import Usage
from nemuri_contracts.rebuttals import AnswerRevised, Revision
from nemuri_contracts.task_views import Cost
from nemuri_contracts.tasks import Panel, Voice
from nemuri_domain.tasks.task_costs import costs
from tests.unit.domain.tasks.stories import (
    AGENT,
    TASK,
    answered,
    assigned,
    chunked,
    completed,
    failed,
    given,
    learned,
    memory,
    point,
    reopened,
    retrieved,
    routed,
    submitted,
    summarised,
    used,
)


def usage(tokens: int, model: str = "large") -> dict[str, Usage]:
    """Return the usage of a call with `tokens` input tokens and half as many output tokens."""
    return {"usage": Usage(model=model, input_tokens=tokens, output_tokens=tokens // 2)}


def test_every_step_of_a_task_has_its_cost() -> None:
    """Each step (chunks, routing, answers, judgement, learnings, rebuttal, panel) has its own costs, with the model
    that was called.
    """
    voices = (Voice(agent_id=AGENT, perspective=None, answer="an answer"),)
    merged = Panel(voices=voices, merged="an answer", **usage(60))
    story = given(submitted(), chunked()).when(
        point(0).model_copy(update=usage(10, "small")),
        point(1).model_copy(update=usage(12, "small")),
        summarised(),
        routed().model_copy(update=usage(20)),
        assigned(1),
        retrieved(1, memory(1)),
        answered(1).model_copy(update=usage(30)),
        used(1, memory(1)).model_copy(update=usage(40, "small")),
        learned(1).model_copy(update=usage(50)),
        AnswerRevised(
            event_id=UUID(int=7),
            correlation_id=TASK,
            agent_id=AGENT,
            perspective=None,
            attempt=1,
            revision=Revision(answer="an answer", stands=True, **usage(70)),
        ),
        completed().model_copy(update={"panel": merged}),
    )

    assert costs(story.state) == (
        Cost(step="key points", model="small", input_tokens=22, output_tokens=11),
        Cost(step="routing", model="large", input_tokens=20, output_tokens=10),
        Cost(step="answer", model="large", input_tokens=30, output_tokens=15),
        Cost(step="judge", model="small", input_tokens=40, output_tokens=20),
        Cost(step="learnings", model="large", input_tokens=50, output_tokens=25),
        Cost(step="rebuttal", model="large", input_tokens=70, output_tokens=35),
        Cost(step="panel", model="large", input_tokens=60, output_tokens=30),
    )


def test_a_failed_attempt_has_costs() -> None:
    """The costs of all attempts, also of failed ones, are added up for each model."""
    story = given(submitted(), summarised()).when(
        routed().model_copy(update=usage(20)),
        assigned(1),
        answered(1).model_copy(update=usage(30)),
        failed(),
        reopened(),
        routed(attempt=2).model_copy(update=usage(22)),
        assigned(2, attempt=2),
        answered(2).model_copy(update=usage(40, "small")),
    )

    assert [(cost.step, cost.model, cost.input_tokens) for cost in costs(story.state)] == [
        ("routing", "large", 42),
        ("answer", "large", 30),
        ("answer", "small", 40),
    ]


def test_a_step_without_a_model_call_has_no_costs() -> None:
    """A step that called no model has no costs. Examples are a step that is not done yet and a routing without a
    model.
    """
    assert costs(given(submitted(), summarised(), routed(), assigned(1)).state) == ()
    assert costs(given().state) == ()
