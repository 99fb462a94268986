"""Tests of the relations between new and older statements, by a language model and by words alone."""

import json

import pytest

from nemuri_contracts.event import Usage
from nemuri_domain.language.statement_comparison import Compared
from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import UnreadableReplyError
from nemuri_infra.models.sources import Source
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
def test_any_usual_form_of_a_reply_is_read(text: str) -> None:
    """Every usual form of a reply is read: an object, fenced or nested JSON, and lines. Other pairs and unknown words
    are ignored.
    """
    assert JOB.read(ChatReply(text)) == {("n1", "o1"): Compared("contradicts"), ("n2", "o2"): Compared("same")}


def test_the_reason_is_read() -> None:
    """The reason of a relation is read, on one line. A reply without one has none."""
    pairs = [{"first": "n1", "second": "o1", "relation": "refines", "reason": "it says\nhow dear"}]
    reply = json.dumps({"pairs": [*pairs, {"first": "n2", "second": "o2", "relation": "same"}]})

    assert JOB.read(ChatReply(reply)) == {
        ("n1", "o1"): Compared("refines", "it says how dear"),
        ("n2", "o2"): Compared("same"),
    }


@pytest.mark.parametrize("text", ["", "no", "{", '{"n1 > o1": 5}', '["n1"]', "{}" * 50, '{"n1 > o1": {"x": [1]}}'])
def test_the_words_decide_if_a_reply_is_unreadable(text: str) -> None:
    """If a reply cannot be read, the words of the statements decide, as without a model."""
    with pytest.raises(UnreadableReplyError):
        JOB.read(ChatReply(text))
    assert JOB.if_unread() == JOB.without_model()


async def test_the_prompt_has_statements_and_pairs() -> None:
    """The prompt has each statement once, between delimiters, and the pairs to compare. The cost is that of one
    call.
    """
    chat = Parrot('{"n1 > o1": "supersedes"}')
    reply = await PromptedModel(chat).do(JOB)
    assert reply.value == {("n1", "o1"): Compared("supersedes")}
    assert reply.usage.model == "parrot:1"
    [(_, user)] = chat.heard
    for part in ("n1 > o1", "n2 > n1", "Steel is not dear.", "Iron is very dear."):
        assert user.count(part) == 1


async def test_the_prompt_has_the_notes() -> None:
    """The prompt has the note of a statement, such as "outdated", beside its text."""
    chat = Parrot("{}")
    job = RelationsJob((Source("n1", "Steel is dear.", "this is older than m1"),), (), ())
    await PromptedModel(chat).do(job)
    assert "(Note: this is older than m1)\nSteel is dear." in chat.heard[0][1]


async def test_without_a_language_model_words_decide() -> None:
    """Without a language model, relations are decided by the words of the statements, for the requested pairs only and
    at no cost.
    """
    reply = await ExtractiveModel().do(JOB)
    assert {pair: compared.comparison for pair, compared in reply.value.items()} == {
        ("n1", "o1"): "contradicts",
        ("n2", "o2"): "same",
    }
    assert all(compared.reason for compared in reply.value.values())
    assert reply.usage == Usage(model="extractive")
