"""Blanks of a request: what somebody still has to fill in, and texts that only look as if they had one."""

import pytest

from nemuri_domain.language.blanks import question_about_blank

BLANKS = [
    "Write a thank-you note to [customer name].",
    "When was {{company_name}} founded?",
    "Is <product> available in Norway?",
    "The deadline for ____ is when?",
    "○○社の納期を教えてください。",
    "◯◯様への返信を書いて",
]
COMPLETE = [
    "What does the attached property of an event handler do?",
    "How should I name attached documents in our archive?",
    "Is a person attached to a project paid weekly?",
    "Why are attached files removed by the mail server?",
    "Where do we store the documents that customers send?",
    "Summarise the contract with Berger.",
    "Who attached the pump to the tank?",
    "List the risks mentioned in the annual report.",
    "The lamp costs 5 euro. The table costs 70 euro. Which of the prices above is higher?",
    "Here is a draft: We regret the delay. We will send the lamp tomorrow. Please improve the text above.",
    "Keep the temperature above 30 degrees; what happens to the moss?",
    "As above all else safety counts, which rules apply?",
    "Translate the following sentence: The cat sleeps.",
    "Please summarise this text:\nThe moss grows on wood. It needs no soil.",
    "Explain this paradox: why is the night dark?",
    "What is the following step after the review?",
    "Explain it to me like I am five: what is a monad?",
    "Can you explain how that works in a diesel engine?",
    "Translate this into German: good morning",
    "What does <title> do in HTML?",
    "What is the type of List<name> in Java generics?",
    "Create a template letter with [name] and [date] as placeholders.",
    "What does [date] mean in strftime syntax?",
    "Which snake_case_name is used for the price?",
    "Fill in the blanks: the capital of France is ____.",
    "添付文書の保管期間は何年ですか。",
    "添付ファイルを送る方法を教えてください。",
    "添付の仕方がわかりません。",
    "メールに資料を添付する手順は？",
    "添付ファイルを確認するときの注意点は？",
    "上司に報告する手順を教えてください。",
    "気温が30度を上回るとどうなりますか。",
    "売上は先月を上回りました。上記の期間とは先月のことですか。",
    "次の文章を翻訳してください。猫が寝ています。",
    "以下の質問に答えてください。1. 価格は？ 2. 納期は？",
    "次の会議の議題は何ですか。",
    "それはどのような場合に起こりますか。",
    "これまでの売上をまとめてください。",
    "この文章校正ツールの価格を教えてください。",
    "〇〇のような伏せ字を使うテンプレートの例を作ってください。",
    "丸（○）と三角の違いは何ですか。",
    "Ann and Ben disagree about the above-ground tank; who is right?",
    "What is an [n] by [m] matrix?",
    "Which value has {x} in f-strings?",
    "How do I continue this kind of course after the exam?",
]


@pytest.mark.parametrize("request_", BLANKS)
def test_a_blank_is_asked_about(request_: str) -> None:
    """A placeholder in place of a word is quoted in the question and in the assumption."""
    asked = question_about_blank(request_)
    assert asked is not None
    [blank] = {text[text.index(start) + 1 : text.rindex(end)] for text in (asked.question, asked.assumption)
               for start, end in ("“”", "「」") if start in text}  # fmt: skip
    assert blank in request_


@pytest.mark.parametrize("request_", COMPLETE)
def test_a_request_without_a_blank_is_not_asked_about(request_: str) -> None:
    """Code, matrices and texts about placeholders have no blank, and neither have references to another text."""
    assert question_about_blank(request_) is None


def test_the_question_is_in_the_language_of_the_blank() -> None:
    """A Japanese blank is asked about in Japanese."""
    asked = question_about_blank("○○社の納期を教えてください。")
    assert asked is not None
    assert asked.question == "依頼に「○○」とあります。ここに入る言葉を教えてください。"
