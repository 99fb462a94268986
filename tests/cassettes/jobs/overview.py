"""Cassette of `OverviewJob`."""

from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.jobs.overview import OverviewJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=OverviewJob(
        role="buyer",
        system_prompt="Be brief.",
        perspective="cost",
        question="Summarise this guide.",
        kind="summary",
        basis="notes",
        memories=(Source("m1", "Yamada delivers in May."),),
        parts=((Source("d1", "Steel is 15 % dearer in winter.", origin="guide.pdf, p. 3"),),),
        documents=("guide.pdf",),
        memo="steel (3)",
        unread="guide.pdf, pp. 11-20",
    ),
    text="Steel is dear in winter [d1]. Pages 11 to 20 were not read.",
    value=Answer("Steel is dear in winter [d1]. Pages 11 to 20 were not read.", ("d1",), complete=True),
    otherwise=Answer("", ()),
    free=True,
    more={"unknown label": Case((Said("Steel is dear [d9]."),), Answer("Steel is dear [d9].", ()))},
)
