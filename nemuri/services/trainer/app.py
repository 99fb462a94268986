"""The reaction of the trainer: an agent's scorer learns from what its tasks used."""

import asyncio
from functools import cache

import structlog

from nemuri.contracts.memories import ImpactCredited, SessionEnded
from nemuri.contracts.scorers import ScorerTrained
from nemuri.domain.memory import experience
from nemuri.domain.memory.mind import Scorer
from nemuri.domain.memory.policy import Policy
from nemuri.infra.reactions import Against, Service
from nemuri.infra.resources import Resources
from nemuri.infra.views.learning import credited, gathered
from nemuri.services.trainer import training
from nemuri.services.trainer.past import Pasts

service = Service("trainer", groups=16)
logger = structlog.get_logger()
pasts = Pasts()


@service.reaction(SessionEnded, ImpactCredited)
async def train(event: SessionEnded | ImpactCredited, resources: Resources) -> Against[ScorerTrained] | None:
    """Serialised by the log, as a sleep is: appended only if no other training of this agent came in between."""
    newest = await resources.log.newest_on(resources.log.subjects.of_agent(event.agent_id, ScorerTrained))
    await resources.views.progress.wait(newest.sequence)
    agent, scorer = await resources.views.agent(event.agent_id), await resources.views.scorer(event.agent_id)
    until = resources.views.progress.sequence
    if agent is None or not await _due(event, agent.rules, scorer, resources) or not can_train():
        return None
    known = await pasts.experience(resources, event.agent_id)
    if len(experience.samples(known)) < agent.rules.min_training_samples:
        return None
    trained = await asyncio.to_thread(_trained, event, known, 1 + (scorer.number if scorer else 0), until)
    return Against(trained, newest.sequence)


async def _due(
    event: SessionEnded | ImpactCredited, rules: Policy, scorer: Scorer | None, resources: Resources
) -> bool:
    """Whether there is enough that is new, or feedback that changes what the old is worth."""
    views, agent_id = resources.database, event.agent_id
    if rules.ranking != "learned":
        return False
    if scorer is None:
        return await gathered(views, agent_id, after=0, window=experience.WINDOW) >= rules.min_training_samples
    if (event.sequence or 0) <= scorer.until:
        return False
    if isinstance(event, ImpactCredited):
        reasons = await credited(views, event.assignment_id, until=scorer.until)
        if experience.reweighs(event.reason, reasons):
            return True
    return await gathered(views, agent_id, after=scorer.until, window=experience.WINDOW) >= rules.retrain_after


def _trained(
    cause: SessionEnded | ImpactCredited, known: list[experience.Experience], number: int, until: int
) -> ScorerTrained:
    """Train on the older tasks, judge on the newest; in a thread, for it takes a second of computing."""
    older, held_out = experience.divided(known)
    samples = experience.samples(older)
    weights = training.train(samples, cause.event_id.int)
    found = experience.judged(weights, held_out)
    return ScorerTrained.following(
        cause,
        number=number,
        weights=weights,
        samples=len(samples),
        tasks=samples.tasks,
        until=until,
        held_out=found,
        serves=experience.better(found),
    )


@cache
def can_train() -> bool:
    """Whether there is a torch; said once where there is none, and the linear score goes on ranking."""
    if not training.available():
        logger.warning("no scorer is trained: torch is not installed; pip install 'nemuri[learn]'")
        return False
    return True
