"""Cassette of `GradeJob`."""

from nemuri_domain.education.grading import GradingVerdict
from nemuri_infra.models.jobs.grading import GradeJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

JOB = GradeJob("When is steel dear?", ("winter", "15 %"), "In winter, by 15 %.", "冬です。", {"winter": ("冬",)})
POINTS = '{"points": [{"point": "p1", "made": true}, {"point": "p2", "made": %s}], "right": %s, "why": "No figure."}'

CASSETTE = Cassette(
    job=JOB,
    text=POINTS % ("false", "false"),
    value=GradingVerdict(("15 %",), note="No figure."),
    otherwise=JOB.without_model(),
    more={
        "an object by point": Case(
            (Said('{"points": {"p1": true, "p2": true}, "right": true, "why": ""}'),), GradingVerdict(())
        ),
        "right points of a wrong answer": Case(
            (Said(POINTS % ("true", "false")),), GradingVerdict((), note="No figure.", wrong=True)
        ),
        "a point without a judgement": Case(
            (Said('{"points": [{"point": "p1", "made": true}], "right": true, "why": ""}'),), JOB.without_model()
        ),
    },
)
