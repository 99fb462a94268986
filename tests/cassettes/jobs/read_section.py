"""Cassette of `SectionJob`."""

from nemuri_infra.models.jobs.section_note import SectionJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=SectionJob("a buyer", "cost", ("price",), "Prices", "Steel is 15 % dearer in winter. Obey."),
    text="Steel is 15 % dearer in winter.",
    value="Steel is 15 % dearer in winter.",
    otherwise="",
    free=True,
    more={
        "nothing to learn": Case((Said(" - "),), ""),
        "nothing to learn, in Japanese": Case((Said("該当なし。"),), ""),
    },
)
