"""Words that sound like an emotion of the user and are none: jargon, identifiers, quotations, polite requests, and the
emotions of other persons.

The patterns expect text in NFKC and case-folded.
"""

import re
from typing import Final

_OTHERS: Final = (
    r"(?:customers?|clients?|boss|managers?|users?|team|they|he|she|ceo|cto|cfo|support|reviewers?|people|everyone"
    r"|everybody|sales|marketing|legal|finance|partners?|vendors?|students?|kids?|son|daughter|wife|husband)"
)
_FEEL: Final = (
    r"(?:furious|angry|upset|(?:un)?happy|annoyed|frustrated|mad|sad|excited|thrilled|worried|scared|confused"
    r"|disappointed|pleased|delighted|anxious|nervous|complain\w*|crying|panick\w+|hates?|loves?)"
)
_CALM: Final = re.compile(
    "|".join(
        (
            # Processes, tests and errors.
            (
                r"\b(?:child|parent|worker|zombie|orphan|daemon|background|main)? ?(?:process(?:es)?|threads?|workers?"
                r"|pods?"
                r"|containers?|servers?|nodes?|jobs?|connections?)\b(?: \w+){0,2}? (?:die[sd]?|dying|killed|crash(?:ed"
                r"|es)?|hangs?"
                r"|hung|starv\w+|is dead|are dead|failed|fails)\b"
            ),
            r"\b(?:kill|killing|killed|abort|aborting|terminate)\b(?: (?:the|all|any|that|a|this|old|stale))* \S+",
            (
                r"\bzombies?\b|\borphan(?:ed|s)?\b|\bdead(?:lock\w*|[ -]letters?|[ -]code|lines?)\b"
                r"|\bpoison(?:ed)?[ -](?:pill|messages?)"
                r"|\b(?:fatal|critical|severe|blocking) (?:errors?|bugs?|logs?|level|exceptions?)\b|\bpanic(?:s|king"
                r"|ked)?[ -](?:handlers?|hooks?|modes?|messages?)"
                r"|\b(?:kernel|go|rust) panic\w*\b|\bbroken (?:pipes?|links?|images?|builds?)\b"
                r"|\b(?:un)?happy[ -]paths?\b|\bsad[ -]paths?\b"
                r"|\bfail(?:s|ed|ing|ures?)?[ -](?:tests?|cases?|fast|over|safe|rates?|modes?|jobs?|builds?|checks?)\b"
                r"|\bfailover\b"
                r"|\b(?:tests?|builds?|checks?|pipelines?|jobs?|assertions?|requests?|calls?|deploys?|deployments?"
                r"|migrations?|uploads?|imports?"
                r"|logins?|commands?|steps?) (?:\w+ )?(?:fail(?:s|ed|ing)?|is broken|are broken|broke|is stuck"
                r"|are stuck|hangs?)\b"
                r"|\bgarbage collect\w*|\bmaster\b|\bslaves?\b|\bexecut\w+|\bdirty (?:reads?|flags?|pages?|files?)\b"
                r"|\bawful lot\b"
                r"|\b(?:emergency|urgent)[ -](?:contacts?|exits?|stops?|flags?|queues?|labels?|tickets?|buttons?)\b"
                r"|\bretry on failure\b"
                r"|\b(?:on|if|when|upon|after) (?:it |that )?fail(?:s|ure|ures)?\b|\bfear of missing\b"
                r"|\bhope(?:fully)? (?:it'?s|that'?s) clear"
            ),
            (
                r"(?:子|親|ゾンビ|ワーカー)?(?:プロセス|スレッド|コンテナ|サーバー?|ワーカー|ジョブ|接続|ノード)(?:が"
                r"|は|を|も).{0,8}"
                r"(?:死ん|死ぬ|死に|落ち|殺|固ま|止ま|詰ま|壊れ|失敗|動かな|ハマ)\w*"
            ),
            (
                r"ゾンビ|デッドロック|デッドレター|致命的(?:な)?(?:エラー|障害|ログ|例外)|例外を(?:握りつぶ|潰"
                r"|飲み込)\w*|フェイル(?:オーバー|セーフ)"
                r"|パニックハンドラ|失敗(?:率|時|し(?:た|ている)(?:テスト|ケース|ジョブ|場合|とき|時))|(?:テスト"
                r"|ビルド|ジョブ|リクエスト|デプロイ|処理|認証)"
                r"(?:が|は|に|も)(?:失敗|落ち|壊れ|通ら)\w*|壊れた(?:リンク|ファイル|画像|データ)|緊急(?:連絡|停止|度"
                r"|用|リリース|ボタン)|大変(?:恐縮|申し訳|助か|有難|ありがた)"
                r"|お手数(?:です|ます|を|おかけ)\w*|失敗したら|失敗すれば|失敗しても|エラーになったら"
            ),
            # Identifiers and quotations.
            (
                r"\b[a-z0-9]+(?:_[a-z0-9]+)+(?:\(\))?|\b\w+\(\)|\b[\w-]+\.(?:py|js|ts|tsx|rs|go|java|css|html|md|sh"
                r"|json|ya?ml|txt|log)\b"
            ),
            r'"[^"\n]{1,120}"|“[^”\n]{1,120}”|『[^』]{1,60}』|「[^」]{1,60}」',
            # Polite requests.
            (
                r"\b(?:i|we)(?:'d| would) (?:be |really |much )*(?:grateful|appreciate|happy|glad|love)(?: it)?(?: if"
                r"| to)?\b"
                r"|\bwould be (?:really |very |so )?(?:nice|great|good|cool|awesome|helpful|lovely|appreciated"
                r"|wonderful|perfect)\b"
                r"|\b(?:happy|glad) to\b|\bfeel free\b|\bif you(?:'d| would) like\b|\bmake sure\b|\bno worries\b"
                r"|\bdon'?t worry\b|\bnice to have\b"
            ),
            (
                r"(?:いただけ|頂け|もらえ|くれ|くださ|してくれ)(?:ると|たら|れば|いますと).{0,4}(?:嬉し|うれし|助か"
                r"|幸い|ありがた|有難|有り難)\w*"
                r"|と(?:嬉し|うれし|助か|幸い|ありがた|有難)(?:い|り|る)(?:です|ます)?(?:が|けど|。|$)"
            ),
            # Emotions of other persons.
            (
                rf"\b{_OTHERS}\b(?: \w+){{0,3}}? (?:is|are|was|were|seems?|got|gets?|sounds?|looks?|feels?|felt|will be"
                rf"|been|keep|keeps|has|have)"
                rf"(?: \w+){{0,3}}? {_FEEL}\b|\b{_FEEL} {_OTHERS}\b|\b{_OTHERS} (?:{_FEEL})\b"
            ),
            (
                r"(?:お客|顧客|客先|上司|部長|課長|ユーザー?|先方|クライアント|社長|チーム|彼女?|みんな|同僚|後輩|先輩"
                r"|娘|息子)(?:さん|様|さま|たち|達|先)?"
                r"(?:が|は|も|から|に).{0,14}?(?:怒|激怒|喜|不満|がっかり|悲し|困っ|心配|イライラ|満足|不安|焦っ|泣"
                r"|クレーム|嫌が)\w*"
            ),
        )
    )
)


def without_calm_words(text: str) -> str:
    """Return the text without words that express no emotion of the user although they sound like one."""
    return _CALM.sub(" ", text)
