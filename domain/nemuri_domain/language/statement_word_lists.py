"""Word lists for the comparison of statements: empty, negating and qualifying words, antonyms, and words of change."""

import re
from typing import Final

from nemuri_domain.language.writing_systems import CJK


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(words: str) -> dict[str, tuple[str, bool]]:
    """Return a mapping from each word in the pairs "yes/no" to the first word of its pair, and True if it is the second
    word.
    """
    both = (pair.split("/") for pair in words.split())
    return {word: (pair[0], word != pair[0]) for pair in both for word in pair}


EMPTY: Final = _listed("""
    a an the is are was were be been being am do does did has have had will would shall that which this these those
    it its of to in on at by for with as and also just very really simply please so there then here note our my your
    their indeed actually basically however therefore thus moreover
""")
"""English words that do not affect the meaning of a statement."""
DENYING: Final = _listed("not never no without neither nobody nothing none hardly")
TOTAL: Final = _listed("always ever all any at every everything anything longer either even")
"""Words that may be added or dropped together with a negation: "never x" contradicts "always x"."""
QUALIFYING: Final = _listed("""
    only sometimes often usually rarely if unless when while whenever until except before after may might can could
    should must some most few many more less least between above below under over from than or but because like almost
    about nearly partly former first last next new old
""")
"""Words that give a statement another meaning when they are added."""
CONDITIONS: Final = _listed("if when unless while whenever until before after where once whether")
OPPOSITES: Final = _pairs("""
    true/false enabled/disabled enable/disable allowed/forbidden allowed/prohibited valid/invalid possible/impossible
    safe/unsafe mutable/immutable supported/unsupported open/closed increases/decreases increase/decrease cheap/dear
    cheap/expensive legal/illegal available/unavailable stable/unstable public/private accept/reject accepts/rejects
    可能/不可能 可/不可 有効/無効 許可/禁止 必要/不要 安全/危険 増加/減少 可変/不変 対応/未対応 対応/非対応
    公開/非公開 適切/不適切 真/偽 安定/不安定 賛成/反対 有料/無料 合法/違法 上昇/下降 上昇/低下
""")
"""Antonyms. Each word has the first word of its pair, and True if it is the opposite of this first word."""
VERBS: Final = _listed("enable disable increases decreases increase decrease accept reject accepts rejects")
"""Antonyms that are verbs and may have an object. Any other antonym counts only at the end of a phrase."""
LABELS: Final = _listed("""
    page chapter section version step item figure fig table number no part room line row column level phase python base
    release day week question lesson option case example pep issue ticket appendix volume article note rule
    ページ バージョン ステップ 第 図 表 項目 問 例 付録 レベル
""")
"""Words that come before a number that is a label, not a quantity."""
MONTHS: Final = _listed("""
    january february april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
""")
"""Words that are values: days, months and numbers. "may", "march", "second" and "one" are left out because they are
ambiguous.
"""
NUMERALS: Final = {
    word: str(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}

CHANGE: Final = re.compile(
    r"\bno longer\b|\b(?:not )?any ?more\b|\bnow(?:adays)?\b|\bcurrently\b|\binstead(?: of)?\b|\bfrom now on\b"
    r"|\bas of\b|\b(?:has|have) (?:since )?(?:been )?(?:replaced|changed|moved|switched|renamed|raised|lowered|updated)"
    r"(?: by| with| to| from)?\b|\b(?:was|were) (?:replaced|changed|moved|switched|renamed|raised|lowered|updated)"
    r"(?: by| with| to| from)?\b|\bchanged (?:to|from)\b|\bswitched (?:to|from)\b|\bmoved (?:to|from)\b"
    r"|もはや|(?<!わけ)(?<!だけ)(?<!のみ)ではなく(?:て)?|今後は?|現在では|現在は|今では|今は|以後は?|以降は|代わりに|もう(?=[^ろ])"
    r"|[にへ]変更(?:された|されました|した|しました|となった|になった|となりました|になりました)?"
    r"|[にへ](?:変わった|変わりました|改められた|改められました|移行した|移行しました)|が?廃止(?:された|されました|になった)?"
)
"""Pattern of words that say that something has changed."""
FILLING: Final = re.compile(r"now(?:adays)?|currently|現在.*|今では|今は")
"""Pattern of words of change that are often only fillers."""
JAPANESE_DENIAL: Final = re.compile(
    r"ませんでした|なかった|ません|ないで|ない|なく(?!な)|ずに|(?<=[かがさたなばまらわ])ず(?=$|に)|ざる"
)
JAPANESE_ASSERTION: Final = re.compile(
    r"なければ(?:なら|いけ)(?:ない|ません)|ないと(?:いけ|なら)(?:ない|ません)|かもしれ(?:ない|ません)|ざるを得(?:ない|ません)"
    r"|しか(?:ない|ありません)|つまらない|もったいない|とんでもない|(?<=[少危汚幼])ない|(?<=[少危汚幼])なく"
)
"""Pattern of Japanese phrases that have the form of a negation but not its meaning."""
JAPANESE_CONDITION: Final = re.compile(r"場合|とき|際|なら(?!な|い)|れば|たら|時(?=[はに、])")
PARTICLES: Final = ("から", "まで", "より", "を", "に", "へ", "で", "と", "の", "は", "が", "も")
LABEL_COUNTERS: Final = _listed("章 節 頁 号 版 番 話 巻 丁目 条 項 ページ st nd rd th")
COMMA: Final = re.compile(r"[,、，;；]")
IS_CJK: Final = re.compile(f"[{CJK}]")
