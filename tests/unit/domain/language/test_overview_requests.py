"""Recognition of requests about documents as a whole, beside requests that only look like them."""

import pytest

from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language.overview_requests import overview_kind, subject_terms

WHOLE: dict[OverviewKind, tuple[str, ...]] = {
    "summary": (
        "Summarise this report.",
        "Please summarize the attached document in five sentences.",
        "Can you give me a short overview of the contract?",
        "What are the main points of the paper?",
        "What is this document about?",
        "TL;DR",
        "Attached is our annual report. Summarise it for the board.",
        "Summarise each chapter.",
        "Key takeaways, please",
        "Review this contract.",
        "I'd like you to sum up the whole thing.",
        "What does the report say?",
        "この報告書を要約してください。",
        "要約して",
        "全体を三行でまとめてください",
        "概要を教えてください。",
        "この資料の要点は何ですか。",
        "主なポイントを教えて",
        "この文書には何が書かれていますか？",
        "各章を要約してください。",
        "ざっくり説明して",
    ),
    "comparison": (
        "Compare the two offers.",
        "Compare offer A and offer B with regard to price.",
        "How do the two contracts differ?",
        "What are the differences between the reports?",
        "A社とB社の提案を比較してください。",
        "二つの契約書の違いを教えてください。",
        "両者の共通点は？",
        "AとBはどう違いますか",
    ),
    "list": (
        "List all risks.",
        "List every supplier that is named.",
        "Which suppliers are mentioned in the report?",
        "What risks does the report name?",
        "Name all people who appear in it.",
        "Give me all deadlines.",
        "Find every mention of the boiler.",
        "リスクをすべて挙げてください。",
        "登場する会社の一覧を作ってください",
        "課題を列挙せよ",
        "どのような問題が指摘されていますか",
        "全ての締切を教えてください",
    ),
    "count": (
        "How many incidents are mentioned?",
        "How many times is Ann named?",
        "How many outages does the report describe?",
        "Count all complaints.",
        "事故は何件ありましたか。",
        "苦情はいくつ報告されていますか",
        "名前が何回出てきますか",
    ),
}
DETAILS = (
    "Summarise the section on costs.",
    "Summarise chapter 3.",
    "What are the main points of page 5?",
    "Summarise the introduction.",
    "Compare the figures on page 3 with those on page 7.",
    "What is the overall budget?",
    "What is the total number of employees?",
    "Who will summarise the results?",
    "How do I summarise a report?",
    "When is the summary due?",
    "Who wrote the executive summary?",
    "Which list price applies?",
    "How many employees does the company have?",
    "Is the boiler on the list of approved devices?",
    "What do all employees get?",
    "What is the difference between gross and net price?",
    "Is the whole building insured?",
    "What did Ann compare the costs with?",
    "How often are filters changed?",
    "We meet to list all deadlines on Monday. Who takes part?",
    "They compare the offers and list all prices. When is that done?",
    "第3章を要約してください。",
    "費用の節を要約してください。",
    "5ページの要点を教えてください。",
    "冒頭の部分を要約して",
    "全体の予算はいくらですか。",
    "概要に書かれた予算はいくらですか。",
    "要約を書いたのは誰ですか。",
    "まとめ役は誰ですか。",
    "予算をまとめた表はどこにありますか。",
    "昨年と比べて売上は何%増えましたか。",
    "比較対象は何ですか。",
    "社員は何人いますか。",
    "全体会議はいつですか。",
    "一覧表の3行目は何ですか。",
    "すべての社員に配られるものは何ですか。",
)


@pytest.mark.parametrize(("text", "kind"), [(text, kind) for kind, texts in WHOLE.items() for text in texts])
def test_requests_about_the_whole_are_recognised(text: str, kind: OverviewKind) -> None:
    """A request for a summary, a comparison, a list of all or a count is recognised in both languages."""
    assert overview_kind(text) == kind


@pytest.mark.parametrize("text", DETAILS)
def test_requests_about_details_and_parts_are_not_about_the_whole(text: str) -> None:
    """A question about a detail that has the same words, or about a named part, is not about the whole."""
    assert overview_kind(text) is None


def test_a_list_of_detail_questions_is_not_about_the_whole() -> None:
    """A text with many questions is about the whole only if at least half of them are, or if its introduction is."""
    assert overview_kind("1. Who pays?\n2. When?\n3. How many times is Ann named?") is None
    assert overview_kind("1. Summarise the report.\n2. Who pays?") == "summary"
    assert overview_kind("Compare these:\n- the old contract\n- the new contract") == "comparison"


def test_the_subject_of_a_request_leaves_out_words_about_documents() -> None:
    """The subject has the terms of what is asked for; a request about the document itself has none."""
    assert subject_terms("Summarise this report.") == frozenset()
    assert subject_terms("この報告書を要約してください。") == frozenset()
    assert subject_terms("List all risks of the boiler.") == {"risk", "boiler"}
    assert subject_terms("リスクをすべて挙げてください。") == {"リス", "スク"}
