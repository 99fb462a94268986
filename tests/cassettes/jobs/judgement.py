"""Cassette of `JudgeJob`."""

from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=JudgeJob("冬に高いのは？", "山田鋼材です [m1]。", (Source("m1", "山田鋼材は冬に高い。"), Source("m2", "B."))),
    text='{"used": ["m1"]}',
    value=("m1",),
    otherwise=ModelRefused,
    more={
        "none": Case((Said('{"used": []}'),), ()),
        "a bare list": Case((Said('["M2", "m1"]'),), ("m1", "m2")),
        "labels that do not exist": Case((Said('{"used": ["m9", "m2"]}'),), ("m2",)),
        "labels in prose only": Case((Said("Perhaps m1, perhaps m2."),), ModelRefused),
    },
)
