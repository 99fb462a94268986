"""Tests of the detection of texts without content."""

import pytest

from nemuri_domain.language.boilerplate import SET_PHRASE, WORDLESS, boilerplate_reason


@pytest.mark.parametrize("text", ["", "   \n", "...", "—", "。、！", "🙂", "()[]"])
def test_a_text_without_letter_or_digit_has_no_words(text: str) -> None:
    """A text that consists of punctuation, white space and pictograms has no words."""
    assert boilerplate_reason(text) == WORDLESS


@pytest.mark.parametrize(
    "text",
    [
        "OK", "Okay!", "Hello!", "Thank you very much.", "Thanks for your question. I hope this helps!",
        "Sure, here is the answer:", "As an AI language model, I cannot browse the internet.", "I'm an AI assistant.",
        "I could not find anything relevant.", "I’m sorry, but I can’t help with that.", "No information was found.",
        "No language model is connected, so these are quotations from memories and details:",
        "No language model is connected, and nothing relevant to this was found in memories and details.",
        "nothing was found on this", "了解しました。", "ありがとうございます！", "申し訳ありませんが、わかりません。",
        "はい、承知いたしました。", "関連する情報は見つかりませんでした。", "特になし", "お役に立てれば幸いです。",
        "言語モデルが接続されておらず、記憶と資料に関係のある記述は見つかりませんでした。",
    ],
)  # fmt: skip
def test_set_phrases_say_nothing(text: str) -> None:
    """Set phrases in English and Japanese, alone or several in sequence, have no content."""
    assert boilerplate_reason(text) == SET_PHRASE


@pytest.mark.parametrize(
    "text",
    [
        "4", "OK buttons are green.", "No refunds are given.", "I do not like steel.",
        "Nothing is known of dark matter.",         "Thanks to caching the page is fast.",
        "As an AI language model, it was trained on text.",
        "Sorry states differ.",         "Hello is the first word of the protocol.", "Sure, steel is dear in winter.",
        "了解を得てから出荷する。",
        "在庫はありません。", "はい、鋼材は冬に高いです。", "情報は三日後に届く。", "ありがとうと言うと喜ばれる。",
    ],
)  # fmt: skip
def test_whatever_says_anything_is_kept(text: str) -> None:
    """A text with any other statement has content, even if it is short and stands beside a set phrase."""
    assert boilerplate_reason(text) is None


def test_time_is_no_way_to_attack() -> None:
    """A long text of words from set phrases is checked in time proportional to its length."""
    assert boilerplate_reason("I could not find any " + "relevant information " * 5_000) is None
