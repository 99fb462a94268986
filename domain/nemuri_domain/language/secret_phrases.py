"""Rules for passphrases of several words, and for answers to secret questions, in English and Japanese."""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_values import is_label, is_placeholder

_HINTS: Final = ("phrase", "mnemonic", "safe word", "safeword", "code word", "codeword", "password", "answer")
_PHRASE: Final = (
    r"(?P<phrase>pass[ _-]?phrase|(?:seed|recovery|secret|backup|mnemonic)[ -]phrase|mnemonic|safe ?word|code ?word"
    r"|(?P<answer>(?:security|secret)(?: question)? answer"
    r"|answer to (?:(?:my|our|your|the|his|her) )?(?:security|secret) question))|password"
)
_JOINT: Final = (
    r"(?:[ \t]*\([^()\n]{0,40}\))?\*{0,2}(?P<joint>[ \t]*[:=：]\*{0,2}[ \t]*\n?[ \t]*|[ \t]+(?:is|was)[ \t:]+)"
)
_WORDS: Final = r"[A-Za-z0-9]\w*(?:['’]\w+)?(?:[ -][A-Za-z0-9]\w*(?:['’]\w+)?){0,30}"
_END: Final = r"(?=[ \t]*(?:[.,;!?)\"'`*|\n。、]|です|$))"
_DESCRIBING: Final = re.compile(
    "an?|any|some|stored|saved|kept|see|ask|none|unknown|not|no|must|should|can|may|required|optional|same|too|in|at|from"
    "|by|via|use|set|read|enter|type|given|sent|shown|missing|wrong|changed|forgotten|never|always|hidden|unset|empty"
    "|default|generated|how|what|which|where|when|whether|if|is|are|was|will|be|your|redacted|tbd"
)
"""Words with which a description of a passphrase begins."""
_ABOUT: Final = re.compile(
    "vault|keychain|keyring|manager|bitwarden|1password|lastpass|keepass|env|environment|variable|config|file|letters"
    "|characters?|digits|words?|length|list|policy|passwords?|passphrase|token|secret|hash|hashed|salted|null|unique"
    "|string"
)
"""Words of a text about passphrases, rather than of a passphrase."""
_INFLECTED: Final = re.compile(r"\w{3,}(?:ed|ing|ly|able|ible)")
_SEED: Final = re.compile("(?i)seed|recovery|mnemonic|backup")
_LONGEST_SENTENCE: Final = 10
"""Number of words from which what follows the name of a seed phrase is one: a sentence about it is shorter."""
_SPOKEN, _WRITTEN, _WRITTEN_PASSWORD = 4, 2, 3
"""Least numbers of words of a phrase: after *is*, after a colon, and after *password* and a colon."""

_NAMES_JA: Final = (
    r"(?:合い?言葉|パスフレーズ|(?:復元|リカバリー?|シード|秘密の)フレーズ"
    r"|秘密の質問(?:[（(][^（）()\n]{0,20}[）)])?の(?:答え?|回答))"
)
_NUMBERS_JA: Final = r"(?:暗証(?:番号|コード)|(?i:pin)(?:コード|番号)?)"
_ABOUT_JA: Final = re.compile(
    r"です|ます|ください|下さい|参照|確認|未定|なし|無し|不明|必須|必要|任意|不要|金庫|保管|設定|変更|入力|数字|文字|桁|以上|以下|秘密"
    r"|同じ|同様|について|とは|こと|以下|これ|それ|未設定|大事|大切|重要|共通|項目|リセット|表示|忘れ"
)
_CHANGED: Final = r"(?=[」』]?(?:に(?:変|し|設定|更新|決め)|で(?:登録|設定)|と(?:し|決め)))"


def _meant(match: re.Match[str]) -> bool:
    """Return True if words after the name of a passphrase are its value, not a description of it."""
    from nemuri_domain.language.word_lists import GENERAL_WORDS, STOP_WORDS  # most texts do not need them

    words = re.split(r"[ -]+", match["secret"].casefold())
    if _DESCRIBING.fullmatch(words[0]) or any(map(_ABOUT.fullmatch, words)) or is_placeholder(match["secret"]):
        return False
    if len(words) >= _LONGEST_SENTENCE and match["phrase"] and _SEED.match(match["phrase"]):
        return True
    plain = not any(each in STOP_WORDS or each in GENERAL_WORDS or _INFLECTED.fullmatch(each) for each in words)
    if match["joint"].strip(" \t\n*") not in (":", "=", "："):
        return plain and len(words) >= _SPOKEN
    if match["answer"]:
        return True
    return len(words) >= _WRITTEN if match["phrase"] else plain and len(words) >= _WRITTEN_PASSWORD


def _quoted(match: re.Match[str]) -> bool:
    value = match["secret"].strip()
    return not (is_placeholder(value) or is_label(value) or _ABOUT_JA.fullmatch(value))


def _japanese(match: re.Match[str]) -> bool:
    value = match["secret"].strip()
    return not (is_placeholder(value) or is_label(value) or _ABOUT_JA.search(value))


PHRASES: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "passphrase",
        _HINTS,
        rf"(?i:\b(?:{_PHRASE})){_JOINT}(?P<quote>[\"'`“「])(?P<secret>[^\n\"`“”「」]{{2,200}})[\"'`”」]",
        _quoted,
    ),
    SecretRule(
        "passphrase",
        _HINTS,
        rf"(?i:\b(?:{_PHRASE})){_JOINT}(?P<secret>{_WORDS}){_END}",
        _meant,
    ),
    SecretRule(
        "passphrase",
        ("--pass",),
        r"(?i:--pass(?:phrase|word|wd))(?:[ \t]+|=)(?P<quote>[\"'])(?P<secret>[^\n\"'$]{3,200})(?P=quote)",
        _quoted,
    ),
    SecretRule(
        "passphrase",
        ("言葉", "フレーズ", "秘密の質問"),
        rf"{_NAMES_JA}(?:は|が|を|に|[ \t]*[:：=＝])[ \t　]*[「『“\"](?P<secret>[^\n」』”\"]{{1,120}})[」』”\"]",
        _quoted,
    ),
    SecretRule(
        "passphrase",
        ("言葉", "フレーズ", "秘密の質問"),
        rf"{_NAMES_JA}[ \t]*(?:[:：=＝][ \t　]*(?P<secret>[^\s。、「『][^\n。、「『]{{1,119}})"
        r"|は[ \t]*(?P<bare>[^\s\n。、「」『』はがをに]{2,24}?|[A-Za-z][\w'-]*(?:[ ][\w'-]+){2,11})"
        r"[ \t]*(?:です|だ|。|$))",
        lambda match: not _ABOUT_JA.search(match["secret"] or match["bare"]),
    ),
    SecretRule(
        "passphrase",
        ("パスワード", "暗証番号"),
        r"(?:パスワード|暗証番号)(?:(?:は|が|[ \t]*[:：=＝])[ \t　]*[「『](?P<secret>[^\n」』]{2,64})[」』]"
        rf"|を[「『](?P<bare>[^\n」』]{{2,64}}){_CHANGED})",
        lambda match: not (_ABOUT_JA.search(value := match["secret"] or match["bare"]) or is_label(value)),
    ),
    SecretRule(
        "passphrase",
        ("パスワード",),
        r"パスワード[ \t]*[:：=＝][ \t　]*(?P<secret>(?=[^\n。、]{0,40}[0-9０-９])[^\s。、「『]{4,64})",
        _japanese,
    ),
    SecretRule(
        "pin",
        ("暗証", "pin"),
        rf"{_NUMBERS_JA}(?:は|が|を|[ \t]*[:：=＝])[ \t　]*(?P<secret>[0-9０-９]{{4,12}})(?![\w０-９桁文回通個年人%])",
    ),
)
"""All rules for phrases."""
