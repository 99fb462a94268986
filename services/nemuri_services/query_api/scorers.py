"""Presenters of learned scorers."""

from nemuri_contracts.scorers import HeldOut, ScorerVersion, ScorerView, Weighed
from nemuri_contracts.strength import FEATURES
from nemuri_domain.strength.aggregate import Agent, Scorer
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import version
from nemuri_domain.strength.scorer import LINEAR, importance
from nemuri_domain.strength.training_samples import FEWEST_HELD_OUT


def scorer_view(agent: Agent, known: Scorer | None, gathered: int) -> ScorerView:
    """Return the view of an agent's scorer. `gathered` is a lower bound of the number of new samples."""
    rules = agent.rules
    learned = importance(known.weights) if known else {}
    return ScorerView(
        agent_id=agent.agent_id,
        ranking=version(rules, known),
        standing=standing(rules, known, gathered),
        gathered=gathered,
        wanted=rules.retrain_after if known else rules.min_training_samples,
        version=_version(known) if known else None,
        features={
            name: Weighed(linear=weight, learned=learned.get(name))
            for name, weight in zip(FEATURES, LINEAR, strict=True)
        },
    )


def standing(rules: Policy, known: Scorer | None, gathered: int) -> str:
    """Return one line that says why the learned scorer ranks, or why it does not."""
    if rules.ranking != "learned":
        return f"not used: the agent's policy has ranking {rules.ranking}"
    if known is None and gathered < rules.min_training_samples:
        return f"not trained yet: {gathered} of {rules.min_training_samples} samples"
    if known is None:
        return f"not trained yet: {gathered} samples are enough, the next session that used a memory trains it"
    if known.serves:
        return f"better than linear: {_compared(known.held_out)}"
    if known.held_out.tasks < FEWEST_HELD_OUT:
        return f"not proven: {known.held_out.tasks} held-out tasks, {FEWEST_HELD_OUT} are needed"
    return f"not better than linear: {_compared(known.held_out)}"


def _compared(found: HeldOut) -> str:
    return (
        f"nDCG {found.learned:.3f} against {found.linear:.3f} (± {found.error:.3f}) on the newest {found.tasks} tasks"
    )


def _version(known: Scorer) -> ScorerVersion:
    return ScorerVersion(
        number=known.number,
        samples=known.samples,
        tasks=known.tasks,
        held_out=known.held_out,
        serves=known.serves,
        trained_at=known.trained_at,
    )
