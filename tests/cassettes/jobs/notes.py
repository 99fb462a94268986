"""Cassette of `NotesJob`."""

from nemuri_infra.models.cited_texts import NoteText
from nemuri_infra.models.jobs.overview_notes import NotesJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=NotesJob(
        "Summarise this guide.",
        "summary",
        (Source("p1", "Steel is 15 % dearer in winter."), Source("p2", "Timber is cheap in May.")),
        200,
    ),
    text="- Steel is 15 % dearer in winter [p1].\n- Timber is cheap in May [p2].",
    value=(NoteText("Steel is 15 % dearer in winter.", ("p1",)), NoteText("Timber is cheap in May.", ("p2",))),
    otherwise=(),
    free=True,
    more={
        "nothing": Case((Said("-"),), ()),
        "unknown label": Case((Said("Notes:\n- Steel is dear [p9]."),), (NoteText("Steel is dear.", ("p1", "p2")),)),
    },
)
