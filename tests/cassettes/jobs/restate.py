"""Cassette of `RestateJob`."""

from nemuri_domain.tasks.conversation_history import EarlierTurn
from nemuri_infra.models.jobs.restatement import RestateJob
from tests.cassettes.cassette import Cassette

CASSETTE = Cassette(
    job=RestateJob((EarlierTurn("What does moss need?", "Water [m1]."),), "How much of it?"),
    text="How much water does moss need?",
    value="How much water does moss need?",
    otherwise="How much of it?",
    free=True,
)
