"""The event handler of the trainer."""

import asyncio

from nemuri_contracts.scorers import ScorerTrained
from nemuri_contracts.strength import ImpactCredited, SessionEnded
from nemuri_domain.strength import training_samples
from nemuri_domain.strength.aggregate import Scorer
from nemuri_domain.strength.policy import Policy
from nemuri_infra.projections.learning_queries import count_samples, credits_of
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend, Service
from nemuri_services.trainer import training
from nemuri_services.trainer.retrieval_log_cache import Pasts

service = Service("trainer", one_per_agent=True)
pasts = Pasts()


@service.handles(SessionEnded, ImpactCredited)
async def train(event: SessionEnded | ImpactCredited, resources: Resources) -> ConditionalAppend[ScorerTrained] | None:
    """Train the agent's scorer if a training is due and there are enough samples.

    The event is appended only if no other training of the agent came in between. Waits until the projections contain
    the newest training.
    """
    if isinstance(event, SessionEnded) and not await _adds_samples(event, resources):
        return None
    newest = await resources.last_of(event.agent_id, ScorerTrained)
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    scorer = await resources.views.agents.scorer(event.agent_id)
    until = resources.views.progress.sequence
    if agent is None or not await _due(event, agent.rules, scorer, resources):
        return None
    known = await pasts.experience(resources, event.agent_id)
    if len(training_samples.samples(known)) < agent.rules.min_training_samples:
        return None
    trained = await asyncio.to_thread(_train, event, known, 1 + (scorer.number if scorer else 0), until)
    return ConditionalAppend(trained, newest)


async def _adds_samples(event: SessionEnded, resources: Resources) -> bool:
    """Return True if the session was that of an assignment which used a memory. No other session gives samples."""
    if event.thread is None:
        return False
    state = await resources.tasks.state(event)
    work = state.assignments.get(event.assignment_id)
    return work is not None and bool(work.used)


async def _due(
    event: SessionEnded | ImpactCredited, rules: Policy, scorer: Scorer | None, resources: Resources
) -> bool:
    """Return True if there are enough new samples or if the event changes the weight of samples trained on already."""
    views, agent_id = resources.database, event.agent_id
    if rules.ranking != "learned":
        return False
    if scorer is None:
        return (
            await count_samples(views, agent_id, after=0, window=training_samples.MAX_ASSIGNMENTS)
            >= rules.min_training_samples
        )
    if (event.sequence or 0) <= scorer.until:
        return False
    if isinstance(event, ImpactCredited):
        reasons = await credits_of(views, event.assignment_id, until=scorer.until)
        if training_samples.reweighs(event.reason, reasons):
            return True
    return (
        await count_samples(views, agent_id, after=scorer.until, window=training_samples.MAX_ASSIGNMENTS)
        >= rules.retrain_after
    )


def _train(
    cause: SessionEnded | ImpactCredited, known: list[training_samples.LabelledRetrieval], number: int, until: int
) -> ScorerTrained:
    """Train a scorer on the older retrievals, test it on the newest informative ones, and return the event with the
    result.

    Call it in a thread, because it blocks for about a second. `number` is the number of the new scorer. `until` is the
    log sequence up to which the projections were read.
    """
    older, held_out = training_samples.split_held_out(known)
    samples = training_samples.samples(older)
    weights = training.train(samples, cause.event_id.int)
    found = training_samples.evaluate(weights, held_out)
    return ScorerTrained.following(
        cause,
        number=number,
        weights=weights,
        samples=len(samples),
        tasks=samples.tasks,
        until=until,
        held_out=found,
        serves=training_samples.is_better(found),
    )
