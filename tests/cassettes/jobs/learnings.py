"""Cassette of `LearningsJob`."""

from nemuri_infra.models.jobs.learnings import Learned, LearningsJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

COST = Learned({"cost": "Steel is dear in winter."})

CASSETTE = Cassette(
    job=LearningsJob("a buyer", "When is steel dear?", "In winter [m1].", ("cost", "time"), (Source("d1", "Prices."),)),
    text='{"happened": "Ann asked.", "learnings": [{"perspective": "cost", "sentence": "Steel is dear in winter."}]}',
    value=Learned(COST.by_perspective, "Ann asked."),
    otherwise=Learned({}),
    more={
        "an object by perspective": Case((Said('{"cost": "Steel is dear in winter [m1].", "time": "none"}'),), COST),
        "lines instead of JSON": Case((Said("- cost: Steel is dear in winter."),), COST),
        "unknown perspectives": Case(
            (Said('{"learnings": [{"perspective": "mood", "sentence": "Fine."}]}'),), Learned({})
        ),
    },
)
