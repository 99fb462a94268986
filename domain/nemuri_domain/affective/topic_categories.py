"""Classification of a turn's topic by its words, or by its vectors if the lists have none of its words. The topic
decides how long the turn is kept (document 001, categories).
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import Final

from nemuri_contracts.affective import Category
from nemuri_domain.affective.category_classifier import probabilities
from nemuri_domain.language.topic_words import topic_weight_of, topic_words
from nemuri_domain.language.word_table import word_table


class TurnTopic(Enum):
    """A topic of a turn, with its category, its base intensity, and the factor for the weight of its emotions (document
    001, appendix).
    """

    GREETING = ("casual", 13, 1.0)
    CASUAL = ("casual", 19, 1.0)
    OUTBURST = ("emotional", 26, 1.0)
    """An emotion without a topic."""
    SLIP = ("work", 19, 0.4)
    """A small correction, such as a typo."""
    WORK = ("work", 33, 0.6)
    DECISION = ("decision", 43, 0.4)
    TURNING_POINT = ("decision", 60, 0.4)
    """A decision that is called important."""
    PERSONAL = ("emotional", 54, 0.3)
    DEEP = ("emotional", 73, 0.2)
    TRAUMA = ("emotional", 88, 0.15)

    @property
    def category(self) -> Category:
        """The category of document 001."""
        return self.value[0]

    def intensity(self, feeling: float) -> int:
        """Return the intensity, 0 to 100, of a turn on this topic. `feeling` is the weight of its emotions."""
        return min(100, round(self.value[1] + self.value[2] * feeling))


OF_LIFE: Final = (TurnTopic.PERSONAL, TurnTopic.DEEP, TurnTopic.TRAUMA)
"""Topics of the user's life."""


@dataclass(frozen=True, slots=True)
class _Words:
    """A pattern of Japanese and English words."""

    pattern: re.Pattern[str]

    def count(self, text: str) -> int:
        """Return the number of distinct matches in the text, at most 4."""
        found: set[str] = set()
        for match in self.pattern.finditer(text):
            found.add(match.group())
            if len(found) > 3:
                break
        return len(found)


def _words(japanese: str, english: str) -> _Words:
    return _Words(re.compile(rf"(?:{japanese})|(?<![a-z0-9_'])(?:{english})(?![a-z0-9_])"))


_AFTER_NOUN: Final = r"(?=[がのはとにをもへ、。!?親さ])"
_KIN: Final = (
    r"(?:mom|mum|mother|dad|father|parents?|wife|husband|partner|boyfriend|girlfriend|son|daughter|kids?"
    r"|child(?:ren)?"
    r"|baby|grand\w+|brother|sister|family|best friend|friends?|dog|cat)"
)

_TRAUMA = _words(
    r"トラウマ|虐待|性被害|性暴力|レイプ|自殺|死にたい|消えてしまいたい|殺され(?:かけ|そう)|殴られ|暴力を(?:振"
    r"|受|ふる)|暴行|フラッシュバック|ptsd|いじめ(?:られ|に遭|を受)|リストカット|(?:震災|津波|事故|戦争"
    r"|火事)で.{0,16}(?:亡|失|死)|目の前で.{0,16}(?:死|倒れ|亡|刺)|襲われ",
    rf"trauma\w*|(?:was|were|been|got|being) (?:\w+ )?(?:abused|assaulted|raped|molested|beaten|bullied)"
    rf"|abused me|abusive|suicid\w+|kill(?:ing)? myself|want(?:ed)? to die|ptsd|flashbacks?"
    rf"|nightmares? (?:about|of|ever|every)|self-harm|(?:watched|saw) (?:my )?{_KIN} die|killed in",
)
_DEEP = _words(
    r"亡くな|死(?:んだ|んで|んじゃ|別)|葬[式儀]|看取|離婚|別れ(?:た|よう|を告げ|話)|失恋|うつ病|鬱|余命|癌"
    r"|がん(?:と(?:診断|言)|が(?:見つ|再発))|流産|泣い(?:て|た|ちゃ)|号泣|涙|生きる(?:意味|のが)|心が折れ"
    r"|愛して|救われ|打ち明け|誰にも(?:言|話|相談)|孤独|絶望|ひとりぼっち|生きてて",
    rf"passed away|funeral|divorc\w+|broke up|break-?up|depression|cancer|miscarriage|grie(?:f|ving)|crying"
    rf"|cried|tears|heart-?broken|love you|hopeless|never told any(?:one|body)|saved my life"
    rf"|meaning of (?:my )?life|{_KIN} (?:has |have )?(?:just )?(?:died|left me)|lost my {_KIN}|broke down"
    rf"|(?:all|so) alone",
)
_PERSONAL = _words(
    rf"母{_AFTER_NOUN}|父{_AFTER_NOUN}|お母さん|お父さん|ママ|パパ|両親|妻{_AFTER_NOUN}"
    rf"|(?<![工丈])夫(?=[がのはとにをも])|旦那|嫁{_AFTER_NOUN}|息子|娘{_AFTER_NOUN}|彼女(?=[がのはとにをも])"
    rf"|彼氏|恋人|赤ちゃん|祖[父母]|おばあちゃん|おじいちゃん|(?<![一-龥])(?:兄|姉|弟|妹){_AFTER_NOUN}|家族"
    rf"|友達|友人|親友|実家|入院|手術|病気|体調(?:が|を)|眠れな|誕生日|結婚|妊娠|引っ越|転職|退職|受験|故郷"
    rf"|飼って|人生|悩(?:み|んで)|子ども?の頃|子供(?:が|の頃|たち)|昔から(?:の|ずっと)",
    rf"my (?:\w+ )?(?:{_KIN}|birthday|wedding|marriage|hometown|childhood|life|therapist|anniversary)|hospital"
    rf"|surgery|diagnosed|pregnan\w+|getting married|insomnia|can'?t sleep|when i was (?:a (?:kid|child|boy"
    rf"|girl)|young|little)|i grew up|moving to a new (?:city|town|house)",
)
_DECISION = _words(
    r"決め(?:た|ました|よう|ましょう|ます)|(?<!意思)決定(?!木|論|的)(?:だ|です|し|で|版|$|[。!、])|採用(?:し"
    r"|する|で|$|[。!、])|(?:こと|方針|方向|案|方式|形|構成)に(?:する|しよう|します|しました|した|決)|(?:で"
    r"|に)(?:いこう|行こう|いきましょう|行きましょう|しましょう|決まり)|一択|結論(?:と|は|に|づけ)|合意し"
    r"|承認(?:し|さ)れ?|見送(?:る|り|ろ)|でいく(?!つ)|で行く",
    r"(?:i|we)(?:'ve| have)? (?:finally )?(?:decided|chosen|chose|agreed|settled)|(?:i|we) (?:decide|agree|settle)"
    r" (?:to|on|that)|decision|let'?s (?:go with|use|adopt|choose|pick|drop|stick (?:to|with)|settle|keep)"
    r"|go(?:ing)? with|we(?:'ll| will) (?:use|adopt"
    r"|go with|choose|keep)|settled on|it'?s decided|approved|opt(?:ed)? for",
)
_WEIGHTY = _words(
    r"重要な(?:決|判断|選択)|最終(?:決定|判断|的に)|大きな決断|会社の(?:方針|将来|命運)|人生(?:を|の)|一大|全社"
    r"|社運|撤退|覚悟を決め|腹を(?:決|括|くく)",
    r"(?:most |very |really )?(?:important|critical|major|big|life-changing|irreversible) (?:decision|choice)"
    r"|final decision|bet(?:ting)? the (?:company|farm)|point of no return|company'?s future"
    r"|quit(?:ting)? my job",
)
_WEIGHING = _words(
    r"どちら|どっち|べき(?:か|だろう|でしょう|\?)|どう思う|迷って|選択肢|それとも",
    r"should we|should i|which (?:one|of|is better)|versus|vs|trade-?offs?|or should",
)
_CONCLUDED = _words(
    r"結論|決定し|採用(?:し|す)|に決ま|で十分と|ことにし|で合意",
    r"we (?:decided|agreed|settled|concluded|chose)|decision is|conclusion|go with|decided on",
)
_WORK = _words(
    r"コード|バグ|エラー|実装|関数|クラス|変数|テスト|リファクタ|デプロイ|ビルド|コミット|プルリク|マージ"
    r"|ブランチ|データベース|サーバ|設定|ファイル|スクリプト|ライブラリ|パッケージ|コンパイル|デバッグ|ログ"
    r"|インストール|アルゴリズム|パフォーマンス|最適化|設計|仕様|要件|アーキテクチャ|スキーマ|クエリ"
    r"|インデックス|キャッシュ|メモリ(?!ー)|スレッド|非同期|例外|修正|直して|変更して|追加して|作成して"
    r"|プログラム|システム|ストレージ|フレームワーク|モジュール|環境変数|資料|会議|議事録|報告書|見積|納期"
    r"|プロジェクト|タスク|プロセス|メソッド|ノード|引数|配列|本番|カラム|マイグレーション|モデル|可視化|サイト"
    r"|アプリ|締め?切り?|顧客|取引先|リリース|レビュー|要約して|翻訳して",
    r"code|coding|bugs?|errors?|implement\w*|functions?|class(?:es)?|variables?|tests?|refactor\w*|deploy\w*"
    r"|builds?|commit\w*|merge[ds]?|branch(?:es)?|api|(?:my|postgre|no)?sql(?:ite)?|postgres|databases?"
    r"|servers?|config\w*|files?|scripts?"
    r"|librar(?:y|ies)|packages?|compil\w+|debug\w*|logs?|install\w*|algorithms?|performance|optimi[sz]\w+"
    r"|design|specs?|architecture|schema|quer(?:y|ies)|index(?:es)?|cach(?:e|ing)|threads?|async|exceptions?"
    r"|fix(?:es|ed|ing)?|patch|release|endpoints?|json|yaml|docker|kubernetes|python|java(?:script)?|typescript"
    r"|rust|golang|linter|ci|pipeline|module|framework|storage|readme|meeting|report|project|client|tickets?"
    r"|spreadsheet|translate|summari[sz]e|deadline|replication|consistency|latency|garbage collect\w+|heap"
    r"|http|tcp|tls|dns|css|html|url|cpu|gpu|linux|git|kernel|process(?:es)?|ports?|methods?|nodes?|buttons?|deadlocks?|columns?|production|pagination|protocol"
    r"|memory leak|regex|parser|queues?|datasets?|vectors?|loops?|arrays?",
)
_CODE = re.compile(
    r"[a-z0-9]_[a-z0-9]|[a-z0-9_]\.(?:py|js|ts|rs|go|java|md|ya?ml|json|toml|sql|html|css|sh|txt)\b|\w\(\)"
)
_ASKED = 4_000
"""Number of characters of a prompt that are searched for the category that it asks about."""
_SLIP = _words(
    r"typo|誤字|脱字|タイポ|スペルミス|綴り|誤記|リネーム|変数名|(?:名前|表記)(?:だけ)?を(?:変|直|統一)|改行"
    r"|インデント|フォーマット(?:して|だけ|をかけ)|空白|句読点|てにをは|セミコロン|コメント(?:を)?(?:消|削除)",
    r"typos?|spelling|misspell\w*|rename|whitespace|indent(?:ation)?|formatting|lint(?:er)?"
    r"|bump (?:the )?version|punctuation|semicolon|missing (?:comma|space|period|bracket)|capitali[sz]e",
)
_GREETING = re.compile(
    r"\W{0,8}(?:おはよう|こんにちは|こんばんは|おやすみ|お疲れ|おつかれ|ただいま|元気[?!]?|やあ|hello|hi|hey"
    r"|good (?:morning|night|evening|afternoon)|how are you)(?![a-z])"
)
AGREEMENT: Final = re.compile(
    r"\W{0,8}(?:了解|承知|ok(?:ay)?|おk|オッケー|オーケー|わか(?:った|りました)|分か(?:った|りました)|はい|うん"
    r"|ええ(?![っと])|いいよ|お願いします|よろしく|続けて|どうぞ|そうして|それで(?:お願い|いい)|かしこまり"
    r"|sure|got it|understood|will do|sounds good|al?right|yes|yep|yeah|go ahead|continue|please do|roger|noted"
    r"|fine)(?![a-z])"
)
"""Beginning of a text that only agrees."""
_BRIEF: Final = 60
_SMALL: Final = 200
"""Maximum characters of a turn that is a small correction."""


_HEAVY: Final = 36
"""Minimum weight of the emotions for a personal topic to count as deep."""
_FELT: Final = 20
"""Minimum weight of the emotions for a turn without another topic to count as an outburst."""
_NAMING: Final = 3.05
"""Minimum weight of the words that name a topic, in typical words, for the vectors of a text to count."""
_PROBABLE: Final = 0.4
"""Minimum probability of a category by vectors."""
_MEANINGS: Final = {"work": TurnTopic.WORK, "decision": TurnTopic.DECISION}
_MEANT: Final = 14
"""Minimum weight of the emotions for words of trauma or grief to be taken literally in a turn about work."""


def classify_topic(text: str, reply: str, *, coded: bool, weight: float) -> TurnTopic:
    """Return the topic of a turn.

    `text` is the user's text and `reply` the beginning of the reply; both are in NFKC and case-folded. `coded` is True
    if the prompt or the reply contains code. `weight` is the weight of the emotions.
    """
    work = _WORK.count(text) + len(_CODE.findall(text[:2_000])) + coded
    personal = _PERSONAL.count(text)
    own = personal or not work or weight >= _MEANT
    if own and _TRAUMA.count(text):
        return TurnTopic.TRAUMA
    if own and (_DEEP.count(text) or (personal and weight >= _HEAVY)):
        return TurnTopic.DEEP
    if personal and work < 2:
        return TurnTopic.PERSONAL
    return _decided(text, reply) or _of_the_day(text, weight, work=work > 0)


def category_asked(prompt: str) -> Category | None:
    """Return the category that a prompt asks about, if it is a decision or the user's life; otherwise None.

    Work has no preference: nearly every prompt to a coding assistant is about it.
    """
    text = unicodedata.normalize("NFKC", prompt[:_ASKED]).casefold()
    if _DECISION.count(text) or _WEIGHING.count(text):
        return "decision"
    return "emotional" if _PERSONAL.count(text) and not _WORK.count(text) else None


def _decided(text: str, reply: str) -> TurnTopic | None:
    """Return the topic of a small correction or of a decision; None if the turn is neither."""
    if len(text) <= _SMALL and _SLIP.count(text):
        return TurnTopic.SLIP
    if _DECISION.count(text) or (_WEIGHING.count(text) and _CONCLUDED.count(reply)):
        return TurnTopic.TURNING_POINT if _WEIGHTY.count(text) else TurnTopic.DECISION
    return None


def _by_vectors(text: str) -> TurnTopic | None:
    """Return work or a decision, if a text without words of the lists says enough and is about one by its vectors."""
    if topic_weight_of(topic_words(word_table().words(text))) < _NAMING:
        return None
    found = probabilities(text)
    category = max(found, key=lambda each: found[each])
    return _MEANINGS.get(category) if found[category] >= _PROBABLE else None


def _of_the_day(text: str, weight: float, *, work: bool) -> TurnTopic:
    if work:
        return TurnTopic.WORK
    if (meant := _by_vectors(text)) is not None:
        return meant
    if weight >= _FELT:
        return TurnTopic.OUTBURST
    said_little = len(text) <= _BRIEF and (_GREETING.match(text) or AGREEMENT.match(text))
    return TurnTopic.GREETING if said_little else TurnTopic.CASUAL
