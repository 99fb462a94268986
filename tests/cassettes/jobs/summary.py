"""Cassette of `SummaryJob`."""

from nemuri_infra.models.jobs.task_summary import SummaryJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=SummaryJob("What does the guide say?", ("Steel is 15 % dearer in winter.", "Timber is cheap in May."), 300),
    text="Steel is dearer in winter, timber cheap in May.",
    value="Steel is dearer in winter, timber cheap in May.",
    otherwise="",
    free=True,
    more={"labels": Case((Said("Steel is dear [d1]."),), "Steel is dear.")},
)
