"""Idioms and indirect expressions of emotion, Japanese and English, beside the words of `emotion_words`.

The patterns expect text in NFKC and case-folded.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, feeling

# fmt: off
_POSITIVE: Final = (
    feeling(
        "joy", 1, 3, 8,
        r"天にも昇|小躍り|ガッツポーズ|夢みたい|感激|感動(?!詞)|泣ける(?:ほど|くらい)(?:嬉|良|いい|うれ)"
        r"|(?:嬉し|うれし|最高|良|幸せ|感動|ありがた|尊)[^。!]{0,8}(?:泣|涙|号泣)(?:ける|く|き|いた|いて"
        r"|が出(?:る|た)?)?|やば(?:い|すぎ)[、 ]?(?:これ)?(?:めちゃくちゃ|めっちゃ|まじで|すごく)?(?:楽し|面白"
        r"|嬉し|いい|最高|好き|速|早|かっこい)|最高すぎ|待ってました"
        r"|嬉し泣き|めちゃ(?:くちゃ|めちゃ)?(?:嬉|うれ)し",
        r"over the moon|on cloud nine|(?:made|making) my (?:day|week|month|year)|dream come true|could(?:n'?t"
        r"| not) be happier"
        r"|best thing (?:ever|all)|jumping for joy|hell yeah|heck yes|yes+!+|woot|boom!|dancing|grinning|beaming"
        r"|happiest",
    ),
    feeling(
        "joy satisfaction", 1, 2, 4,
        r"期待以上|予想以上に(?:良|よ|い|速|早|綺麗|きれい)|欲しかった(?:もの|やつ|の)|これこれ|まさにこれ|見事"
        r"|天才|神(?:です|だ|か[!よ]|対応|すぎ|って|!)"
        r"|ばっちり|バッチリ|ナイス|グッジョブ|すっきり|スッキリ|快適|捗(?:る|った|り)|はかど(?:る|った|り)"
        r"|気持ちい[いー]|気分がいい|賢い(?=です|ね|な|!|。|$)|(?:うま|上手|うまい|良)く(?:でき|書け|動い|行っ"
        r"|いっ)(?:た|まし)|惚れ惚れ|癒さ|ほっこり"
        r"|楽になっ|嬉しい|動いた[!ー〜~]|通った[!ー〜~]|直った[!ー〜~]|お気に入り|いい仕事|いいですね|いいじゃ",
        r"works like a charm|like magic|chef'?s kiss|spot[ -]on|(?:just|exactly) what (?:i|we) (?:needed|wanted"
        r"|was looking for|had in mind)"
        r"|game[ -]?changer|10/10|love (?:how|the way|the|your|these|those)|loved (?:it|this|that|the)"
        r"|loving (?:it|this|the)"
        r"|(?:good|great|nice|excellent|awesome|amazing|solid|fantastic|beautiful) (?:catch|call|work|one|touch"
        r"|find|stuff|idea|point|progress|result\w*)"
        r"|(?:so |super |really |very |quite |pretty )?(?:impressed|impressive)|beautiful(?:ly)?|elegant"
        r"|sweet[!,.]|neat(?:!|\.|,|$)"
        r"|superb|excellent|fabulous|phenomenal|stellar|splendid|glorious|enjoy(?:ed|ing)|having fun|so much fun"
        r"|can'?t complain"
        r"|(?:super|so|very|really|that'?s|extremely) helpful|that helps|smil(?:e|ing)|(?:so|really|very"
        r"|i'?m) glad|happy with|lgtm|ship it"
        r"|way (?:better|faster|nicer|cleaner) (?:now|than)|much (?:better|faster|nicer|cleaner)(?: now|[!.]|$)"
        r"|all green|(?:it|that|this) (?:finally )?worked!?",
    ),
    feeling(
        "gratitude relief", 1, 2, 0,
        r"目から(?:鱗|うろこ|ウロコ)|頭が上がら|命拾い|救われ|恩人|足を向けて寝|恩に|助かる(?:わ|ー|〜|!|。|$)"
        r"|助かった|ありがたい|有難い|お世話にな",
        r"(?:saved?|saving) (?:my|our|the) (?:bacon|day|life|butt|ass|skin|weekend|neck|evening|project)"
        r"|life[ -]?saver|owe you(?: one| big)?"
        r"|you(?:'re| are)? (?:a |an |the |my )?(?:star|legend|genius|hero|gem|rock ?star|wizard|angel|best"
        r"|rock)\b|kudos|props to|cheers|much obliged"
        r"|bless you|thank you so|could(?:n'?t| not) have done (?:it|this|that)",
    ),
    feeling(
        "relief", 1, 2, -8,
        r"胸を(?:なでおろ|撫で下ろ)|ひと安心|やれやれ(?!だ)|峠を越|生き返っ|気が楽",
        r"dodged a bullet|weight off|sleep (?:well|better) tonight|crisis averted|close call|all clear"
        r"|can (?:finally )?(?:relax|sleep|breathe)|so relieved",
    ),
)
_NEGATIVE: Final = (
    feeling(
        "frustration", -1, 3, 8,
        r"限界(?:です|だ|かも|!|。|だよ|に近|を感じ|突破)|頭(?:を|が)抱え|お手上げ"
        r"|投げ出した|もう(?:嫌|いや|やだ|イヤ|ダメ|だめ)(?:だ|です|!|。|…|\.|$)"
        r"|やってられ(?:な|ん|る)|嫌気|堪忍袋|我慢(?:の限|も限|が(?:な|でき(?:な|ま))|でき(?:な|ま))"
        r"|耐えられ(?:な|ま)|発狂|気が狂|狂いそう|叫びた|振り回され|八方塞"
        r"|手詰まり|途方に暮れ|台無し|水の泡|振り出し|もう知らな"
        r"|いい加減(?:に)?し|何回(?:言|頼|お願)|何度(?:言|頼|お願)|話にならな|ありえな[いー]|有り得な|あり得な"
        r"|話が違|ひどい|酷い(?!味)|ひどすぎ|最低",
        r"(?:at )?(?:my|our) wits?'?s?'? end|last straw|(?:pulling|tearing|ripping) (?:my|our) hair|los(?:t|e"
        r"|ing) (?:my|our) (?:mind|patience|temper|cool|sanity|shit)"
        r"|(?:driv\w+|drove) (?:me|us) (?:crazy|mad|nuts|insane|up the wall|bonkers)|(?:had|have had"
        r"|'ve had) (?:it|enough|about enough)\b"
        r"|can(?:'?t|not) (?:take|stand|deal with|handle|bear|cope)|(?:i'?m|so|am|totally"
        r"|completely) (?:so )?(?:done|over this|over it)\b(?! (?:with the|with my|now))"
        r"|bang(?:ing|ed)? (?:my|our) head|(?:want|wanna|going|could|about) (?:to )?(?:scream|cry|throw|punch"
        r"|quit)|nightmare|disaster|this is (?:a )?(?:joke|mess|insane|insanity|ridiculous|absurd|stupid|madness"
        r"|hell|torture|painful|unbelievable)"
        r"|ridiculous|for the love of|killing me|makes? me (?:so )?(?:angry|mad|sick|furious|sad)|what a (?:mess"
        r"|joke|disaster|nightmare|waste)|sucks|hate\b|ffs|jfc|fml|grr+",
    ),
    feeling(
        "frustration", -1, 2, 6,
        r"また(?:か|です|だ|同じ|消え|落ち|壊れ|エラー|失敗|動か|おかし|ダメ|だめ|やり直)|げんなり|ため息"
        r"|はぁ+[。…\.]|はあ+[。…\.]|萎え|モヤモヤ|もやもや|腑に落ち(?:な|ま)"
        r"|納得(?:いか|でき(?:な|ま))|不満|鬱陶し|うっとうし|余計なこと|勝手に(?:消|変|直|書|削|動)"
        r"|頼んで(?:い)?(?:な|ま)|言った(?:よね|でしょ|のに|はず)|って言った.{0,12}(?:また|だろ|消|変)"
        r"|何(?:時間|日|度|回)も"
        r"|(?:全然|ぜんぜん|全く|まったく|一向に|ちっとも)(?:動|直|進|終|通|反応|うま|だめ|ダメ|わか|分か"
        r"|ならな)|嬉しくな|(?:面白|楽し|良|よ)くな[いか]"
        r"|期待(?:外れ|はずれ|して(?:い)?たのに)|がっかり|使いにく|使いづら|見づら|遅すぎ|重すぎ|しつこ|参っ(?:た"
        r"|て)|まいった|キツい|きつい|骨が折れ|苦戦|泥沼|沼(?:って|った|にはま)|意味(?:が)?ない",
        r"(?:not|isn'?t|aren'?t|wasn'?t|ain'?t|never) (?:very |really |too |so |exactly |at all |particularly |a "
        r"|quite |all that )*"
        r"(?:happy|thrilled|amused|impressed|pleased|convinced|satisfied|okay|ok\b|cool|fun|fair|acceptable|ideal"
        r"|great|good enough|helpful|a fan|funny|comfortable)"
        r"|(?:oh |well |just |that'?s |how )?(?:great|perfect|wonderful|lovely|fantastic|awesome|brilliant|nice"
        r"|marvell?ous|terrific|super)[,.!]+ (?:just |yet |now |it'?s |that'?s |so |there |the |and )*(?:another"
        r"|again|broken|down|failing|gone|more|what)"
        r"|(?:great|perfect|wonderful|lovely|fantastic|awesome|brilliant|nice)[,.!]? (?:it |that |this )?(?:broke"
        r"|crashed|failed|deleted|is broken|broken) ?(?:again)?"
        r"|just (?:great|perfect|wonderful|lovely|fantastic|what i needed)[,.!]|thanks for nothing|so much for"
        r"|how many times|(?:i|we) (?:already |just |have )?(?:told|asked|said) (?:you|that|this|it)"
        r"|you (?:keep|always|never|still|again|just|completely) (?:break|broke|ignor|delet|forg|chang|add|remov"
        r"|miss|do|did|get|got|overwr|rewr)\w*"
        r"|(?:not|isn'?t|wasn'?t) what (?:i|we) (?:asked|wanted|said|meant|need)|not again|(?:broke|breaks|broken"
        r"|fail\w*|crash\w*|down|wrong|lost|gone|happen\w*|stuck|slow|hang\w*) (?:yet |once )?again"
        r"|again[!?]{1,}|wast(?:ed|ing) (?:\w+ )?(?:\w+ )?(?:hours?|days?|time|morning|afternoon|evening|weekend"
        r"|night)|(?:hours|days|weeks) (?:wasted|trying|debugging|fighting|chasing|of (?:wasted|trying"
        r"|debugging|fighting|chasing|my|pain|nothing|work lost))"
        r"|lost (?:all|my|hours|a day|half|everything|the whole)|out of ideas|at a loss"
        r"|hit(?:ting)? a (?:brick )?wall|going (?:in|round in|around in) circles|getting nowhere|no luck"
        r"|painful|pain in the|mess(?:y|ed up)|clunky|stupid|dumb|idiotic|pointless|meh\b|sigh|come on[!,.]"
        r"|seriously\?|really\?!|discourag\w+|demorali\w+|(?:too|so|way too|painfully|unbearably) (?:slow"
        r"|complicated|confusing|hard to)"
        r"|dislike|don'?t like|bother(?:s|ed|ing) me|bugs me|gets on my nerves|irritat\w+|aggravat\w+|upset"
        r"|unhappy|mad at",
    ),
    feeling(
        "sadness", -1, 3, -12,
        r"泣き(?:た|そう)|ヘコ|憂鬱|鬱(?:だ|っぽ|々)|眠れ(?:な|ま)|会いたい(?:のに|よ)|亡くし|他界|別れ(?:た|まし)"
        r"|失っ(?:た|て)|情けな|自信(?:が|を)(?:な|失)|向いてな|消えたい|疲れ(?:果|切|き)",
        r"(?:feel(?:ing)?|felt|makes me feel) (?:\w+ )?(?:bad|awful|terrible|stupid|lost|stuck|useless|burn\w+"
        r"|numb|like (?:a )?(?:failure|crap|shit|giving|crying|an? (?:idiot|fraud|impostor)))"
        r"|burn(?:ed|t|ing)?[ -]?out|running on (?:fumes|empty)|(?:so|feel\\w*|am|i'?m|completely"
        r"|totally) (?:\\w+ )?(?:drained|wiped out)|worn out|can(?:'?t|not) sleep"
        r"|homesick|i miss (?:him|her|my|them|you|it)|lost my (?:\w+ )?(?:job|dad|mom|mother|father|dog|cat"
        r"|grand\w+|friend)"
        r"|(?:i|we|he|she)(?:'ve)? (?:just )?(?:got |was |been )(?:laid off|fired|dumped|rejected)|broke up"
        r"|rough (?:day|week|night|month)"
        r"|hard (?:day|week|time)|bad (?:day|week|news)|in over my head|not good enough|impost[oe]r",
    ),
    feeling(
        "anxiety", -1, 2, 6,
        r"やばい(?:です|、|。|!|よ|な|かも|…|$)|やばっ|ヤバ(?:い|っ)|まず(?:い|い(?:です|、|。|こと|かも))(?=です"
        r"|、|。|こと|かも|!|$)|気が重|胃が(?:キリ|きり)|ひやひや|ヒヤヒヤ|ハラハラ|嫌な予感|怖いな|恐れて"
        r"|落ち着か(?:な|ま)|締め?切(?:り)?(?:が|に)(?:迫|間に合)",
        r"(?:butterflies|knot) in my stomach|bad feeling about|losing sleep|freaking out|freak(?:s"
        r"|ed)? (?:me )?out|under (?:a lot of |so much |huge )?pressure|in (?:big |serious |deep )?trouble"
        r"|sweating|on thin ice|i'?m screwed|we'?re screwed|oh no|crap,",
    ),
)
# fmt: on

EMOTION_IDIOMS: Final[tuple[EmotionPattern, ...]] = (*_POSITIVE, *_NEGATIVE)
