"""Cassette of `KeyPointJob`."""

from nemuri_infra.models.jobs.key_point import KeyPointJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

CASSETTE = Cassette(
    job=KeyPointJob("What does the guide say about winter?", "Chapter 3. Steel is 15 % dearer in winter [d7]."),
    text="In winter steel is 15 % dearer.",
    value="In winter steel is 15 % dearer.",
    otherwise="",
    free=True,
    more={
        "more than one sentence": Case(
            (Said("In winter steel is 15 % dearer [d7]. I hope this helps!"),), "In winter steel is 15 % dearer."
        ),
    },
)
