"""Words of urgency and of consequence, by kind, for the importance of items."""

from typing import Final

CUES: Final[tuple[tuple[float, str, str], ...]] = (
    # danger
    (
        3,
        (
            r"fires?|smoke|smoking|injur\w+|danger\w*|hazard\w*|gas leak|leaking gas|electric shock|accidents?"
            r"|evacuat\w+|allerg\w+|poison\w*|bleeding|chest pain|unsafe|recalled?"
        ),
        (
            r"火災|発煙|煙が|けが|怪我|負傷|危険|ガス漏れ|ガス臭|感電|事故|避難|転落|発火|アレルギー|出血|異臭"
            r"|胸痛"
        ),
    ),
    # haste
    (
        3,
        r"immediately|asap|urgent\w*|emergency|emergencies|critical\w*|right away|at once",
        r"至急|緊急|今すぐ|直ちに|ただちに|早急|急ぎ(?!ません|ではな|でな)|一刻も",
    ),
    # failure
    (
        2.5,
        (
            r"fail(?:s|ed|ing|ures?)?|down|outages?|broken?|crash\w*|not working|stopped|offline|unreachable"
            r"|corrupt\w*|blocked|stuck|leaks?|leaking|flood\w*|missing"
            r"|cannot (?:log|access|work|pay|order|open)\w*|overheat\w*"
        ),
        (
            r"停止し|停止中|止まっ|障害|故障|失敗|落ちて|動かない|動いていない|壊れ|不通|使えない|使用できない"
            r"|ログインできない|水漏れ|漏れて|破損|断線|停電|過熱|紛失|行方不明|つながらない|繋がらない"
        ),
    ),
    # security
    (
        2.5,
        (
            r"breach\w*|data leak\w*|leaked|hack\w*|vulnerab\w+|malware|ransomware|unauthori[sz]ed|phishing|stolen"
            r"|theft|fraud\w*|intrusion|exposed"
        ),
        r"漏洩|漏えい|流出|不正|侵入|脆弱性|マルウェア|ランサム|盗難|盗まれ|乗っ取|詐欺",
    ),
    # deadline
    (
        2,
        (
            r"today|tonight|tomorrow|this (?:morning|afternoon|evening|week)"
            r"|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|the end of)|deadlines?"
            r"|overdue|due|expire[sd]?|expir(?:es|ing|y)"
            r"|within (?:[0-9]+|two|three|four|five|six|seven|several|many) (?:minutes|hours|days)|final notice"
        ),
        (
            r"本日|今日|今夜|明日|今朝|今週中|期限|締切|締め切り|期日|失効|切れる|切れて|切れました"
            r"|[0-9０-９]+(?:分|時間|日)以内|最終通告|督促"
        ),
    ),
    # stakes
    (
        1.5,
        (
            r"production|prod|backups?|data loss|lost data|payments?|payroll|salar(?:y|ies)|patients?|medication"
            r"|power supply|brakes?|wages"
        ),
        r"本番|バックアップ|データ消失|データ(?:が|の)(?:消|損|破)|決済|給与|給料|患者|投薬|服薬|ブレーキ|電源",
    ),
    # law
    (
        1.5,
        (
            r"legal\w*|lawsuits?|sued|regulat\w+|complian\w+|violat\w+|penalt(?:y|ies)|court|police|authorities"
            r"|audit\w*"
        ),
        r"法令|法的|違反|訴訟|罰金|規制|行政処分|監督署|裁判|警察|監査",
    ),
    # duration
    (
        1,
        (
            r"for (?:[0-9]+|two|three|four|five|six|seven|several|many) (?:minutes|hours|days|weeks|nights)"
            r"|since (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|last|this)|again"
            r"|repeatedly|still"
        ),
        (
            r"[0-9０-９一二三四五六七]+(?:日間|時間|日も|日前から|週間)|続いて|先週から|昨日から|昨夜から|今朝から"
            r"|再び|繰り返し|また(?:も|しても)"
        ),
    ),
    # people
    (
        1,
        (
            r"customers?|clients?|complain\w*|refunds?|cancel(?:s|led|ling|lation)?|public|press|everyone"
            r"|all (?:users|staff)"
        ),
        r"顧客|お客様|取引先|苦情|クレーム|解約|返金|全員|全社|全店|報道|利用者",
    ),
)
"""Weight of each kind, and the patterns of its words: English (whole words) and Japanese."""
CALM: Final[tuple[float, str, str]] = (
    -4,
    (
        r"some ?day|eventually|nice to have|no (?:hurry|rush)|not urgent|low priority|whenever|optional\w*"
        r"|minor|cosmetic|typos?|if (?:there is|you have) time|next (?:year|quarter)|in the long run|sometime"
    ),
    (
        r"いつか|急ぎません|急がない|急ぎではな|急ぎでな|余裕|できれば|任意|軽微|将来|時間があれば|低優先"
        r"|優先度は?低|来年|来期|誤字|見た目"
    ),
)
"""Weight and patterns of words that say that an item can wait."""
