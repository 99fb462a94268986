"""A fake language model for agents of a society. It chooses its answers by the words of the prompts."""

import json
import re
from collections import Counter
from typing import Final

from tests.integration.providers.provider import Provider, ReceivedRequest, ScriptedReply, openai_reply

JOBS: Final = {
    "Decide what you do now": "decision",
    "Say what you are told": "speech",
    "Say what you want": "goals",
    "Plan the steps": "plan",
    "Judge how you feel": "social",
    "Look back": "reflection",
    "You keep the memory of": "memory",
    "A person asks you a question aside": "interview",
}
TOKENS: Final = (11, 5)
"""Number of input and of output tokens of each call."""


class FakeLanguageModel(Provider):
    """A provider whose answers make agents collect wood, give it to nearby agents and talk about it."""

    def __init__(self) -> None:
        """Create the provider with no request answered yet."""
        super().__init__([ScriptedReply()])
        self.answered = Counter[str]()
        """Number of answered requests by job."""

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        self.received.append(request)
        system, user = (str(each["content"]) for each in request.body["messages"])
        job = next(job for words, job in JOBS.items() if words in system)
        self.answered[job] += 1
        return ScriptedReply(openai_reply(_answer(job, system, user)))


def _answer(job: str, system: str, user: str) -> str:
    me, near = _found(r"You are (\w+),", system), _found(r"^near: (\w+),", user)
    speakers = dict.fromkeys(re.findall(r"^(\w+) said: ", user, re.MULTILINE))
    match job:
        case "decision":
            wood = "carrying: " in user and "wood x" in user
            action = f"give 1 wood to {near.upper()}" if wood and near else "collect 1 wood"
            told = f"tell {near} who you are" if near else ""
            return _json(high_level_intent="be of use", priority_action=action, speech_directive=told)
        case "speech":
            told = _found(r"tell (\w+) ", user)
            return f"I am {me}, and glad to see you, {told}!"
        case "goals":
            return _json(goals=[{"description": "give wood away", "priority": 0.5, "sort": "social", "needs": []}])
        case "plan":
            return _json(steps=["collect 1 wood"])
        case "interview":
            return f"I am {me}. {_found(r'^you are asked: (.+)', user)} is a good question."
        case "social":
            return _json(
                **{speaker: {"sentiment": 9, "relationship": "neighbour"} for speaker in speakers if speaker != "you"}
            )
        case "memory":
            return _json(summary="wood was given and taken", type="semantic", tags=["wood"], importance=5)
        case _:
            return _json(observation="all is well", insight="wood is welcome", goal_adjustment="")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def _json(**fields: object) -> str:
    return f"```json\n{json.dumps(fields)}\n```"
