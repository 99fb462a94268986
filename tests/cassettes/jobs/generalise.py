"""Cassette of `GeneraliseJob`: one statement in place of two that say the same."""

from typing import Final

from nemuri_infra.models.jobs.semantic_statement import GeneraliseJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

JOB: Final = GeneraliseJob(
    (
        Source("s1", "Steel from the north takes 12 days."),
        Source("s2", "It took 12 days until the northern steel was here."),
    )
)
TYPICAL: Final = JOB.statements[0].text

CASSETTE: Final = Cassette(
    job=JOB,
    text="Steel from the north takes 12 days to arrive.",
    value="Steel from the north takes 12 days to arrive.",
    otherwise=TYPICAL,
    free=True,
    more={
        "another number": Case((Said("Steel from the north takes 21 days."),), TYPICAL),
        "another negation": Case((Said("Steel from the north does not take 12 days."),), TYPICAL),
        "far too long": Case((Said("Steel from the north takes 12 days. " + "It is heavy. " * 20),), TYPICAL),
    },
)
