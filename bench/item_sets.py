"""Requests in ten formats, English and Japanese, with the items that they contain. Written for `bench/items.py`.

Each half has subjects and a layout of its own: the rules were tuned on the half `tuning`; `unseen` was only measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Half = Literal["tuning", "unseen"]
Language = Literal["en", "ja"]


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts of one language and half."""

    questions: tuple[str, ...]
    orders: tuple[str, ...]
    topics: tuple[str, ...]
    heads: tuple[str, ...]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


POOLS: Final[dict[tuple[Language, Half], Pool]] = {
    ("en", "tuning"): Pool(
        _lines("""
            Which engine stores the invoices?
            How large may an attachment be?
            Who approves a new supplier?
            When does the nightly export run?
            Where are the access logs kept?
            What happens if a payment is rejected?
            Can two teams share one account?
            Is the archive encrypted?
            Why is the search slower on Mondays?
            How do we rotate the keys?
            Which port does the proxy use?
            Who answers the hotline at weekends?
        """),
        _lines("""
            Renew the certificate of the shop
            Check the free space on the mail server
            Call the landlord about the heating
            Send the contract to the new trainer
            Remove the old printers from the list
            Order two chairs for the meeting room
            Update the price list for March
            Ask the bank for a new token
            Test the alarm in the basement
            Move the weekly meeting to Tuesday
            Write a summary for the board
            Replace the broken lamp in the hall
        """),
        _lines("""
            price
            delivery time
            warranty
            quality control
            packaging
            payment terms
            spare parts
            support hours
        """),
        ("Storage", "Network", "People"),
    ),
    ("en", "unseen"): Pool(
        _lines("""
            How many beds are free on the second floor?
            Which vaccine must be stored below zero?
            Who signs the discharge letters?
            Does the clinic accept walk-in patients?
            What does a night shift cost?
            When is the autoclave serviced?
            Where do visitors park?
            Are volunteers insured?
            How long does a blood test take?
            Which ward has its own kitchen?
            Should relatives wear masks?
            Why was the old lift closed?
        """),
        _lines("""
            Water the tomatoes in the second greenhouse
            Repair the fence behind the barn
            Count the crates of apples
            Book the vet for Friday
            Clean the milking machine
            Prepare the stall for the market
            Sell the old tractor
            Weigh the lambs born in March
            Please pick up the seed potatoes
            Sharpen the blades of the mower
            Paint the doors of the stable
            Teach the apprentice to prune
        """),
        _lines("""
            soil
            irrigation
            crop rotation
            pest control
            harvest dates
            storage
            subsidies
            seasonal workers
        """),
        ("Animals", "Fields", "Sales"),
    ),
    ("ja", "tuning"): Pool(
        _lines("""
            請求書はどのデータベースに保存しますか？
            添付ファイルの上限は何メガですか？
            新しい取引先は誰が承認しますか？
            夜間の出力は何時に始まりますか？
            アクセス記録はどこにありますか？
            支払いが拒否されたらどうなりますか？
            二つの部署で口座を共有できますか？
            保管庫は暗号化されていますか？
            月曜日に検索が遅いのはなぜですか？
            鍵はどのように交換しますか？
            中継器はどの番号を使いますか？
            週末の電話は誰が受けますか？
        """),
        _lines("""
            店の証明書を更新する
            メールサーバーの空き容量を確認する
            大家に暖房の件を連絡する
            新しい講師に契約書を送る
            古い印刷機を一覧から削除する
            会議室の椅子を二脚発注する
            三月の価格表を修正する
            銀行に新しい鍵を申請する
            地下の警報を点検する
            定例会議を火曜日に変更する
            役員向けの要約を作成する
            廊下の電球を交換する
        """),
        _lines("""
            価格
            納期
            保証
            品質管理
            梱包
            支払条件
            交換部品
            受付時間
        """),
        ("保存", "通信", "人員"),
    ),
    ("ja", "unseen"): Pool(
        _lines("""
            二階の空きベッドはいくつありますか？
            冷凍保存が必要なワクチンはどれですか？
            退院の書類には誰が署名しますか？
            予約なしの患者も受け入れますか？
            夜勤の手当はいくらですか？
            滅菌器の整備はいつですか？
            見舞客はどこに駐車しますか？
            ボランティアに保険はありますか？
            血液検査には何分かかりますか？
            専用の台所がある病棟はどこですか？
            家族もマスクを着けますか？
            古い昇降機を閉じた理由は何ですか？
        """),
        _lines("""
            第二温室のトマトに水をやる
            納屋の裏の柵を修理する
            りんごの箱を数える
            金曜日に獣医を予約してください
            搾乳機を清掃すること
            市場の屋台を準備する
            古いトラクターを売る
            三月生まれの子羊を計測する
            種芋を受け取る
            草刈り機の刃を研ぐ
            馬小屋の扉を塗る
            見習いに剪定を教える
        """),
        _lines("""
            土壌
            灌漑
            輪作
            害虫対策
            収穫日
            貯蔵
            補助金
            季節労働者
        """),
        ("家畜", "畑", "販売"),
    ),
}

ASKING: Final = {
    ("en", "tuning"): "Please answer these questions.",
    ("en", "unseen"): "We need answers before the visit tomorrow:",
    ("ja", "tuning"): "次の質問に答えてください。",
    ("ja", "unseen"): "明日の見学までに以下の回答をお願いします。",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A request with the items that it contains."""

    name: str
    language: Language
    half: Half
    text: str
    items: tuple[str, ...]


def _numbered(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    marks = "({}) " if other else "{}. "
    return "\n".join([asking, *(marks.format(n) + each for n, each in enumerate(pool.questions, 1))]), pool.questions


def _bulleted(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    mark = "* " if other else "- [ ] "
    return "\n".join([asking, "", *(mark + order for order in pool.orders)]), pool.orders


def _nested(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    lines, size = [asking], len(pool.questions) // len(pool.heads)
    for place, head in enumerate(pool.heads):
        lines.append(f"{place + 1}. {head}" if other else f"- {head}:")
        below = pool.questions[place * size : (place + 1) * size]
        lines += [f"   {chr(97 + n)}) {each}" if other else f"  - {each}" for n, each in enumerate(below)]
    return "\n".join(lines), pool.questions


def _deep(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    lines, half = [asking], len(pool.orders) // 2
    for place, head in enumerate(pool.heads[:2]):
        lines += [f"* {head}", f"    * {pool.heads[2]}"] if other else [f"- {head}", f"\t- {pool.heads[2]}"]
        below = pool.orders[place * half : (place + 1) * half]
        lines += [f"        * {order}" if other else f"\t\t- {order}" for order in below]
    return "\n".join(lines), pool.orders


def _table(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    if other:
        rows = [f"{n}\t{each}" for n, each in enumerate(pool.questions, 1)]
        return "\n".join([asking, "", *rows]), pool.questions
    rows = [f"| {n} | {each} | {pool.heads[n % 3]} |" for n, each in enumerate(pool.questions, 1)]
    return "\n".join([asking, "", "| # | ? | team |", "|---|---|---|", *rows]), pool.questions


def _order_table(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:  # noqa: ARG001
    rows = [f"| {each} | {n} |" if other else f"| {n} | {each} |" for n, each in enumerate(pool.orders, 1)]
    ruled = ["| a | b |", "|:--|--:|"]
    return "\n".join([*ruled, *rows]), pool.orders


def _plain(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:  # noqa: ARG001
    gap = "\n\n" if other else "\n"
    return gap.join(pool.orders), pool.orders


def _questions(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    gap = "\n" if other else " "
    return f"{asking}{gap}{gap.join(pool.questions)}", pool.questions


def _enumeration(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:  # noqa: ARG001
    if pool.topics[0].isascii():
        listed = f"{', '.join(pool.topics[:-1])} and {pool.topics[-1]}"
        return (f"Describe the following: {'; '.join(pool.topics)}" if other else f"Explain: {listed}."), pool.topics
    listed = "、".join(pool.topics)
    return (f"{listed}について説明してください。" if other else f"次の項目を説明してください：{listed}"), pool.topics


def _inline(pool: Pool, asking: str, *, other: bool) -> tuple[str, Sequence[str]]:
    circled = [chr(0x2460 + n) for n in range(20)]
    marks = circled if other else [f"({n}) " for n in range(1, 21)]
    return f"{asking} " + " ".join(m + each for m, each in zip(marks, pool.questions, strict=False)), pool.questions


FORMATS: Final[dict[str, Callable[..., tuple[str, Sequence[str]]]]] = {
    "numbered list": _numbered,
    "bulleted list": _bulleted,
    "nested list": _nested,
    "list of three levels": _deep,
    "table of questions": _table,
    "table of orders": _order_table,
    "plain lines of orders": _plain,
    "questions in prose": _questions,
    "enumeration": _enumeration,
    "numbers inside a line": _inline,
}


def cases() -> list[Case]:
    """Return a case of each format for each language and half."""
    return [
        Case(name, language, half, text, tuple(items))
        for name, make in FORMATS.items()
        for (language, half), pool in POOLS.items()
        for text, items in [make(pool, ASKING[language, half], other=half == "unseen")]
    ]


MATERIAL: Final = (
    ("en", "Which of these is the cheapest?\n- a red boat for 90\n- a blue boat for 80\n- a raft for 20"),
    ("en", "Summarise these notes.\n- Sales rose in May.\n- The hall was closed.\n- Two clerks left.\n- Rent is due."),
    ("en", "We moved in March. The lift broke twice. Nobody was hurt. What did the repair cost?"),
    ("en", "Compare the offers:\n| firm | price |\n|---|---|\n| Aldo | 90 |\n| Bena | 80 |\n| Cort | 70 |"),
    ("en", "Write a poem about spring. Keep it short."),
    ("ja", "一番安いのはどれですか。\n・赤い船は九万円\n・青い船は八万円\n・筏は二万円"),
    ("ja", "以下の記録を要約してください。\n- 五月に売上が伸びた。\n- 広間は閉まっていた。\n- 事務員が二人辞めた。"),
    ("ja", "昨日、東京の本社で、会議があった。資料は、明日届く予定だ。"),
    ("ja", "見積もりを比較してください。\n| 会社 | 価格 |\n|---|---|\n| 甲 | 90 |\n| 乙 | 80 |"),
    ("ja", "三月に引っ越した。昇降機が二度壊れた。修理費はいくらですか。"),
)
"""Requests whose lists are material for one answer, or that list nothing."""
