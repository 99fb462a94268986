"""Tests of the orchestrator's memory: similar past tasks (precedents) change the routing scores of agents."""

from uuid import UUID, uuid4

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.agents import ORCHESTRATOR, Definition, Perspective
from nemuri_contracts.client_events import Scope, Setting
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.tasks import precedents, routing
from nemuri_domain.tasks.precedents import (
    FAINTEST,
    Precedent,
    heaviest_precedents,
    history,
    influencing_memories,
    used,
    weight,
)
from nemuri_domain.tasks.routing import Applicant
from tests.unit.domain.tasks.stories import answered, assigned, completed, given, routed, submitted, summarised


def test_good_precedents_raise_and_bad_ones_lower_the_score() -> None:
    """Good precedents raise an agent's score and bad ones lower it. Without a precedent the score is the agent's
    overall rate.
    """
    assert history("cook", 0.5, []) == 0.5
    assert history("cook", 0.5, [_past(0.25, cook=(1, 0))]) > 0.7
    assert history("cook", 0.5, [_past(0.25, cook=(0, 1))]) < 0.3
    assert history("nurse", 0.5, [_past(0.25, cook=(0, 1))]) == 0.5


def test_a_dissimilar_task_hardly_counts() -> None:
    """A past task with a similarity of 0.2 changes a score by less than 0.02, and one with 0.8 by more than ten times
    as much.
    """
    far = history("cook", 0.5, [_past(weight(0.2, 1.0), cook=(1, 0))]) - 0.5
    near = history("cook", 0.5, [_past(weight(0.8, 1.0), cook=(1, 0))]) - 0.5
    assert 0 < far < 0.04
    assert near > 5 * far


def test_a_task_without_feedback_does_not_count() -> None:
    """A past task without feedback does not count, neither as a success nor as a failure."""
    assert history("cook", 0.5, [_past(0.5, cook=(0, 0))]) == 0.5


def test_a_fading_memory_counts_less() -> None:
    """A memory counts less as it fades, and with too little strength not at all."""
    assert weight(0.8, 0.1) < weight(0.8, 1.0) < weight(0.8, 5.0)
    assert heaviest_precedents([_past(FAINTEST / 2, cook=(1, 0))]) == ()


def test_a_past_task_counts_once() -> None:
    """Of several memories about one past task, only the one with the largest effect counts."""
    task, faint, clear = uuid4(), uuid4(), uuid4()
    found = heaviest_precedents(
        [Precedent(faint, task, 0.1, {"cook": (1, 0)}), Precedent(clear, task, 0.4, {"cook": (1, 0)})]
    )

    assert [each.memory_id for each in found] == [clear]


def test_a_routing_uses_the_memories_about_the_chosen_agents() -> None:
    """A routing records a use, in the perspective of past routings, of the memories about the chosen agents.

    Memories about other agents, and about tasks without feedback, are only candidates.
    """
    good, other, silent = _past(0.4, cook=(1, 0)), _past(0.4, nurse=(1, 0)), _past(0.4, cook=(0, 0))
    assert influencing_memories(["cook"], [good, other, silent]) == (good.memory_id,)

    routed = _route("soup?", (good, other, silent))
    event = used(routed)

    assert event is not None
    assert routed.recalled == event.memory_ids == (good.memory_id,)
    assert (event.agent_id, event.perspective) == (ORCHESTRATOR, precedents.ROUTING)
    assert used(_route("soup?", ())) is None


def test_similar_tasks_decide_between_equal_agents() -> None:
    """Of agents that are otherwise equal, the one with good feedback on similar tasks is chosen, whatever its overall
    rate is.
    """
    worse = _agent("a", succeeded=3)
    better = _agent("b", failed=1)
    task = given(submitted("soup?"), summarised("soup?")).task

    before = routing.route(submitted(), task, [worse, better])
    after = routing.route(submitted(), task, [worse, better], [_past(0.4, a=(0, 1)), _past(0.4, b=(1, 0))])

    assert isinstance(before, TaskRouted)
    assert isinstance(after, TaskRouted)
    assert (before.choices[0].agent_id, after.choices[0].agent_id) == ("a", "b")


def test_feedback_becomes_a_memory_of_the_agents_aptitude() -> None:
    """Each verdict becomes a memory about the aptitude of the agent that answered. A prevented error does not."""
    task = given(submitted("Which soup has onions?"), summarised("?")).task

    memory = precedents.aptitude_memory(task, "cook", "helpful")

    assert memory is not None
    assert memory.learnings.keys() == {precedents.APTITUDE}
    assert "cook did well with" in memory.content
    assert {"cook", "soup"} <= {each.casefold() for each in memory.tags}
    assert precedents.aptitude_memory(task, "cook", "prevented_error") is None


def test_the_orchestrators_memory_has_the_scope_of_the_task() -> None:
    """The orchestrator's memory of a task has the task's scope, so it is not retrieved in another project."""
    here = submitted("Which soup has onions?", setting=Setting(project="inn"))
    done = given(here, summarised("?"), routed(1), assigned(1), answered(1, "so"), completed())

    went = precedents.routing_memory(done.state)
    aptitude = precedents.aptitude_memory(done.task, "cook", "helpful")

    assert went is not None
    assert aptitude is not None
    assert went.scope == aptitude.scope == Scope(level="project", name="inn")


OUTCOMES = st.dictionaries(st.sampled_from("ab"), st.tuples(st.integers(0, 9), st.integers(0, 9)))


@for_any(st.floats(0, 1), st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 50), OUTCOMES)))
def test_the_history_score_is_between_0_and_1(
    overall: float, past: list[tuple[float, float, dict[str, tuple[int, int]]]]
) -> None:
    """For any memories the score from past tasks is between 0 and 1."""
    found = [Precedent(uuid4(), uuid4(), weight(cosine, strength), outcomes) for cosine, strength, outcomes in past]

    assert -1e-9 <= history("a", overall, found) <= 1 + 1e-9


def _past(heavy: float, **outcomes: tuple[int, int]) -> Precedent:
    memory_id: UUID = uuid4()
    return Precedent(memory_id, uuid4(), heavy, outcomes)


def _agent(name: str, **known: int) -> Applicant:
    definition = Definition(role="clerk", perspectives=(Perspective(name="cost"),))
    return Applicant(name, definition, (), **({"succeeded": 0, "failed": 0, "waiting": 0} | known))


def _route(text: str, known: tuple[Precedent, ...]) -> TaskRouted:
    task = given(submitted(text), summarised(text)).task
    routed = routing.route(submitted(), task, [_agent("cook"), _agent("nurse", failed=2)], known)
    assert isinstance(routed, TaskRouted)
    assert routed.choices[0].agent_id == "cook"
    return routed
