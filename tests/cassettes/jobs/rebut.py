"""Cassette of `RebutJob`."""

from nemuri_contracts.tasks import Voice
from nemuri_infra.models.jobs.panel_rebuttal import UNREAD, RebutJob, Rebuttal
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

OWN = "It costs 7 euro."
REVISED = Rebuttal("It costs 5 euro.", stands=False, takes_over="the offer of ann", contradicts="")

CASSETTE = Cassette(
    job=RebutJob(
        role="a buyer",
        system_prompt="Be exact.",
        perspective="time",
        question="What does it cost?",
        own=OWN,
        others=(Voice(agent_id="ann", perspective="cost", answer="It costs 5 euro, says the offer."),),
        memories=(Source("m1", "Ann keeps the offers."),),
    ),
    text='{"position": "revised", "answer": "It costs 5 euro.", "takes_over": "the offer of ann", "contradicts": ""}',
    value=REVISED,
    otherwise=Rebuttal(OWN, stands=True, problem=UNREAD),
    more={
        "stands": Case(
            (
                Said(
                    '{"position": "stands", "answer": "", "takes_over": "none", "contradicts": "ann: the offer is old"}'
                ),
            ),
            Rebuttal(OWN, stands=True, contradicts="ann: the offer is old"),
        ),
        "revised to the same text": Case(
            (Said('{"position": "revised", "answer": "It costs 7 euro. [m1]"}'),), Rebuttal(OWN, stands=True)
        ),
        "revised to nothing": Case(
            (Said('{"position": "revised", "answer": " [m1] "}'),), Rebuttal(OWN, stands=True, problem=UNREAD)
        ),
        "an unknown position": Case(
            (Said('{"position": "perhaps", "answer": "It costs 6 euro."}'),),
            Rebuttal(OWN, stands=True, problem=UNREAD),
        ),
    },
)
