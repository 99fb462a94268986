"""Figures of the agents from the tasks in memory: outcomes, open work, and what their models have spent."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Setting
from nemuri_contracts.event import Usage
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.scope_matching import valid_in
from nemuri_domain.tasks.agent_scores import Workload
from nemuri_domain.tasks.aggregate import Feedback, TaskState, is_entitled
from nemuri_domain.tasks.precedents import MAX_JUDGED, ROUTING, JudgedTask
from nemuri_domain.tasks.spent_usage import Spent
from nemuri_infra.in_memory.projections import InMemoryProjections


def workloads(tasks: Iterable[TaskState]) -> dict[str, Workload]:
    """Return the outcomes and the unanswered assignments of each agent that has any; see `Views.workloads`."""
    numbers = Counter[tuple[str, str]]()
    for state in tasks:
        good, bad = any(map(_is_good, state.feedback.values())), any(map(_is_bad, state.feedback.values()))
        for agent_id in {work.agent_id for work in state.assignments.values()}:
            numbers[agent_id, "good"] += good
            numbers[agent_id, "bad"] += bad
        numbers.update((work.agent_id, "unanswered") for work in state.assignments.values() if work.answer is None)
    names = {agent_id for agent_id, _ in +numbers}
    return {name: Workload(*(numbers[name, number] for number in Workload._fields)) for name in names}


def judged_tasks(projections: InMemoryProjections, setting: Setting) -> Sequence[JudgedTask]:
    """Return the newest judged tasks that the orchestrator remembers; see `Views.judged_tasks`."""
    judged = sorted(_judged(projections, setting), key=lambda task: (task[0], task[1].memory_id))
    return tuple(task for _, task in judged[-MAX_JUDGED:])


def _judged(projections: InMemoryProjections, setting: Setting) -> Iterator[tuple[datetime, JudgedTask]]:
    mind = projections.minds.get(ORCHESTRATOR, Mind())
    for memory_id, content in mind.contents.items():
        event, memory, remembered = projections.journal.get(memory_id), mind.memories[memory_id], content.memory
        state = projections.tasks.get(event.thread) if event and event.thread else None
        applies = ROUTING in remembered.learnings and valid_in(remembered, setting)
        if state is None or state.task is None or memory.status != "active" or not applies:
            continue
        verdicts = _verdicts(state)
        workers = {work.agent_id for work in state.assignments.values() if work.attempt == state.task.attempt}
        if any(verdicts):
            outcomes = dict.fromkeys(sorted(workers), verdicts)
            yield (
                state.task.submitted_at,
                JudgedTask(memory_id, remembered.content, memory.level, memory.stored_strength, outcomes),
            )


def spent_by_agent(tasks: Iterable[TaskState], agent_id: str, since: datetime) -> Spent:
    """Return what was spent on an agent's assignments; see `Views.spent_by_agent`."""
    calls = list[Usage | None]()
    for state in tasks:
        own = [work for work in state.assignments.values() if work.agent_id == agent_id and work.assigned_at >= since]
        for work in own:
            calls += (work.usage, work.judge_usage, work.learning_usage, *(step.usage for step in work.steps))
        revisions = state.task.revisions if own and state.task else ()
        calls += (revised.revision.usage for revised in revisions if revised.agent_id == agent_id)
    return Spent.by(filter(None, calls))


def _is_good(said: Feedback) -> bool:
    return said.verdict == "helpful" or said.result == "success"


def _is_bad(said: Feedback) -> bool:
    return said.verdict == "unhelpful" or said.result == "failure"


def _verdicts(state: TaskState) -> tuple[int, int]:
    """Return the number of positive and of negative feedback of those who may judge a task. Equal feedback counts
    once.
    """
    entitled = [said for said in state.feedback.values() if state.task and is_entitled(said.client_id, state.task)]
    told = {(said.verdict, said.result): said for said in entitled}.values()
    return sum(map(_is_good, told)), sum(map(_is_bad, told))
