"""Explanations of retrievals from the log."""

from uuid import uuid4

import pytest

from nemuri.client.exchange import ClientError
from nemuri_contracts.scorers import HeldOut, ScorerTrained, Weights
from nemuri_contracts.strength import FEATURES
from nemuri_domain.strength.scorer import copy_of_linear
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    retrieval_of,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

FACT = "The truth value of an empty list is false."
QUESTION = "What is the truth value of an empty list?"


def serving_scorer(number: int, weights: Weights) -> ScorerTrained:
    """Return the event of a trained scorer with these weights that is good enough to rank."""
    return ScorerTrained(
        event_id=uuid4(),
        agent_id="python",
        number=number,
        weights=weights,
        samples=100,
        tasks=30,
        until=1,
        held_out=HeldOut(tasks=10, learned=0.9, linear=0.5, error=0.01),
        serves=True,
    )


async def test_a_retrieval_is_explained_from_the_log(settings: Settings) -> None:
    """An explanation lists the candidates of the retrieval. Their contributions add up to the differences in score."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await client.settle()
        facts = ("A list has a truth value of its own.", FACT, "The truth value of an empty string is false.")
        known = [await client.remember("python", fact, tags=["list"]) for fact in facts]
        result = await client.ask(QUESTION, perspective="semantics", settled=True)
        await client.remember("python", "The truth value of an empty set is false.")
        [explanation] = await client.why(result.task_id)
        event = await retrieval_of(resources, result.task_id)
        assert tuple(candidate.candidate for candidate in explanation.candidates) == event.candidates
        assert set(known) <= {candidate.candidate.memory_id for candidate in explanation.candidates}
        assert (explanation.perspective, explanation.ranking) == ("semantics", event.ranking)
        assert [principle.memory_id for principle in explanation.principles] == list(event.principles)
        first = explanation.candidates[0]
        for candidate in explanation.candidates:
            assert len(candidate.contributions) == len(FEATURES)
            between = sum(first.contributions) - sum(candidate.contributions)
            assert between == pytest.approx(first.candidate.score - candidate.candidate.score)
            assert candidate.decided
        used = {candidate.candidate.memory_id for candidate in explanation.candidates if candidate.standing == "used"}
        assert used == set(result.used) & {candidate.memory_id for candidate in event.candidates}
        with pytest.raises(ClientError, match="there is no task"):
            await client.why(uuid4())
        with pytest.raises(ClientError, match="there is no task"):
            await client.routing(uuid4())
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_learned_ranking_is_explained_by_its_own_weights(settings: Settings) -> None:
    """A retrieval that a learned scorer ranked is explained with the weights of that version of the scorer."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(serving_scorer(1, copy_of_linear()))
        await client.settle()
        for fact in (FACT, "The truth value of an empty string is false."):
            await client.remember("python", fact)
        result = await client.ask(QUESTION, settled=True)
        turned = copy_of_linear().model_copy(update={"output": (-1.0,) * 16})
        await resources.log.append(serving_scorer(2, turned))
        await client.settle()
        [explanation] = await client.why(result.task_id)
        best, other = explanation.candidates[:2]
        assert explanation.ranking == "scorer-1"
        between = sum(best.contributions) - sum(other.contributions)
        assert between == pytest.approx(best.candidate.score - other.candidate.score)
        await until_idle(resources)
    await assert_verified(settings)
