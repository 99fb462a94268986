"""Cassette of `MergeJob`."""

from nemuri_contracts.tasks import Dissent, Voice
from nemuri_domain.tasks.panel import side_by_side
from nemuri_infra.models.jobs.answer_merge import Merged, MergeJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

VOICES = (
    Voice(agent_id="ann", perspective="cost", answer="It costs 5 euro."),
    Voice(agent_id="bob", perspective="time", answer="It costs 7 euro."),
)
MERGED = Merged("5 or 7 euro.", (Dissent(agent_id="bob", perspective="time", text="It is 7."),))

CASSETTE = Cassette(
    job=MergeJob("What does it cost?", VOICES),
    text='{"merged": "5 or 7 euro.", "dissent": [{"voice": "v2", "text": "It is 7."}]}',
    value=MERGED,
    otherwise=Merged(side_by_side(VOICES), ()),
    more={
        "dissent by label": Case((Said('{"merged": "5 or 7 euro [m1].", "dissent": {"v2": "It is 7."}}'),), MERGED),
        "voices that do not exist": Case(
            (Said('{"merged": "So.", "dissent": [{"voice": "v9", "text": "No."}]}'),), Merged("So.", ())
        ),
    },
)
