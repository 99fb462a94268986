"""Sarcasm, Japanese and English: praise or thanks for what broke, and fixed phrases.

Its words are longer than the praise in them, which therefore does not count. The patterns expect text in NFKC and
case-folded.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, feeling

_PRAISE: Final = (
    r"(?:great|wonderful|brilliant|perfect|fantastic|lovely|awesome|nice(?: work| job| one)?|amazing|beautiful"
    r"|super|excellent|terrific|marvell?ous"
    r"|splendid|bravo|fabulous|congrat\w*|well done|(?:good|great) (?:job|work|going)|peachy|just peachy|oh joy"
    r"|oh good|way to go|clever|genius|slow clap|impressive|love it|love that|cool|neat|fun)"
)
_BROKEN: Final = (
    r"(?:broke(?!n? build)|breaks?|broken|crash\w*|delet(?:ed|es)|wip(?:ed|es)|(?:my|our|everything|files?|data"
    r"|work|page|tests?|folder|branch|commits?|changes|half|all)(?: \w+)? (?:is |are |was |were |has "
    r"|have )?gone|destroy\w*|ruin\w*|down"
    r"|dead|on fire|wrong|worse|nothing (?:works?|compiles?|runs?|loads?)|doesn'?t (?:even )?(?:work|compile"
    r"|run|build)"
    r"|does not (?:work|compile)|won'?t (?:start|compile|build|run|load)|fail(?:s|ed|ing)|stopped working|lost"
    r"|(?:removed|ate|swallowed) (?:my|the) (?:login|whole|entire|working|tests?|prod\w*)|vanished"
    r"|another (?:\w+ ){0,2}(?:bug|error|conflict|failure|crash|outage|meeting|exception|regression|\w+ error)"
    r"|more (?:bugs|errors|warnings)|\d+ (?:new |more )?(?:\w+ )?(?:errors|failures|warnings|bugs|conflicts)"
    r"|twice as many|overwr\w+|ignored)"
)
_MENDED: Final = (
    r"(?![^!?]{0,90}\b(?:fix(?:es|ed)?|solved|resolved|no longer|any ?more|gone now|is gone|was gone|no more"
    r"|works now|pass(?:es|ed)|works|green|thanks to|please|could you|can you|next|one more thing)\b)"
)
_PRAISE_JA: Final = (
    r"(?:素晴らし(?:い|く)|すばらしい|さすが|流石|お?見事|天才(?:的)?|最高|完璧|すご(?:い|く)|凄い|いいね"
    r"|えらい|偉い|優秀|親切に|ご丁寧に|賢い|助かる(?:わ|なあ|ー)|ありがたい|ありがと(?:う(?:ございます|ね)?"
    r"|ね)?|どうも|ナイス|おめでと(?:う)?|やるじゃん|上出来)"
)
_BROKEN_JA: Final = (
    r"(?:壊(?:れ|し)|動かなくな|動きませ|動かな[いく]|エラーが(?:倍|増|出|また)|(?:エラー|バグ|警告|障害"
    r"|ゴミ)(?:を|が|も)?(?:増え|増やし|量産|倍|また|追加)|悪化|悪くな|消(?:え|し(?:て|た|ちゃ)|された)|全滅"
    r"|真っ赤|(?<!腑に)(?<!胸に)落ち(?:た|て|ました)|全部(?:間違|違|消|壊|落)|間違(?:って|い|え)|台無し|無視"
    r"|余計|遅くなっ|頼んで(?:い)?(?:な|も)|何も(?:動|変わ|でき|直))"
)
_MENDED_JA: Final = (
    r"(?!.{0,40}(?:直(?:り|っ)(?:まし)?た|直してくれ|解決|消えました|なくな(?:り|っ)|ください|お願い|修正して"
    r"|直して(?!も)|見て(?:$|。|ほし)|て(?:もら|くれ(?:る|ま|な))))"
)
"""Look-ahead that is false if the rest of the text tells of a repair or asks for one."""

# fmt: off
EMOTION_SARCASM: Final[tuple[EmotionPattern, ...]] = (
    feeling(
        "frustration", -1, 3, 4,
        rf"{_PRAISE_JA}(?!.{{0,24}}(?:エラー|警告|バグ|不具合|問題|障害)(?:が|は|も)?(?:全部|すべて"
        rf"|全て)?(?:消え|なくな|出なくな))[^?]{{0,28}}?{_BROKEN_JA}{_MENDED_JA}"
        rf"|{_BROKEN_JA}[^?。]{{0,14}}?(?:てくれ|ちゃって|とか"
        rf"|なんて|って)?[、。]?(?:て)?(?:どうも)?(?:ありがと(?!うございます(?:。|$))|どうも(?=[。!]|$)"
        rf"|最高(?:かよ|だね|ですね)|天才か|さすが|感謝するわ)|(?:頼んで(?:も)?(?:い)?ない).{{0,14}}(?:どうも"
        rf"|ありがと)|はいはい[、。]|へ[えぇ]、?(?:これ|それ)で|(?:金曜|休日|連休|深夜|休暇"
        rf"|正月)(?:の\w)?.{{0,6}}(?:に|前に)(?:障害|呼び出し|デプロイ|エラー)|最高かよ$|(?:これ"
        rf"|それ)で.{{0,2}}「?(?:完了|完成|終わり|修正済|直った|動く)」?.{{0,3}}(?:なん(?:だ|です)|つもり|とは"
        rf"|って(?:言|いう))|(?:よくもまあ|よくもまぁ|よくも|大した(?:もん|もの)だ|ご立派|結構なこと)"
        rf"|さぞ(?:かし)?|おかげで(?:さま)?.{{0,10}}(?:徹夜|台無し|残業|やり直し|壊れ|消え|潰れ|無駄)",
        rf"{_PRAISE}(?! (?:catch|find|call|idea))[,.!]*(?: (?!(?:but|no|not|never|without|fix(?:es|ed|ing)"
        rf"|solved|finally"
        rf"|thanks|stopped|after)\b)\w+(?:'\w+)?,?){{0,7}}? {_BROKEN}{_MENDED}"
        rf"|(?:thanks|thank you|cheers)(?: a lot| so much)?[,.!]* (?:now|for)(?: (?!(?:but|no|not|never|fix\w*"
        rf"|help\w*|find\w*|explain\w*|your)\b)\w+(?:'\w+)?,?){{0,6}}? {_BROKEN}{_MENDED}"
        rf"|{_PRAISE}[,.!]+ (?:yet )?another (?:\w+ )?(?:bug|error|conflict|crash|outage|meeting|failure"
        rf"|rewrite|merge|exception|reboot|regression|day|friday|night)|(?:love|loving) (?:it |how "
        rf"|that )+(?:when|how|it|that|the \w+|you)? ?(?:\w+ ){{0,6}}?{_BROKEN}|love it when|just what (?:i"
        rf"|we) (?:needed|wanted|always wanted)(?: today| right now)?|(?:sure|right"
        rf"|because)[,.]? (?:because )?what i (?:really |always )?(?:wanted|needed|asked for)|thanks (?:a lot "
        rf"|so much )?for (?:nothing|breaking|deleting|ruining|wasting|ignoring|the (?:broken|extra|mess|bug\w*"
        rf"|headache))|yeah,? right|oh (?:joy|wonderful|great|fantastic|lovely|perfect|brilliant|goody"
        rf"|super)(?=[,.!])(?! thank)|so much for|(?:as if|like) that(?:'s| would| will"
        rf"| is going to)? (?:ever )?(?:help|work)s?|big help|fat lot of good|nice try|good luck with that"
        rf"|what could (?:possibly )?go wrong|(?:real|very|so) (?:smooth|classy|clever)(?=[!.]|$)|how (?:nice"
        rf"|kind|lovely|thoughtful|convenient|delightful) of (?:you|it|them)|well,? that(?:'s| was"
        rf"| is) (?:just )?(?:great|peachy|fantastic|perfect|lovely|wonderful|helpful|super|dandy)(?! news)"
        rf"|just peachy|peachy|color me (?:shocked|surprised)|shocker|surprise,? surprise"
        rf"|who would have thought|slow clap|gee,? thanks|my favou?rite(?=[!.]|:)|living the dream"
        rf"|what a (?:surprise|shock|joy)(?=[!.,]|$)|because of course|of course it (?:did|does|is|was|broke"
        rf"|crashed|fails|failed|doesn'?t)",
    ),
)
# fmt: on
