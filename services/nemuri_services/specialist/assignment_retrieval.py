"""The retrieval of an agent's memories for an assignment."""

from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_domain.strength.context_principles import context_principles
from nemuri_domain.strength.ranking import selected
from nemuri_domain.tasks import clarification
from nemuri_domain.tasks.aggregate import Assignment, Task
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources
from nemuri_services.specialist.organisation_principles import organisation_principles


async def retrieved(event: Event, task: Task, work: Assignment, resources: Resources) -> MemoriesRetrieved:
    """Return the retrieval for an assignment. Its id is derived from the assignment and the state of its question.

    Raises LookupError if the agent does not exist.
    """
    agent = await resources.views.agent(work.agent_id, only_rules=True)
    if agent is None:
        raise LookupError(f"{work.agent_id} was assigned to a task, but the agent does not exist")
    query = clarification.query(task, work)
    found = await recall_memories(
        resources,
        agent,
        query,
        perspective=work.perspective,
        setting=task.setting,
        deep=task.deep,
        now=event.recorded_at,
        summary=task.background if work.question is None else None,
    )
    shared = await organisation_principles(task.setting, resources.views)
    kept = context_principles(agent, found.principles, [content.memory_id for content, _ in shared])
    seed = work.assignment_id.int % 2**32
    chosen = selected(found.candidates, agent.rules, top=None, seed=seed, apart=kept, items=found.items)
    return MemoriesRetrieved.following(
        event,
        key=clarification.retrieval_key(task, work),
        agent_id=work.agent_id,
        assignment_id=work.assignment_id,
        query=query,
        terms=found.terms,
        expansions=found.expansions,
        vector=resources.vectors.with_embedder_of(agent.embedding).query_key(query),
        perspective=work.perspective,
        setting=task.setting,
        seed=seed,
        ranking=found.ranking,
        candidates=found.candidates,
        selected=chosen.memory_ids,
        crowded=chosen.crowded,
        principles=kept,
        deep=found.deep,
    )
