"""Cassette of `RouteJob`."""

from nemuri_infra.models.jobs.agent_choice import ChosenAgent, RouteCandidate, RouteJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=RouteJob(
        "Is the steel late?",
        (RouteCandidate("buyer", "Buyer", "Steel, offers.", "alloys (3)"), RouteCandidate("cook", "Cook", "", "")),
    ),
    text='{"agent": "a1", "confidence": 0.8}',
    value=ChosenAgent("buyer", 0.8),
    otherwise=None,
    more={
        "nobody": Case((Said('{"agent": "none", "confidence": 0.9}'),), ChosenAgent(None, 0.9)),
        "an agent that does not exist": Case((Said('{"agent": "a7", "confidence": 1}'),), None),
        "an impossible confidence": Case((Said('{"agent": "a2", "confidence": 7}'),), ChosenAgent("cook", 0.5)),
    },
)
