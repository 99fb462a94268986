"""Cassette of `CompressJob`."""

from nemuri_domain.affective.text_compression import compressed
from nemuri_infra.models.jobs.turn_compression import Compressed, CompressJob
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

JOB = CompressJob(
    2, "Ann asked for the third time how Python's grammar works.", "We read the grammar rule by rule; she was glad."
)
SHORT = Compressed("Ann asked about Python's grammar.", "We read the grammar; she was glad.")

CASSETTE = Cassette(
    job=JOB,
    text='{"trigger": "Ann asked about Python\'s grammar.", "content": "We read the grammar; she was glad."}',
    value=SHORT,
    otherwise=Compressed(*compressed(2, JOB.trigger, JOB.content)),
    more={
        "longer than before": Case(
            (Said('{"trigger": "Ann asked.", "content": "%s"}' % ("long " * 40)),),
            Compressed(*compressed(2, JOB.trigger, JOB.content)),
        ),
    },
)
