"""Cassette of `RelationsJob`."""

from nemuri_domain.language.statement_comparison import Compared
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

FOUND = {("n1", "o1"): Compared("supersedes")}
SAID = {("n1", "o1"): Compared("supersedes", "a higher price since May")}

CASSETTE = Cassette(
    job=RelationsJob(
        new=(Source("n1", "Steel costs 90 since May."), Source("n2", "Iron is dear.", note="said by Ann")),
        older=(Source("o1", "Steel costs 70."),),
        pairs=(("n1", "o1"), ("n2", "n1")),
    ),
    text='{"pairs": [{"first": "n1", "second": "o1", "relation": "supersedes", "reason": "a higher price since May"}]}',
    value=SAID,
    otherwise={},
    more={
        "an object by pair": Case((Said('{"n1 > o1": "supersedes", "n2 > n1": "unrelated"}'),), FOUND),
        "lines instead of JSON": Case((Said("- n1 > o1: supersedes\n- n2 > n1: perhaps"),), FOUND),
        "pairs that do not exist": Case(
            (Said('{"pairs": [{"first": "o1", "second": "n9", "relation": "same"}]}'),), {}
        ),
    },
)
