"""Tests of the orchestrator's memory of past tasks (precedents)."""

from uuid import uuid4

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Scope
from nemuri_domain.tasks import precedents
from tests.unit.domain.tasks.stories import answered, assigned, completed, given, routed, submitted, summarised


def test_a_fading_memory_counts_less() -> None:
    """A judged task counts less as its routing memory fades, in steps of a tenth, and never more than 1."""
    assert [precedents.influence(each) for each in (0.01, 0.52, 0.96, 8.0)] == [0.1, 0.5, 1.0, 1.0]


def test_a_routing_uses_the_memories_about_the_chosen_agents() -> None:
    """A routing records a use of the memories that it recalled, in the perspective of past routings."""
    memory = uuid4()
    event = precedents.used(routed(1).model_copy(update={"recalled": (memory,)}))

    assert event is not None
    assert event.memory_ids == (memory,)
    assert (event.agent_id, event.perspective) == (ORCHESTRATOR, precedents.ROUTING)
    assert precedents.used(routed(1)) is None


def test_feedback_becomes_a_memory_of_the_agents_aptitude() -> None:
    """Each verdict becomes a memory about the aptitude of the agent that answered. A prevented error does not."""
    task = given(submitted("Which soup has onions?"), summarised("?")).task

    memory = precedents.aptitude_memory(task, "cook", "helpful")

    assert memory is not None
    assert memory.learnings.keys() == {precedents.APTITUDE}
    assert "cook did well with" in memory.content
    assert {"cook", "soup"} <= {tag.casefold() for tag in memory.tags}
    assert precedents.aptitude_memory(task, "cook", "prevented_error") is None


def test_the_orchestrators_memory_has_the_scope_of_the_task() -> None:
    """The orchestrator's memory of a task has the task's scope, so it is not retrieved in another project."""
    here = submitted("Which soup has onions?", project="inn")
    done = given(here, summarised("?"), routed(1), assigned(1), answered(1, "so"), completed())

    went = precedents.routing_memory(done.state)
    aptitude = precedents.aptitude_memory(done.task, "cook", "helpful")

    assert went is not None
    assert aptitude is not None
    assert went.scope == aptitude.scope == Scope(level="project", name="inn")
