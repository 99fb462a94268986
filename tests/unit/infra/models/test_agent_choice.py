"""Tests of the prompt that chooses an agent, and of the parser of its reply."""

import pytest

from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.agent_choice import ChosenAgent, RouteCandidate, RouteJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import UnreadableReplyError
from tests.unit.infra.models.test_prompted import Parrot

JOB = RouteJob(
    request="Is the steel late?",
    agents=(
        RouteCandidate("buyer", "Buyer", "Steel, offers.", "alloys (3)"),
        RouteCandidate("cook", "Cook", "", ""),
    ),
)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"agent": "a2", "confidence": 0.8}', ChosenAgent("cook", 0.8)),
        ('Sure!\n```json\n{"agent": " A1 "}\n```', ChosenAgent("buyer", 0.5)),
        ('{"agent": "none", "confidence": 1}', ChosenAgent(None, 1.0)),
        ('{"agent": null, "confidence": 7}', ChosenAgent(None, 0.5)),
    ],
)
def test_a_reply_is_read(reply: str, found: ChosenAgent | None) -> None:
    """A reply names a label or nobody."""
    assert JOB.read(ChatReply(reply)) == found


@pytest.mark.parametrize("reply", ['{"agent": "a3"}', '{"agent": "cook"}', '{"colleague": "a1"}', "a1", "…"])
async def test_any_other_reply_is_no_choice(reply: str) -> None:
    """A reply that names no label and not nobody cannot be read, and chooses no agent."""
    with pytest.raises(UnreadableReplyError):
        JOB.read(ChatReply(reply))
    assert (await PromptedModel(Parrot(reply)).do(JOB)).value is None


def test_the_prompt_shows_what_is_known_of_each_agent() -> None:
    """The prompt has the request, and role, field and topics of each agent under a label, without empty lines."""
    asked = JOB.chat_request()
    system, user = asked.system, asked.user

    assert '"none"' in system
    assert "Is the steel late?" in user
    assert "Role: Buyer\nField: Steel, offers.\nRemembers: alloys (3)" in user
    assert "Role: Cook\n<" in user
    assert user.index("<a1 ") < user.index("<a2 ")


async def test_without_a_language_model_nobody_chooses() -> None:
    """The extractive model leaves the choice to the fit."""
    assert (await ExtractiveModel().do(JOB)).value is None
