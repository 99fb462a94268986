"""What comes to mind for a task, what does not, what comes back from the archive, and why."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from nemuri.contracts.agents import PolicyAdopted
from nemuri.contracts.clients import Scope
from nemuri.contracts.event import Usage
from nemuri.contracts.memories import FEATURES, HeldOut, MemoriesRetrieved, MemoryEncoded, ScorerTrained, Weights
from nemuri.contracts.portraits import MemoryView
from nemuri.domain.memory.policy import Policy
from nemuri.domain.memory.retrieval import SUMMARY
from nemuri.domain.memory.scorer import copy_of_linear
from nemuri.face.client import Client
from nemuri.face.exchange import ClientError
from nemuri.infra.models.extractive import ExtractiveModel
from nemuri.infra.models.factory import Models
from nemuri.infra.models.protocol import Answer, AnswerJob, Reply
from nemuri.infra.resources import Resources
from nemuri.infra.settings import Settings
from tests.connected.scene import EVERYBODY, agent_defined, assert_verified, at_work, effective, quiet, visiting

pytestmark = pytest.mark.connected

FACT = "The truth value of an empty list is false."
QUESTION = "What is the truth value of an empty list?"
ELSEWHERE = "How many moons of Jupiter did Galileo see through his telescope?"
QUICKLY = {
    "daily_decay_targets": [1e-6, 1, 1e-6, 1e-6, 1e-6, 1e-6],
    "consolidation_thresholds": [0, 1, 2, 3, 4, 5],
    "expected_tasks_per_day": 1,
}
"""A policy under which a session is enough to forget what was not used in it, or was used before."""
SLEEPLESS = tuple(name for name in EVERYBODY if name != "sleep")


class Assessor(ExtractiveModel):
    """Assesses by the first thing that it remembers, which a model of words alone cannot."""

    async def answer(self, job: AnswerJob) -> Reply[Any]:
        """What it remembers and cites, or nothing."""
        if not job.memories:
            return await super().answer(job)
        first = job.memories[0]
        return Reply(Answer(f"{first.text} [{first.label}]", (first.label,), complete=True), Usage(model="assessor"))


async def retrieval(resources: Resources, task_id: UUID) -> MemoriesRetrieved:
    """What was recorded as having come to mind for a task of one part."""
    [found] = [
        each
        for each in await effective(resources.log)
        if isinstance(each, MemoriesRetrieved) and each.correlation_id == task_id
    ]
    return found


def trained(number: int, weights: Weights) -> ScorerTrained:
    """A scorer that ranks from now on."""
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


async def archived(resources: Resources, client: Client) -> MemoryView:
    """A fact that was used, consolidated and then faded in its agent's sleep, with all that was learned from it."""
    await resources.log.append(agent_defined())
    await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=QUICKLY))
    await client.settle()
    memory_id = await client.remember("python", FACT, tags=["list"])
    while await client.memories("python"):
        await client.ask(QUESTION, settled=True)
        await quiet(resources)
    view = await client.memory(memory_id)
    assert view.level >= Policy().reactivation_levels
    assert view.last_decay_at is None
    return view


async def assert_back(client: Client, before: MemoryView) -> None:
    """The memory is active again: 0.5 and what its uses since are worth, two levels lower."""
    after = await client.memory(before.memory_id)
    rules, uses = Policy(), after.access_count - before.access_count
    assert (after.status, after.level) == ("active", before.level - rules.reactivation_levels)
    assert uses >= 1
    assert before.updated_at is not None
    assert after.updated_at is not None
    assert before.created_at < before.updated_at < after.updated_at
    assert after.strength == pytest.approx(rules.reactivation_strength + uses * rules.strength_increment_on_use)


async def test_a_question_about_something_else_finds_nothing(settings: Settings) -> None:
    """Neither active nor archived memories are relevant: the context is empty, the answer is there, and it is said."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        for fact in (
            FACT,
            "An operator may return one of its operands.",
            "Names of modules see each other through imports.",
        ):
            await client.remember("python", fact)
        asked = await client.recall("python", ELSEWHERE)
        result = await client.ask(ELSEWHERE, settled=True)
        assert (asked.memories, asked.deep) == ((), True)
        assert (result.status, result.recalled, result.retrieved, result.used) == ("done", 0, (), ())
        assert result.answer
        found = await retrieval(resources, result.task_id)
        assert (found.candidates, found.selected, found.deep) == ((), (), True)
        [explanation] = await client.why(result.task_id)
        assert explanation.candidates == ()
        await quiet(resources)
    await assert_verified(settings)


async def test_what_a_document_names_comes_to_mind(settings: Settings) -> None:
    """The task has no word of it; its summary does, and that takes part in the query, as a supplied one does."""
    known = "The invoices of Halvorsen Marine must be checked against the crane log."
    offer = "Halvorsen Marine sends invoices for the crane of the last quarter, 4,200 in all."
    models = Models(Assessor(), ExtractiveModel())
    async with at_work(settings, models=models) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        memory_id = await client.remember("python", known)
        for given in ({"documents": [("offer.txt", offer)]}, {"summary": offer}):
            result = await client.ask("Please assess what is attached.", settled=True, **given)
            found = await retrieval(resources, result.task_id)
            assert offer in found.expansions[SUMMARY]
            assert (found.query, memory_id in found.selected) == ("Please assess what is attached.", True)
            assert result.used == (memory_id,)
        alone = await client.ask("Please assess what is attached.", settled=True)
        found = await retrieval(resources, alone.task_id)
        assert (found.selected, SUMMARY in found.expansions) == ((), False)
        await quiet(resources)
    await assert_verified(settings)


async def test_an_agent_without_memories_answers(settings: Settings) -> None:
    """Nothing is remembered, so nothing comes to mind."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        result = await client.ask(QUESTION, settled=True)
        assert (result.status, result.recalled) == ("done", 0)
        await quiet(resources)
    await assert_verified(settings)


async def test_the_archive_is_asked_by_itself_and_gives_back_what_is_used(settings: Settings) -> None:
    """Once nothing active is relevant; a recall alone changes nothing."""
    async with at_work(settings) as resources, visiting(settings) as client:
        before = await archived(resources, client)
    async with at_work(settings, SLEEPLESS) as resources, visiting(settings) as client:
        end = await resources.log.last_sequence()
        looked = await client.recall("python", QUESTION)
        assert looked.deep
        assert before.memory_id in {each.candidate.memory_id for each in looked.memories if each.candidate.archived}
        assert await resources.log.last_sequence() == end
        assert await client.memory(before.memory_id) == before
        result = await client.ask(QUESTION, settled=True)
        assert before.memory_id in result.used
        assert (await retrieval(resources, result.task_id)).deep
        await client.settle()
        await assert_back(client, before)
    await assert_verified(settings)


async def test_the_archive_is_asked_on_demand(settings: Settings) -> None:
    """Beside an active memory that is relevant, which alone would have been enough."""
    async with at_work(settings) as resources, visiting(settings) as client:
        before = await archived(resources, client)
    async with at_work(settings, SLEEPLESS) as resources, visiting(settings) as client:
        active = await client.remember("python", "The truth value of an empty dictionary is false too.")
        end = await resources.log.last_sequence()
        shallow, deep = [await client.recall("python", QUESTION, deep=each) for each in (False, True)]
        assert (shallow.deep, [each.candidate.memory_id for each in shallow.memories]) == (False, [active])
        assert deep.deep
        assert {active, before.memory_id} <= {each.candidate.memory_id for each in deep.memories}
        assert await resources.log.last_sequence() == end
        result = await client.ask(QUESTION, deep=True, settled=True)
        assert before.memory_id in result.used
        assert (await retrieval(resources, result.task_id)).deep
        await client.settle()
        await assert_back(client, before)
    await assert_verified(settings)


async def test_a_retrieval_is_explained_from_the_log(settings: Settings) -> None:
    """Nine features of every candidate, what they added, and what decided the order; also long after it."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await client.settle()
        facts = (FACT, "The truth value of an empty string is false.", "A list has a truth value of its own.")
        known = [await client.remember("python", fact, tags=["list"]) for fact in facts]
        result = await client.ask(QUESTION, perspective="semantics", settled=True)
        await client.remember("python", "The truth value of an empty set is false.")
        [explanation] = await client.why(result.task_id)
        event = await retrieval(resources, result.task_id)
        assert tuple(each.candidate for each in explanation.candidates) == event.candidates
        assert set(known) <= {each.candidate.memory_id for each in explanation.candidates}
        assert (explanation.perspective, explanation.ranking) == ("semantics", event.ranking)
        assert [each.memory_id for each in explanation.principles] == list(event.principles)
        first = explanation.candidates[0]
        for each in explanation.candidates:
            assert len(each.contributions) == len(FEATURES)
            between = sum(first.contributions) - sum(each.contributions)
            assert between == pytest.approx(first.candidate.score - each.candidate.score)
            assert each.decided
        used = {each.candidate.memory_id for each in explanation.candidates if each.standing == "used"}
        assert used == set(result.used) & {each.memory_id for each in event.candidates}
        with pytest.raises(ClientError, match="there is no task"):
            await client.why(uuid4())
        with pytest.raises(ClientError, match="there is no task"):
            await client.routing(uuid4())
        await quiet(resources)
    await assert_verified(settings)


async def test_what_a_learned_scorer_ranked_is_explained_by_its_own_weights(settings: Settings) -> None:
    """Those of the version that ranked, also when a newer one has come since."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(trained(1, copy_of_linear()))
        await client.settle()
        for fact in (FACT, "The truth value of an empty string is false."):
            await client.remember("python", fact)
        result = await client.ask(QUESTION, settled=True)
        turned = copy_of_linear().model_copy(update={"output": (-1.0,) * 16})
        await resources.log.append(trained(2, turned))
        await client.settle()
        [explanation] = await client.why(result.task_id)
        best, other = explanation.candidates[:2]
        assert explanation.ranking == "scorer-1"
        between = sum(best.contributions) - sum(other.contributions)
        assert between == pytest.approx(best.candidate.score - other.candidate.score)
        await quiet(resources)
    await assert_verified(settings)


async def test_a_principle_comes_to_mind_in_its_own_scope_only(settings: Settings) -> None:
    """Whatever is asked there, and nowhere else."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        scope = Scope(level="project", name="bank")
        kept = await client.remember("python", "Every amount is a Decimal.", tags=["principle"], scope=scope)
        here, there = [await client.ask(ELSEWHERE, project=each) for each in ("bank", "shop")]
        assert (await retrieval(resources, here.task_id)).principles == (kept,)
        assert (await retrieval(resources, there.task_id)).principles == ()
        await quiet(resources)
    await assert_verified(settings)


async def test_a_recall_shows_what_is_always_in_mind(settings: Settings) -> None:
    """As a task would be given it: also where nothing relevant is found, and only what holds there."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await quiet(resources)
        scope = Scope(level="project", name="bank")
        await client.remember("python", "Every amount is a Decimal.", tags=["principle"], scope=scope)
        foreign = await client.recall("python", ELSEWHERE)
        assert foreign.memories == ()
        assert [each.memory.content for each in foreign.principles] == ["Truth values come before operators."]
        asked = await client.ask(ELSEWHERE, project="bank", settled=True)
        there = (await client.recall("python", ELSEWHERE, project="bank")).principles
        assert {each.memory_id for each in there} == set((await retrieval(resources, asked.task_id)).principles)
        assert len(there) == 2


async def test_a_principle_goes_with_its_definition_and_comes_back_with_it(settings: Settings) -> None:
    """It stays as an ordinary memory, which fades; defined again it is in every context again, archived or not."""
    text = "Truth values come before operators."
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined(principles=(text,)))
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=QUICKLY))
        await client.settle()
        await quiet(resources)
        [kept] = (await client.recall("python", ELSEWHERE)).principles
        assert (await client.memory(kept.memory_id)).principle
        await resources.log.append(agent_defined())
        await client.settle()
        assert (await client.recall("python", ELSEWHERE)).principles == ()
        assert [each.candidate.memory_id for each in (await client.recall("python", text)).memories] == [kept.memory_id]
        assert not (await client.memory(kept.memory_id)).principle
        for _ in range(3):
            await client.ask(ELSEWHERE, settled=True)
            await quiet(resources)
        assert (await client.memory(kept.memory_id)).status == "archived"
        await resources.log.append(agent_defined(principles=(text,)))
        await client.settle()
        assert [each.memory_id for each in (await client.recall("python", ELSEWHERE)).principles] == [kept.memory_id]
        await client.ask(ELSEWHERE, settled=True)
        await quiet(resources)
        back = await client.memory(kept.memory_id)
        assert (back.principle, back.status) == (True, "active")
    await assert_verified(settings)


async def test_a_new_principle_begins_as_the_agents_policy_says(settings: Settings) -> None:
    """By the parameters in force when it is defined."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(
            PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"initial_strength": 3.0})
        )
        await client.ask(ELSEWHERE, settled=True)
        await quiet(resources)
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await quiet(resources)
        [encoded] = [
            each
            for each in await effective(resources.log)
            if isinstance(each, MemoryEncoded) and each.source == "definition"
        ]
        assert encoded.strength == 3.0
