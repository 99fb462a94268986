"""What new statements say of older ones, as a language model says it and as the words alone do."""

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import RelationsJob, Source
from nemuri_infra.models.statement_relations import read
from tests.unit.infra.models.test_prompted import Parrot

JOB = RelationsJob(
    new=(Source("n1", "Steel is not dear."), Source("n2", "Iron is dear.")),
    older=(Source("o1", "Steel is dear."), Source("o2", "Iron is very dear.")),
    pairs=(("n1", "o1"), ("n2", "o2"), ("n2", "n1")),
)


@pytest.mark.parametrize(
    "text",
    [
        '{"n1 > o1": "contradicts", "n2 > o2": "same", "n2 > n1": "unrelated"}',
        'Here it is:\n```json\n{"n1>o1": "Contradicts", "n2>o2": "same", "n1>o2": "same", "n9>o9": "same"}\n```',
        '{"n1": {"o1": "contradicts"}, "n2": {"o2": "same", "n1": "unrelated"}}',
        "- n1 > o1: contradicts\n- n2 > o2: same\n- n2 > n1: perhaps",
        "n1 -> o1 = contradict\nn2, o2: identical",
    ],
)
def test_a_reply_is_read_tolerantly(text: str) -> None:
    """An object, fenced, nested, or lines; only pairs that were asked for, and words that mean something."""
    assert read(text, JOB) == {("n1", "o1"): "contradicts", ("n2", "o2"): "same"}


@pytest.mark.parametrize("text", ["", "no", "{", '{"n1 > o1": 5}', '["n1"]', "{}" * 50, '{"n1 > o1": {"x": [1]}}'])
def test_what_cannot_be_read_is_unrelated(text: str) -> None:
    """Nothing is made up, and nothing fails."""
    assert read(text, JOB) == {}


async def test_a_chat_is_given_statements_and_pairs() -> None:
    """Each once, as material; the cost is that of the call."""
    chat = Parrot('{"n1 > o1": "supersedes"}')
    reply = await PromptedModel(chat).relations(JOB)
    assert reply.value == {("n1", "o1"): "supersedes"}
    assert reply.usage.model == "parrot:1"
    [(_, user)] = chat.heard
    for part in ("n1 > o1", "n2 > n1", "Steel is not dear.", "Iron is very dear."):
        assert user.count(part) == 1


async def test_a_note_is_told_to_a_chat() -> None:
    """What is out of date is said to be so, beside the text itself."""
    chat = Parrot("{}")
    job = RelationsJob((Source("n1", "Steel is dear.", "this is older than m1"),), (), ())
    await PromptedModel(chat).relations(job)
    assert "(Note: this is older than m1)\nSteel is dear." in chat.heard[0][1]


async def test_without_a_language_model_the_words_decide() -> None:
    """Only the pairs that were asked for, without cost."""
    reply = await ExtractiveModel().relations(JOB)
    assert reply.value == {("n1", "o1"): "contradicts", ("n2", "o2"): "same"}
    assert reply.usage == Usage(model="extractive")
