"""Facts told four times in other words, English and Japanese, each with a sentence that must not be merged with them.

Written by hand for `bench/meaning.py`, before anything was measured. Of the four wordings, the second has another word
order, the third fillers or another politeness, and the fourth other words.
"""

from dataclasses import dataclass
from typing import Final, Literal

Language = Literal["en", "ja"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with its wordings, a sentence that says something else, and a question about the fact."""

    wordings: tuple[str, ...]
    contrary: str
    """A sentence that differs from the first wording in a number, a date or a negation only."""
    question: str


def _facts(text: str) -> tuple[Fact, ...]:
    lines = [line.strip() for line in text.strip().splitlines()]
    some = [lines[start : start + 6] for start in range(0, len(lines), 6)]
    return tuple(Fact(tuple(each[:4]), each[4], each[5]) for each in some)


FACTS: Final[dict[Language, tuple[Fact, ...]]] = {
    "en": _facts("""
        The northern supplier delivers steel within 12 days in summer.
        In summer the northern supplier delivers steel within 12 days.
        Actually, the northern supplier just delivers steel within 12 days in summer.
        Steel from the vendor in the north takes 12 days to arrive in the summer months.
        The northern supplier delivers steel within 21 days in summer.
        How long does steel from the northern supplier take in summer?
        The crane must be inspected before every lift.
        Before every lift the crane must be inspected.
        Please note that the crane must be inspected before every lift.
        No lift may begin until somebody has checked the crane.
        The crane must not be inspected before every lift.
        When must the crane be inspected?
        The payroll database is backed up at 3 every night.
        Every night at 3 the payroll database is backed up.
        The payroll database is simply backed up at 3 every night.
        A copy of the salary records is made nightly at 3.
        The payroll database is backed up at 5 every night.
        At what time is the payroll database backed up?
        Anna Berg signs contracts with the port authority.
        Contracts with the port authority Anna Berg signs.
        Indeed, Anna Berg signs our contracts with the port authority.
        Agreements with the harbour office need the signature of Anna Berg.
        Anna Berg never signs contracts with the port authority.
        Who signs contracts with the port authority?
        The old kiln cracks tiles above 1100 degrees.
        Above 1100 degrees the old kiln cracks tiles.
        The old kiln really cracks the tiles above 1100 degrees.
        Tiles break in the ancient furnace once it is hotter than 1100 degrees.
        The old kiln cracks tiles above 1250 degrees.
        At which temperature does the old kiln crack tiles?
        Invoices without an order number are rejected by the customs broker.
        By the customs broker, invoices without an order number are rejected.
        Moreover, invoices without an order number are rejected by the customs broker.
        The broker at customs sends bills back if they lack the number of the order.
        Invoices without an order number are not rejected by the customs broker.
        What does the customs broker do with invoices without an order number?
        The harbour freezes in January.
        In January the harbour freezes.
        The harbour also freezes in January.
        Ice closes the port in the first month of the year, January.
        The harbour freezes in February.
        When does the harbour freeze?
        Visitors of the laboratory need a badge from reception.
        A badge from reception visitors of the laboratory need.
        Visitors of the laboratory do need a badge from our reception.
        Guests get into the lab only with a pass that the front desk hands out.
        Visitors of the laboratory need no badge from reception.
        What do visitors of the laboratory need?
    """),
    "ja": _facts("""
        北の仕入先は夏に鋼材を12日で納める。
        夏に北の仕入先は鋼材を12日で納める。
        北の仕入先は夏に鋼材を12日で納めます。
        北方の業者の鉄鋼は、夏場なら12日で届く。
        北の仕入先は夏に鋼材を21日で納める。
        北の仕入先は夏に鋼材を何日で納めますか?
        クレーンは吊り上げの前に必ず点検する。
        吊り上げの前にクレーンは必ず点検する。
        クレーンは吊り上げの前に必ず点検します。
        起重機は、荷を上げる前に毎回検査を受ける。
        クレーンは吊り上げの前に必ず点検しない。
        クレーンはいつ点検しますか?
        給与データベースは毎晩3時にバックアップされる。
        毎晩3時に給与データベースはバックアップされる。
        給与データベースは毎晩3時にバックアップされます。
        賃金の記録は、夜ごと3時に複製が取られる。
        給与データベースは毎晩5時にバックアップされる。
        給与データベースは何時にバックアップされますか?
        港湾局との契約には田中さんが署名する。
        田中さんが港湾局との契約には署名する。
        港湾局との契約には田中さんが署名します。
        港の役所と結ぶ約定にサインするのは田中さんだ。
        港湾局との契約には田中さんが署名しない。
        港湾局との契約には誰が署名しますか?
        古い窯は1100度を超えるとタイルを割る。
        1100度を超えると古い窯はタイルを割る。
        古い窯は1100度を超えるとタイルを割ります。
        年代物の炉では、1100度より熱いと陶板にひびが入る。
        古い窯は1250度を超えるとタイルを割る。
        古い窯は何度でタイルを割りますか?
        注文番号のない請求書は通関業者に拒否される。
        通関業者に注文番号のない請求書は拒否される。
        注文番号のない請求書は通関業者に拒否されます。
        税関の代理人は、発注の番号が抜けた請求を突き返す。
        注文番号のない請求書は通関業者に拒否されない。
        注文番号のない請求書を通関業者はどうしますか?
        港は1月に凍る。
        1月に港は凍る。
        港は1月に凍ります。
        年の初めの1月、波止場は氷に閉ざされる。
        港は2月に凍る。
        港は何月に凍りますか?
        研究所の訪問者は受付の名札が必要である。
        受付の名札が研究所の訪問者は必要である。
        研究所の訪問者は受付の名札が必要です。
        ラボに来る客は、玄関で渡される札なしでは入れない。
        研究所の訪問者は受付の名札が必要ではない。
        研究所の訪問者には何が必要ですか?
    """),
}
"""Eight facts of each language."""
