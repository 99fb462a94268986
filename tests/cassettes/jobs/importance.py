"""Cassette of `ImportanceJob`."""

from nemuri_domain.tasks.item_importance import Importance, most_important
from nemuri_infra.models.jobs.item_importance import ImportanceJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

ITEMS = ("Choose a colour", "The pump has failed", "Call Ann")
PUMP = Importance(1, "It fails.")

CASSETTE = Cassette(
    job=ImportanceJob("Our list:", ITEMS, 1),
    text='{"items": [{"number": 2, "why": "It fails."}]}',
    value=(PUMP,),
    otherwise=most_important(ITEMS, 3)[:1],
    more={
        "numbers that do not exist": Case(
            (Said('{"items": [{"number": 9, "why": "x"}, {"number": 2, "why": "It fails."}]}'),), (PUMP,)
        ),
        "more than wanted": Case(
            (Said('{"items": [{"number": 2, "why": "It fails."}, {"number": 1, "why": "x"}]}'),), (PUMP,)
        ),
    },
)
