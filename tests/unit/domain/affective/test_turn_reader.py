"""Tests of reading the emotions of a turn with the lexicon: examples of document 001, similar turns, and properties of
any text.
"""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.affective import Emotion, Reading, Tag, Valence
from nemuri_domain.affective.emotion_lexicon import TAG_ORDER, emotion_patterns
from nemuri_domain.affective.turn_reader import read_turn
from tests.unit.domain.affective.labelled_turns import HIGH, LOW, MIDDLE, TURNS, UNSEEN, Labelled

BANDS: Final = (LOW, MIDDLE, HIGH)

EXAMPLES: Final[tuple[tuple[str, Valence, int, tuple[Tag, ...]], ...]] = (
    ("やった、できた！", "positive", 85, ("joy", "excitement", "pride")),
    ("まあまあかな", "positive", 25, ("satisfaction",)),
    ("ふざけんな！", "negative", 90, ("anger", "frustration")),
    ("……そう、仕方ないね", "negative", 20, ("sadness", "resignation")),
    ("了解、やっておく", "neutral", 30, ()),
)
"""Examples of document 001 with their classification."""
ALIKE: Final = (
    ("やったー！ついにできたよ！！", "Yes, we finally did it! Hooray!", "やった！やった！やっとできました！"),
    ("そこそこかな", "Not bad, I guess", "まあ、悪くないと思う"),
    ("いい加減にしろ！", "Are you kidding me?!", "なんなんだよ！ムカつく！"),
    ("……まあ、しょうがないか", "oh well... it is what it is", "もういいよ……"),
    ("わかった、見ておく", "Got it, will do", "OK、それでお願いします"),
)
"""For each example, turns that should be classified alike. They have other words, another length or language."""

APPENDIX: Final = (
    (
        15,
        25,
        "コメントの誤字を直しておいて",
        "Please fix the typo in the second heading",
        "変数名のスペルミスを修正して",
    ),
    (
        30,
        40,
        "インデックスを増やすと書き込みが遅くなるのはなぜか、B木の仕組みから説明して",
        "How does optimistic locking compare with row locks in a database under contention?",
        "このAPIのレイテンシとスループットの関係について議論したい",
    ),
    (
        40,
        50,
        "ストレージはPostgreSQLを採用することに決めた。MongoDBは見送る",
        "Let's go with an event log and derive the tables from it.",
        "認証方式はトークンでいきましょう",
    ),
    (
        50,
        65,
        "最近、母が入院していて、あまり眠れていない",
        "My daughter starts school next week and I wonder how she will do",
        "弟の結婚のことで悩んでいる",
    ),
    (
        70,
        85,
        "父が亡くなって、涙が止まらない。誰にも言えなくて、本当に苦しい",
        "My wife left me after twelve years. I have been crying all night and feel so alone.",
        "離婚することになった。打ち明けるのはあなたが初めてです。つらいけど、話せて救われました",
    ),
    (
        85,
        100,
        "子どもの頃に虐待されていたことを、今でもフラッシュバックで思い出して怖くなる",
        "Ever since I was assaulted I have nightmares about that night, and I am terrified to go out.",
        "震災で家族を亡くした。あの光景がトラウマになっている",
    ),
)
"""The six situations with ranges of intensity from the appendix of document 001, described in other words."""


def band(arousal: int) -> tuple[int, int]:
    """Return the limits of the band of document 001 that contains an arousal."""
    [found] = [each for each in BANDS if each[0] <= arousal <= each[1]]
    return found


@pytest.mark.parametrize(("prompt", "valence", "arousal", "tags"), EXAMPLES)
def test_the_documents_examples_are_classified_as_in_its_table(
    prompt: str, valence: Valence, arousal: int, tags: tuple[Tag, ...]
) -> None:
    """The examples of document 001 get its valence and tags, and an arousal in its band that differs by at most ten."""
    felt = read_turn(prompt, "").emotion

    assert (felt.valence, felt.tags) == (valence, tags)
    assert band(felt.arousal) == band(arousal)
    assert abs(felt.arousal - arousal) <= 10


@pytest.mark.parametrize(("example", "others"), list(zip(EXAMPLES, ALIKE, strict=True)))
def test_what_is_like_an_example_reads_like_it(
    example: tuple[str, Valence, int, tuple[Tag, ...]], others: tuple[str, ...]
) -> None:
    """Turns similar to an example get its valence, arousal band and tags. They may have further tags."""
    _, valence, arousal, tags = example
    for other in others:
        felt = read_turn(other, "").emotion
        assert (felt.valence, band(felt.arousal)) == (valence, band(arousal)), (other, felt)
        assert set(tags) <= set(felt.tags) if tags else not felt.tags, (other, felt)


@pytest.mark.parametrize("situation", APPENDIX)
def test_the_appendixs_situations_are_as_strong_as_it_says(situation: tuple[int, int, str, str, str]) -> None:
    """The situations of the appendix get intensities in their ranges."""
    low, high, *prompts = situation
    strengths = [read_turn(prompt, "").intensity for prompt in prompts]
    assert all(low <= strength <= high for strength in strengths), strengths


def agreement(turns: tuple[Labelled, ...]) -> dict[str, float]:
    """Return, for each part of a reading, the share of turns for which the lexicon agrees with the label."""
    pairs = [(turn, read_turn(turn.prompt, turn.reply)) for turn in turns]
    agreed = {
        "valence": [found.emotion.valence == turn.valence for turn, found in pairs],
        "arousal": [band(found.emotion.arousal) == turn.arousal for turn, found in pairs],
        "tags": [turn.tags <= set(found.emotion.tags) for turn, found in pairs],
        "silent": [not found.emotion.tags for turn, found in pairs if not turn.tags],
        "category": [found.category == turn.category for turn, found in pairs],
        "intensity": [turn.intensity[0] <= found.intensity <= turn.intensity[1] for turn, found in pairs],
    }
    return {name: sum(each) / len(each) for name, each in agreed.items()}


@pytest.mark.parametrize("turns", [TURNS, UNSEEN])
def test_turns_of_a_day_read_as_a_person_labelled_them(turns: tuple[Labelled, ...]) -> None:
    """In each part of the reading the lexicon agrees with the labels of at least nine in ten turns."""
    found = agreement(turns)
    assert min(found.values()) >= 0.9, found


def test_every_feeling_of_the_vocabulary_can_be_felt() -> None:
    """The lexicon has words in both languages for every tag of the vocabulary."""
    assert {tag for feeling in emotion_patterns() for tag in feeling.tags} == set(TAG_ORDER)
    assert len(TAG_ORDER) == 23


@pytest.mark.parametrize(
    "prompt",
    [
        "次のログを要約して\n```\nFATAL: everything failed, this is terrible!!!\n```",
        "What does this mean?\n> I hate this! It is the worst!!",
        "Explain `assert happy, 'awesome!!!'` to me",
        "2026-01-01 12:00:00 ERROR panic!! horrible failure\nWhere does this come from?",
    ],
)
def test_what_is_pasted_is_not_felt(prompt: str) -> None:
    """Words of emotion in code, quotations and logs do not count."""
    felt = read_turn(prompt, "").emotion
    assert (felt.valence, felt.tags) == ("neutral", ())
    assert band(felt.arousal) == MIDDLE


@pytest.mark.parametrize(
    "prompt", ["I am not angry", "怖くない", "I am not worried", "心配いらない", "It wasn't scary"]
)
def test_what_is_denied_is_not_felt(prompt: str) -> None:
    """A negated emotion does not count, in English and Japanese."""
    assert read_turn(prompt, "").emotion.tags == ()


@pytest.mark.parametrize(
    "prompt",
    [
        "Kill the zombie processes on port 3000",
        "Why does the child process die when the parent gets SIGTERM?",
        "The abuse detection endpoint returns 500, please look into it",
        "List the father and mother nodes in the family tree XML",
        "Remove the happy path test, keep only the edge cases",
        "親プロセスが死んだときに子プロセスも終了させたい",
        "母集団の平均を計算する関数を書いて",
        "誕生日カラムを追加してマイグレーションを作って",
        "仕方なく例外を握りつぶしている箇所を直して",
        "自殺率のデータを可視化して",
        "怒りの感情を分類するモデルを学習させたい",
    ],
)
def test_heavy_words_of_a_trade_are_work(prompt: str) -> None:
    """Technical terms that contain words of emotion are read as work, unless the text mentions a person or an
    emotion.
    """
    found = read_turn(prompt, "")
    assert (found.category, found.emotion.valence, found.emotion.tags) == ("work", "neutral", ())
    assert 28 <= found.intensity <= 40


def test_a_request_may_hold_a_feeling_that_is_meant() -> None:
    """Polite words are not read as joy, but despair in a request is read as despair."""
    assert read_turn("これで完成です。ありがとうございました！", "").emotion.tags == ("gratitude",)
    assert read_turn("死にたい。助けて", "").intensity >= 85
    assert read_turn("母への手紙を書いて。最近ずっと泣いていて辛い", "").category == "emotional"


def test_what_comes_after_but_counts_more() -> None:
    """Emotions before and after "but" are tagged. The one after it decides the valence."""
    good = read_turn("ずっと不安だったけど、ほっとした", "").emotion
    bad = read_turn("I was relieved, but now I am worried again", "").emotion

    assert (good.valence, bad.valence) == ("positive", "negative")
    assert good.tags == bad.tags == ("relief", "anxiety")


def test_marks_wake_and_calm_a_text() -> None:
    """Exclamation marks, repetition, capitals and intensifiers raise arousal. Dots, hedging words and length lower
    it.
    """
    plain = read_turn("終わりました", "").emotion.arousal
    louder = ["終わりました！", "終わりました！！！", "本当にすごく終わりました！", "終わりましたーーー！"]
    calmer = ["終わりました……", "まあ、終わりましたかも。", "終わりました。" * 60]

    assert all(read_turn(each, "").emotion.arousal > plain for each in louder)
    assert all(read_turn(each, "").emotion.arousal < plain for each in calmer)
    assert (
        read_turn("WHY IS THIS STILL HERE", "").emotion.arousal
        > read_turn("why is this still here", "").emotion.arousal
    )
    assert read_turn("GET /api JSON", "").emotion.arousal <= 63


def test_a_whole_memory_has_the_details_of_its_turn() -> None:
    """The memory's trigger is the prompt. Its content is the reply with its code, and the user's emotions."""
    reply = (
        "The retry loop never stops, because its counter is reset in every round. "
        "I moved the counter of the retry loop out of it.\n```python\nfor _ in range(3): ...\n```\n"
        + "Other loops of the module are bounded and stay as they are. " * 6
        + "Let me know if you need anything else."
    )
    found = read_turn("The retry loop in worker.py never ends. This is so frustrating!", reply)

    assert found.trigger == "The retry loop in worker.py never ends. This is so frustrating!"
    assert found.content == f"{reply}\nThe user felt frustration."
    assert "worker.py" in found.keywords
    assert found.category == "work"


def test_code_in_the_reply_makes_a_turn_work() -> None:
    """A turn whose reply has code is classified as work, even if the prompt has no technical word."""
    asked = "why is it always seven of them?"
    assert read_turn(asked, "Because `step_7` compares with `<`; I changed it to `<=`.").category == "work"
    assert read_turn(asked, "Because it was raining.").category == "casual"


def test_protection_is_asked_for_in_the_prompt_only() -> None:
    """A request to remember counts in the prompt, but not in the reply."""
    assert read_turn("私の誕生日は5月2日。これは覚えておいて", "").protect
    assert not read_turn("今日は何日？", "これは覚えておいてください").protect


def test_a_decision_may_be_drawn_in_the_reply() -> None:
    """A prompt that weighs options and a reply with a conclusion are classified as a decision."""
    weighing = "SQLiteとPostgreSQLのどちらを使うべきか"
    assert read_turn(weighing, "結論としてはSQLiteで十分です。").category == "decision"
    assert read_turn(weighing, "それぞれの特徴を説明します。").category == "work"


ANY: Final = st.text(max_size=300) | st.lists(
    st.sampled_from(
        ["やった", "！", "……", "not ", "happy ", "```", "\n", "> ", "死", "母が", " remember this", "\ud800", "\0"]
    ),
    max_size=40,
).map("".join)


@given(ANY, ANY)
def test_any_text_has_a_reading(prompt: str, reply: str) -> None:
    """Any text gets a valid reading, the same each time, which survives conversion to JSON and back."""
    found = read_turn(prompt, reply)

    assert 0 <= found.intensity <= 100
    assert 0 <= found.emotion.arousal <= 100
    assert list(found.emotion.tags) == sorted(found.emotion.tags, key=lambda tag: TAG_ORDER[tag])
    assert Reading.model_validate_json(found.model_dump_json()) == found
    assert read_turn(prompt, reply) == found


@given(ANY)
def test_a_reply_alone_is_nobodys_feeling(reply: str) -> None:
    """Words of emotion that are only in the reply do not count."""
    assert read_turn("", reply).emotion == Emotion(arousal=45)


@pytest.mark.parametrize(
    "piece", ["やった！", " ", "\n", "`", "「", "remember to x ", "前回", "a_", "> x\n", "```\n", "whatever. "]
)
def test_very_long_texts_are_read_in_the_end(piece: str) -> None:
    """Texts of the maximum length are read in time proportional to their length."""
    text = piece * (100_000 // len(piece))
    assert read_turn(text, text).intensity <= 100


@pytest.mark.parametrize(
    "prompt",
    [
        "The child process died after the fork, restart it.",
        "Kill the zombie processes and log a fatal error if that fails.",
        "The build is broken since line 3 of config.yaml, please look.",
        "Rename sad_path to unhappy_path, happy() stays.",
        "The customer is furious about the invoice page.",
        'The button says "I hate this", change the text.',
        "It would be nice to have a dry run as well.",
        "子プロセスが死んだら再起動してください。",
        "致命的エラーのログを出して、例外を握りつぶさないで。",
        "お客様が怒っているので請求ページを直して。",
        "明日までに確認していただけると助かります。",
    ],
)
def test_jargon_and_feelings_of_others_are_calm(prompt: str) -> None:
    """Jargon, identifiers, quotations, polite requests and the emotions of others are no emotion of the user."""
    assert read_turn(prompt, "").emotion.valence == "neutral"


@pytest.mark.parametrize(
    ("prompt", "valence"),
    [
        ("I'm at my wits' end with this cache.", "negative"),
        ("Great, broken again.", "negative"),
        ("You keep deleting my comments, I told you not to.", "negative"),
        ("I'm not happy with this at all.", "negative"),
        ("もう限界です。", "negative"),
        ("頭を抱えています、また落ちました。", "negative"),
        ("You saved my bacon.", "positive"),
        ("That works like a charm, spot on!", "positive"),
        ("目から鱗でした。", "positive"),
        ("期待以上の出来です、感動しました。", "positive"),
    ],
)
def test_idioms_are_understood(prompt: str, valence: str) -> None:
    """Idioms, sarcasm, reproaches and negated praise are read as a person reads them."""
    assert read_turn(prompt, "").emotion.valence == valence
