"""Tests of the job that words one statement in place of several that say the same."""

import pytest

from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.semantic_statement import GeneraliseJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.sources import Source
from tests.unit.infra.models.test_prompted import Parrot

JOB = GeneraliseJob(
    (
        Source("s1", "Steel from the north takes 12 days."),
        Source("s2", "It took 12 days until the northern steel was here."),
    )
)
JAPANESE = GeneraliseJob((Source("s1", "田中さんは鋼材が3日で届くと言った。"), Source("s2", "鋼材は3日で届いた。")))


async def test_the_chat_words_the_statement() -> None:
    """The prompt has all statements. The reply is used without its quotation marks, and is asked for at temperature
    0.
    """
    chat = Parrot('"Steel from the north takes 12 days to arrive."\n')
    reply = await PromptedModel(chat).do(JOB)
    assert reply.value == "Steel from the north takes 12 days to arrive."
    assert reply.usage.model == "parrot:1"
    [(_, user)] = chat.heard
    assert all(statement.text in user for statement in JOB.statements)
    assert chat.steady == [True]
    assert (await PromptedModel(Parrot("鋼材は3日で届く。")).do(JAPANESE)).value == "鋼材は3日で届く。"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Steel from the north takes 21 days.",
        "Steel from the north takes some days.",
        "Steel from the north does not take 12 days.",
        "Steel from the north takes 12 days. " + "It is heavy. " * 20,
    ],
)
async def test_a_statement_that_says_something_else_is_not_used(said: str) -> None:
    """A reply that is empty, far longer, or has other numbers or another negation gives way to the most typical
    statement. The usage then names both.
    """
    reply = await PromptedModel(Parrot(said)).do(JOB)
    assert reply.value == JOB.statements[0].text
    assert reply.usage.model == "parrot:1, extractive"


async def test_without_a_model_nothing_is_invented() -> None:
    """The extractive model returns the most typical statement as it is, at no cost."""
    reply = await ExtractiveModel().do(JOB)
    assert (reply.value, reply.usage.input_tokens) == (JOB.statements[0].text, 0)
