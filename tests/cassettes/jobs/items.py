"""Cassette of `ItemsJob`."""

from nemuri_infra.models.jobs.request_items import ItemsJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=ItemsJob("I would like to know who pays the rent, and besides when it is due."),
    text='{"items": ["who pays the rent", "when it is due"]}',
    value=("who pays the rent", "when it is due"),
    otherwise=(),
    more={
        "items that nobody asked for": Case(
            (Said('{"items": ["who pays the rent", "whether dragons breathe fire"]}'),), ("who pays the rent",)
        ),
        "one thing only": Case((Said('{"items": []}'),), ()),
    },
)
