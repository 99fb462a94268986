"""Cassette of `FactsJob`."""

from datetime import UTC, datetime

from nemuri_contracts.conversations import ConversationTurn
from nemuri_infra.models.jobs.conversation_facts import FactsJob, FoundFact
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

SAID = "I moved to Bergen yesterday."
CASSETTE = Cassette(
    job=FactsJob(
        turns=(
            ConversationTurn(position=4, role="user", speaker="Ann", text=SAID, at=datetime(2026, 5, 3, tzinfo=UTC)),
        ),
        before=(ConversationTurn(position=3, role="assistant", text="Where do you live?"),),
        known=("Ann has a cat.",),
    ),
    text='{"facts": [{"turn": 4, "sort": "event", "sentence": "Ann moved to Bergen on 2 May 2026."}]}',
    value=(FoundFact("Ann moved to Bergen on 2 May 2026.", 4, "event"),),
    otherwise=(FoundFact(SAID, 4, "event", begins="2026-05-02"),),
    more={
        "nothing worth remembering": Case((Said('{"facts": []}'),), ()),
        "what is known already": Case(
            (Said('{"facts": [{"turn": 4, "sort": "fact", "sentence": "Ann has a cat"}]}'),), ()
        ),
    },
)
