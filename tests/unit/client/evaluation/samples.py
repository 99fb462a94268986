"""Small samples of our own in the formats of the public benchmarks."""

import json
from pathlib import Path
from typing import Any

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_2_date_time": "9:05 am on 3 June, 2023",
            "session_2": [
                {"speaker": "Bob", "dia_id": "D2:1", "text": "How is the ferry, Ann?"},
                {
                    "speaker": "Ann",
                    "dia_id": "D2:2",
                    "text": "It left for Oslo yesterday.",
                    "blip_caption": "a red ferry",
                },
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a greyhound called Pixel."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "My sourdough failed again."},
                {"speaker": "Ann", "dia_id": "D1:3", "text": "Try more salt."},
            ],
            "session_3_date_time": "9:05 am on 9 June, 2023",
        },
        "qa": [
            {"question": "What is Ann's greyhound called?", "answer": "Pixel", "evidence": ["D1:1"], "category": 4},
            {"question": "When did the ferry leave?", "answer": 2, "evidence": ["D:2:02; D1:3", "D9:9"], "category": 2},
            {
                "question": "What is Bob's cat called?",
                "evidence": ["D1:2"],
                "category": 5,
                "adversarial_answer": "Pixel",
            },
        ],
    }
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "Where do I live?",
        "answer": "Bergen",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 08:00"],
        "haystack_session_ids": ["s2", "s1"],
        "haystack_sessions": [
            [{"role": "user", "content": "I moved to Bergen.", "has_answer": True}],
            [
                {"role": "user", "content": "I live in Oslo.", "has_answer": False},
                {"role": "assistant", "content": "Oslo is fine."},
            ],
        ],
        "answer_session_ids": ["s2"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "How many boats do I own?",
        "answer": "You never told.",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": [],
        "haystack_session_ids": [],
        "haystack_sessions": [],
        "answer_session_ids": [],
    },
]
_BATCHES = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "My deadline is in May. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Noted."},
            ]
        ],
    },
    {
        "batch_number": 2,
        "time_anchor": "April-02-2024",
        "turns": [[{"role": "user", "id": 2, "content": "The deadline is now in June. ->-> 2,1"}]],
    },
]
_QUESTIONS = {
    "knowledge_update": [
        {
            "question": "When is my deadline?",
            "answer": "June",
            "source_chat_ids": {"original_info": [0], "updated_info": [2]},
            "rubric": ["It says June."],
        }
    ],
    "abstention": [{"question": "Who is my boss?", "ideal_response": "Not told.", "rubric": ["It says not told."]}],
    "event_ordering": [
        {
            "question": "In which order?",
            "answer": "May, June",
            "source_chat_ids": [[0], [2, 99]],
            "rubric": ["May", "June"],
        }
    ],
}


def written(path: Path, value: object) -> Path:
    """Write a value as JSON, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def beam_folder(folder: Path, *, plans: bool = False, cut: bool = False) -> Path:
    """Write a conversation of BEAM into a folder, and return the folder. `plans` gives it the form of ten million
    tokens, `cut` a chat that was cut to its first batch.
    """
    chat: Any = [{"plan-1": _BATCHES[:1]}, {"plan-2": _BATCHES[1:]}] if plans else _BATCHES
    written(folder / "chat.json", chat)
    if cut:
        written(folder / "chat_trunecated.json", _BATCHES[:1])
    written(folder / "probing_questions" / "probing_questions.json", _QUESTIONS)
    return folder
