"""Cassette of `FeelJob`."""

import json

from nemuri_domain.affective.turn_reader import read_turn
from nemuri_infra.models.jobs.turn_reading import FeelJob, TurnReading
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import Case, Cassette
from tests.cassettes.wire import Said

JOB = FeelJob(
    "やった、できた！",
    "おめでとうございます。",
    (Source("e1", "昨日は試験が通らず、落ち込んでいた。"), Source("e2", "昼に蕎麦を食べた。")),
)
KNOWN = read_turn(JOB.prompt, JOB.reply)
SAID = {
    "emotional_intensity": 65,
    "emotional_valence": "positive",
    "emotional_arousal": 85,
    "emotional_tags": ["joy", "pride"],
    "category": "emotional",
    "keywords": ["達成", "喜び"],
    "trigger": "ユーザーが何かをやり遂げ、喜んだ",
    "content": "達成を一緒に喜んだ",
    "protected": False,
    "relations": [{"memory": "e1", "relation": "continues"}],
}
READ = KNOWN.model_copy(
    update={
        "intensity": 65,
        "emotion": KNOWN.emotion.model_copy(update={"valence": "positive", "arousal": 85, "tags": ("joy", "pride")}),
        "category": "emotional",
        "keywords": ("達成", "喜び"),
        "trigger": "ユーザーが何かをやり遂げ、喜んだ",
        "content": "達成を一緒に喜んだ",
        "protect": False,
    }
)

CASSETTE = Cassette(
    job=JOB,
    text=json.dumps(SAID, ensure_ascii=False),
    value=TurnReading(READ, {"e1": "continues"}),
    otherwise=TurnReading(KNOWN),
    more={
        "values out of range": Case(
            (Said(json.dumps(SAID | {"emotional_intensity": 140, "emotional_tags": ["joy", "envy", "pride"]})),),
            TurnReading(READ.model_copy(update={"intensity": 100}), {"e1": "continues"}),
        ),
        "intensity only": Case(
            (Said('{"emotional_intensity": "65/100"}'),), TurnReading(KNOWN.model_copy(update={"intensity": 65}))
        ),
    },
)
