"""Cassette of `RecalledAnswerJob`."""

from datetime import UTC, datetime

from nemuri_infra.models.jobs.recalled_answer import RecalledAnswerJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=RecalledAnswerJob(
        "Where does Ann live?", ("Ann 3 May 2026: I moved to Bergen yesterday.",), datetime(2026, 6, 1, tzinfo=UTC)
    ),
    text="In Bergen, since 2 May 2026.",
    value="In Bergen, since 2 May 2026.",
    otherwise=None,
    free=True,
    more={"white space around it": Case((Said("\n In Bergen. \n"),), "In Bergen.")},
)
