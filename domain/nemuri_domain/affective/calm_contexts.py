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
                r"\b(?:child|parent|worker|zombie|orphan|daemon|background|main)? ?(?:process(?:es)?|threads?"
                r"|workers?"
                r"|pods?"
                r"|containers?|servers?|nodes?|jobs?|connections?)\b(?: \w+){0,2}? (?:die[sd]?|dying|killed"
                r"|crash(?:ed"
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
                r"|\bfail(?:s|ed|ing|ures?)?[ -](?:tests?|cases?|fast|over|safe|rates?|modes?|jobs?|builds?"
                r"|checks?)\b"
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
            # Artefacts that are named after an emotion, and technical terms with a word of one.
            (
                r"\b(?:happy|sad|angry|love|hate|joy|fear|crying|smiling|surprised?|cry|thank[ -]you"
                r"|congratulations|worried|scared)"
                r"[ -](?:birthday|hours?|faces?|emojis?|emoticons?|icons?|stickers?|reviews?|tweets?|comments?"
                r"|labels?|templates?|class"
                r"|category|speech|letters?|songs?|path|pages?|screens?|emails?|mails?|notes?|buttons?|modal"
                r"|customers|users|messages?)\b"
                r"|\b(?:worst|best|average|edge)[ -](?:paths?|cases?|practices?|time|performing|fit|match"
                r"|latency|effort)\b|\bstress[ -]?test\w*"
                r"|\b(?:panic|kill|dead|hate|love|crash|fail|sad|happy|angry|cry|lonely|abort|hang|stuck|broken"
                r"|surprise)\(|\bpanic (?:in|at|on|from|when)\b|\bpanics\b"
                r"|\b(?:stuck|lost|missing|dead|blocked|stale) (?:at|in|on|to|during|between|after|updates?"
                r"|rows?|packets?|records?|data|bytes?|tuples?|links?|jobs?|threads?)\b(?!.{0,30}\bi )"
                r"|\b(?:optimistic|pessimistic)(?:ally)?[ -](?:lock\w*|updates?|concurrency|ui|rendering)\b"
                r"|\bcpu[ -]pressure\b|\b(?:memory|back|disk|heap)[ -]?pressure\b|\b(?:slow|go(?:es|ing)?"
                r"|scal\w+|shut(?:s|ting)?|tear(?:s|ing)?|torn|cool|count|drill|power|boil\w*|roll\w*|break\w*"
                r"|step|drop|top|narrow|nail|mark|track|write|pin)[ -]?downs?\b"
                r"|\bmagic(?:al)? (?:numbers?|strings?|bytes?|values?|constants?|comments?|methods?)\b"
                r"|\bcool[ -]?downs?\b|\bdeadline (?:exceeded|header|context|field|parameter)\b|\bspent (?:in"
                r"|on) (?:the )?\w+\(?|\bcrash[ -](?:loop\w*|reports?|dumps?|logs?|safe\w*|recovery)\b"
            ),
            (
                r"感謝(?:状|祭|の(?:手紙|メール|メッセージ|文|言葉))|おめでと(?:う|うございます)(?:メール"
                r"|メッセージ|カード|画面|の(?:メール|メッセージ|カード|画面|文言|テンプレ))|お誕生日おめでとう"
                r"|誕生日おめでとう(?:メール)?(?=.{0,12}(?:テンプレ|画面|文言|メッセージ|送|表示))"
                r"|最悪(?:の(?:場合|ケース|計算量)|計算量|ケース|値|時)|(?:嬉し|悲し|怒|楽し|喜|驚"
                r"|哀)[いりびきし]{0,2}(?:顔|・|や|、|の)?.{0,8}(?:スタンプ|顔文字|絵文字|アイコン|表情|ラベル"
                r"|感情|画像|分類)|不安定|負荷テスト|死活|死んでい(?:る|た)(?:コード|関数|リンク)"
                r"|(?:コード|番号|シグナル)\s?\w{0,4}で(?:死|落ち)\w*|(?:この|その|その後|呼ばれない)?(?:関数"
                r"|コード|変数|リンク|分岐|クラス|メソッド|処理|行|プロセス|スレッド)(?:が|は"
                r"|も).{0,16}?死[んぬに]\w*|気になる(?:点|箇所|ところ|こと|部分)(?:が|は)?(?:あれ|ない|指摘)"
                r"|(?:[0-9一二三四五数]+)回.{0,6}(?:諦|失敗)\w*|楽観(?:ロック|的)|悲観(?:ロック|的)|疎結合"
                r"|孤立(?:した)?(?:ノード|点|行|ページ|レコード|ブランチ)|孤児"
                r"|泣き別れ|涙目|怖(?:い話|がら)|焦点|無理(?:に|やり|のない|数)|しんどう|感情(?:分析|認識|分類"
                r"|辞書|表現)|(?:ほとんど|特に)?(?:問題|心配|遠慮|気に)(?:は)?(?:ありません|ない|せず|しな)"
                r"|疲れ(?:が|を)(?:取|検知)|終了コード"
            ),
            # Identifiers and quotations.
            (
                r"\b[a-z0-9]+(?:_[a-z0-9]+)+(?:\(\))?|\b\w+\(\)|(?<![a-z0-9_-])[a-z0-9_-]+\.(?:py|js|ts|tsx|rs"
                r"|go|java|css|html|md|sh"
                r"|json|ya?ml|txt|log|png|jpe?g|gif|svg|webp|csv|xml|sql|toml)(?![a-z0-9])"
            ),
            r'"[^"\n]{1,120}"|“[^”\n]{1,120}”|『[^』]{1,60}』|「[^」]{1,60}」',
            # Polite requests.
            (
                r"\b(?:i|we)(?:'d| would) (?:be |really |much )*(?:grateful|appreciate|happy|glad|love)(?: it)?(?: if"
                r"| to)?\b"
                r"|\bwould be (?:really |very |so )?(?:nice|great|good|cool|awesome|helpful|lovely|appreciated"
                r"|wonderful|perfect)\b"
                r"|^(?:thanks|thank you|ありがとう(?:ございます)?)[,、。.!]+ ?(?=please\b|can you|could you"
                r"|.{0,40}(?:て(?:ください|下さい|くれ(?:ます|る)?|もらえ)|お願い))"
                r"|\b(?:i|we) (?:was|were|had been) (?:\w+ )?(?:dreading|worried|afraid|scared|nervous|anxious"
                r"|terrified|skeptical|sceptical)\b(?=[^.!?]*, (?:and|but) (?:it|now|everything|then|you)\b)"
                r"|(?:^|[.!?,] ?)good (?:morning|afternoon|evening|night|day)\b"
                r"|\bplease and thank you\b|\bthank(?:s|ing| you)(?: so much| a lot| very much)? in advance\b"
                r"|(?:please|could you|can you|would you)\b[^.!?\n]{3,160}[.,!?]+ ?(?:thanks|thank you|thx|ty"
                r"|cheers)[.! ]*$"
                r"|^(?:ok(?:ay)?|cool|alright|great|good|perfect|nice)?[,.]? ?(?:thanks|thx|thank you"
                r"|ty)?[,.!]? ?(?:and )?(?:now|next|also|then|one more)\b(?=[,: ](?!(?:it|nothing|everything"
                r"|the \w+ (?:is|are|fails?|crash\w*)|i|we|all|my|prod)\b))"
                r"|\b(?:doesn'?t|don'?t|needn'?t|not) (?:have|need) to be (?:\w+ )?\w+|\bhope (?:you'?re"
                r"|you are|this finds|that'?s (?:ok|fine|clear))\b|\bsorry (?:to (?:bother|trouble)"
                r"|for (?:the (?:noise|confusion|delay|late|long)|bothering|asking))\b|\bno (?:rush|stress"
                r"|hurry|pressure|problem)\b|\bi'?m afraid (?:that )?(?:i|we|you|it|not|so|this|the)(?! (?:will"
                r"|might|may|'ll|am going)\b)"
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
                rf"\b{_OTHERS}\b(?: \w+){{0,3}}? (?:is|are|was|were|seems?|got|gets?|sounds?|looks?|feels?|felt"
                rf"|will be"
                rf"|been|keep|keeps|has|have)"
                rf"(?: \w+){{0,3}}? {_FEEL}\b"
                rf"|(?<!i'm )(?<!i am )(?<!'re )(?<!so )(?<!feel )(?<!was )\b{_FEEL} (?!he\b|she\b|they\b"
                rf"|people\b|everyone\b|everybody\b){_OTHERS}\b|\b{_OTHERS} (?:{_FEEL})\b"
            ),
            (
                r"(?:お客|顧客|客先|上司|部長|課長|ユーザー?|先方|クライアント|社長|チーム|彼女?|みんな|同僚"
                r"|後輩|先輩"
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
