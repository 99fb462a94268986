"""References of a request to something that did not come with it. Of the 74 texts, 72 were right at first."""

import pytest

from nemuri_domain.language.missing_references import Lack, missing_reference

MISSING: list[tuple[Lack, str]] = [
    ("attachment", "Please check the attached invoice for mistakes."),
    ("attachment", "Could you proofread my attached cover letter?"),
    ("attachment", "Which clauses of the enclosed agreement are risky?"),
    ("attachment", "I have uploaded the meeting minutes. Who is responsible for the budget?"),
    ("attachment", "Compare the figures in the attachment with last year."),
    ("attachment", "Have a look at the report I attached and list its weak points."),
    ("attachment", "添付の議事録から決定事項を抜き出してください。"),
    ("attachment", "添付した請求書に間違いはありますか。"),
    ("attachment", "添付ファイルを翻訳してください。"),
    ("attachment", "レポートを添付しました。要点を三つ挙げてください。"),
    ("above", "Rewrite the text above in plain English."),
    ("above", "What is wrong with the code above?"),
    ("above", "Please explain the above."),
    ("above", "上記の内容を部長向けにまとめてください。"),
    ("above", "上のコードの間違いを直して。"),
    ("below", "Please translate the following paragraph:"),
    ("below", "Fix the grammar in this e-mail:"),
    ("below", "以下のメールに返信を書いてください："),
    ("below", "次の文章を要約してください"),
    ("pronoun", "Translate it to Japanese."),
    ("pronoun", "Can you shorten this?"),
    ("pronoun", "それを翻訳してください。"),
    ("pronoun", "これを要約して。"),
    ("blank", "Write a thank-you note to [customer name]."),
    ("blank", "When was {{company_name}} founded?"),
    ("blank", "Is <product> available in Norway?"),
    ("blank", "The deadline for ____ is when?"),
    ("blank", "○○社の納期を教えてください。"),
    ("blank", "◯◯様への返信を書いて"),
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


@pytest.mark.parametrize(("lack", "request_"), MISSING)
def test_a_missing_thing_is_found(lack: Lack, request_: str) -> None:
    """The request refers to something that is not there. With documents or earlier turns only blanks are missing."""
    found = missing_reference(request_)
    assert found is not None
    assert found.lack == lack
    assert found.words in found.question
    assert (missing_reference(request_, has_material=True) is not None) == (lack == "blank")


@pytest.mark.parametrize("request_", COMPLETE)
def test_a_complete_request_lacks_nothing(request_: str) -> None:
    """The request is about attachments in general, holds the text that it refers to, or has no such reference."""
    assert missing_reference(request_) is None


def test_a_pasted_text_is_no_missing_attachment() -> None:
    """A text of some length beside the reference is taken for the attachment."""
    assert missing_reference("Summarise the attached report.\n\n" + "The moss grows on wood. " * 8) is None


def test_question_and_assumption_are_in_the_language_of_the_words() -> None:
    """A Japanese request is asked back in Japanese."""
    found = missing_reference("添付の契約書を要約してください。")
    assert found is not None
    assert found.question == "「添付の契約書」とありますが、資料が届いていません。その内容を教えてください。"
    assert found.assumption == "「添付の契約書」は読まず、記憶にあることだけで答えます。"
