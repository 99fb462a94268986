"""Cassette of `JudgeAnswerJob`."""

from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.answer_judgement import AnswerJudgement, JudgeAnswerJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

JUDGED = '{"criteria": [{"criterion": "c1", "met": "yes"}, {"criterion": "c2", "met": "%s"}], "why": "Not since when."}'

CASSETTE = Cassette(
    job=JudgeAnswerJob(
        "Where does Ann live?", ("It says Bergen.", "It says since when."), "In Bergen.", "What was said last holds."
    ),
    text=JUDGED % "no",
    value=AnswerJudgement(("yes", "no"), "Not since when."),
    otherwise=ModelRefused,
    more={
        "a criterion that is met in part": Case(
            (Said(JUDGED % "Partly"),), AnswerJudgement(("yes", "partly"), "Not since when.")
        )
    },
)
