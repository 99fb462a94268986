"""Interjections, slang, emoji and emoticons that express an emotion, Japanese and English.

The patterns expect text in NFKC and case-folded.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, feeling

# fmt: off
_POSITIVE: Final = (
    feeling(
        "joy", 1, 2, 10,
        r"う[おぉ]{2,}|^神(?=$|[!。ー])|よっしゃ|いぇ?ーい|イ[ェエ]ーイ|ひゃっほ|ヒャッホ|ばんざ[ーい]|万歳"
        r"|バンザ|ブラボー|ヤッタ"
        r"|キタ[ーァ━!\-ッ]|やっほー|ひゃー|[🎉🥳😄😁😊😀😃😆😍🥰🤩💖❤♥♡🙌👏💯🎊🍾🕺💃☺]|\(\^|\^[_o▽ω]?\^|・∀・"
        r"|[≧>]▽[≦<]|♪",
        r"ye+s{2,}|yes,? yes|yes+(?: *!| please!)|yass+|yess+ir|woo+(?:t|p)?|whoop(?:ee|s?-de)?|yippee+|yipee"
        r"|huzzah|booyah|boo-?yah"
        r"|lfg|pog(?:gers)?|w00t|hallelujah|bravo|sweet(?=!)|hell yes|get in!|touchdown|<3|banger|chef's kiss"
        r"|slay(?:ed|s)?|goated|epic(?=!)|legendary(?=!)|lit(?=!)|fire(?=!)",
    ),
    feeling(
        "joy", 1, 1, 6,
        r"👍|👌|✨|🤣|😂|(?:^|[^a-z])w{2,}(?![a-z])|\(笑\)|草(?=$|w)|えへへ|ふふ[っふ]",
        r"ha(?:ha)+h?|hehe+|lo+l|lmao|rofl|xd|(?<=\s)(?::-?[)dp]|=\)|:'\)|;-?\)|\\o/)|(?:so |very "
        r"|pretty )?cool(?=[!.,]|$)"
        r"|noice|nicee+|ooh+|aww+|yum",
    ),
    feeling(
        "gratitude", 1, 2, 3,
        r"あざ(?:す|っす|ます|ーす)|サンクス|おおきに|恩返し|お礼(?:を|の)|感謝(?:感激|しかな|してもし|の気持"
        r"|でいっぱ|です|だ|!|。|$)"
        r"|[なあ]んとお礼|本当にありがと|ほんと(?:に)?ありがと|まじ(?:で)?ありがと|🙏",
        r"ty(?:sm|vm)|tyty|thank(?:s| you|ing you)(?: (?:so|very|ever so)(?: (?:very )?much)?| a (?:lot|ton"
        r"|million|bunch)"
        r"| (?:a )?(?:tons|loads|heaps|bunches))|many thanks|huge thanks|big thanks|can'?t thank you enough"
        r"|much appreciated"
        r"|(?:i |we )?(?:really |truly |so |deeply |sincerely |do )+appreciate|appreciate (?:it|you|your \w+"
        r"|the (?:help|effort|patience))"
        r"|means (?:a lot|the world|so much|everything)|(?:how|so) (?:much )?(?:this|that|it|you)(?:'ve| has"
        r"| have)? help(?:s|ed)"
        r"|(?:was|is|been) (?:such |so )?(?:a )?(?:great|huge|big|massive|enormous|incredible)? ?(?:help"
        r"|lifesaver|godsend|blessing)(?=[!.,]|$)",
    ),
    feeling(
        "relief", 1, 2, -8,
        r"ふ(?:ぅ|う)+(?=[、。ー~!\s]|$)|ふーっ?(?=[、。!\s]|$)|セーフ(?=[!。、ー~]|だ|でし|$)|😌|😮‍💨|😅"
        r"|危なかった|危うく|あぶな(?:かった|[ーっ])"
        r"|よかったぁ|良かったぁ|(?<!ば)(?<!たら)(?:よ|良)かった[ー~!。]",
        r"phe+w+|whe+w+|fi+nally(?=[!~.]|$)|at (?:long )?last|thank (?:the lord|you,? (?:god|jesus)|christ|fuck|f\w*)"
        r"|praise (?:the lord|be)",
    ),
    feeling(
        "surprise joy", 1, 2, 15,
        r"(?:すご|凄|早|速|うま|上手|良)すぎ|度肝を抜|鳥肌もの|エモ[いす]|ヤバい(?:くらい|ほど)|やばい(?:くらい"
        r"|ほど)",
        r"mind[ -]?blow(?:n|ing)|blow(?:n|s|ing)? (?:me |us )?away|bl(?:e|o)w(?:s|ing)? (?:my|our|your|their"
        r"|his|her|everyone'?s) minds?|jaw[ -]?drop\w*"
        r"|jaw (?:hit|is on|on) the floor|holy (?:cow|moly|smokes|guacamole)|incredible|unreal|astonish\w+|magical?"
        r"|(?:it|this|that) (?:just|actually|finally|really) (?:works|worked|runs|compiles)|insanely (?:good"
        r"|fast|cool|useful)|out of this world",
    ),
)
_NEGATIVE: Final = (
    feeling(
        "frustration", -1, 2, 10,
        r"あ[ーあぁ]?もう(?=[!、。っー~ ]|$)|(?:^|[。!、])もう[!ー]|うがー|うぎゃ|ぐぬぬ|ムキー|むきー|チッ"
        r"|ちっ(?=[、。!])|はぁ?[あぁ]?(?:\?!|!\?|\?\?|!!)"
        r"|ったく(?=[!、。もー]|$)|まったくもう|勘弁(?:して|し)|ちくしょ|畜生|(?:くそ|クソ"
        r"|糞)(?=[、。!!みたなゲコレ]|ー|っ|$)|くそ(?:みた|った|コード|仕様)"
        r"|ク(?:ッ)?ソ(?:みた|コード|仕様|ゲ|すぎ)|アホ(?=か|ら|す|みた|!|。|だ|な)|ボケ(?=[!が。]|$)"
        r"|[💢😤🙄😒😑👎😩😫🤦😣😖]|>_<|orz|ぐはっ|あちゃー|あーあ|とほほ|トホホ",
        r"u+g+h+s?|a+r+g+h*|a+gh+|aa+h+|gr+r+|ga+h+|bah|hmph|pff+t?|tsk|face[ -]?palm|smh|f{2}s|wth|jf?c|sheesh"
        r"|geez|jeez|good grief|oof|d'?oh"
        r"|for (?:fuck'?s|f\w*|god'?s|christ'?s|pete'?s|heaven'?s|goodness'?|the love of \w+|crying) (?:sake"
        r"|out loud)"
        r"|c'?mon|dammit|god ?damn\w*|bloody \w+|here we go again|blah blah|bloody|frickin\w*|freakin\w*|effing"
        r"|friggin\w*|bs"
        r"|(?:oh )?for crying out loud|(?:but )?why+(?=\?!|!\?|\?\?|!)|wh?y{2,}|no{3,}(?!\w)|bruh"
        r"|are you (?:for real|having a laugh)|ggr+|gosh darn",
    ),
    feeling(
        "anger", -1, 3, 15,
        r"😡|😠|🤬|👿|凸|ブチ(?:ギレ|切れ|キレ)|ぶち(?:ギレ|切れ|キレ)|激おこ|怒髪|ハァ\?|てめえ|てめー|貴様"
        r"|(?:馬鹿|バカ|ばか)(?:野郎|やろう|やろー|か(?=[!?。お]|$)|!|じゃない|なの\?)",
        r"(?:what|who|why|where|how) (?:the|in the|in|on) (?:actual |bloody |literal )?(?:hell|heck|fuck\w*|f"
        r"|world|earth|blazes|ever loving \w+)|wtaf|stfu|gtfo"
        r"|piece of (?:crap|shit|junk|garbage|trash)|pos(?=[!.]|$)|dumpster ?fire|shit ?show|shit(?:ty)?|arse"
        r"|asshole|idiots?|morons?|bastards?|fuming|seething|enraged|raging"
        r"|rage[ -]?quit\w*|see(?:ing)? red|blood (?:is )?boil\w*|boiling mad|loath\w+|despise|detest|shame on"
        r"|go to hell|hell no|how dare|don'?t you (?:dare|ever)",
    ),
    feeling(
        "sadness", -1, 2, -6,
        r"[😢💔😞😔☹🙁😿😥🥀]|t[_.]t|;[_ω;];|ぴえん|ぐすん|グスン|シクシク|しくしく|[うわ]えーん|えーん"
        r"|うわーん|うう(?:ぅ|っ|…|\.|、)",
        r"boo ?hoo|sob(?:s|bing)?|sniff(?:le)?s?|alas|welp|(?<=\s)(?::-?\(|:'-?\(|=\(|:c|</3)",
    ),
    feeling("sadness", -1, 1, 0, r"😭|🥲|🥺|泣(?=\)|$)", r"oh man|aw man|rip(?=[.!, ]|$)"),
    feeling(
        "anxiety fear", -1, 2, 12,
        r"[😱😨😰😟😬😧😦😓]|ガクブル|がくぶる|ひ[ぃい]{2,}|ひぇ|ひえ[ーっえぇ]|ヒエ|ぎゃ[ーあぁ]|ギャー|あわわ"
        r"|アワアワ|おろおろ|オロオロ|あたふた|アタフタ|うわ[ああぁー]{2,}|助けて|たすけて",
        r"eek+|yikes|uh[ -]?oh+|gulp|help+(?= *(?:!|me!|please!|plz|pls)|$)|(?:please )?(?:somebody"
        r"|someone) help|sos|mayday|oh (?:no+|god|dear|crap|shit|fuck)(?! thanks)|no no no+|omg no"
        r"|i'?m dead(?=[!. ]|$)|holy (?:crap|shit|hell|fuck)|oh my god no",
    ),
)
_OTHER: Final = (
    feeling(
        "surprise", 0, 1, 15,
        r"う(?:そ|っそ)(?:でしょ|だろ|!|\.\.|ー)|(?:^|[。!?])え[、っー!?]|まじ[!?]|マジ\?|びびった|ビビった"
        r"|仰天|目を疑|唖然|絶句|たまげ|😲|😮|🤯|😳|ちょっと待って",
        r"omfg|gosh|my goodness|blimey|crikey|wait,? what|what\?!|speechless|stunned|out of nowhere|for real\?"
        r"|gobsmacked|flabbergasted|dumbfounded|startled",
    ),
)
# fmt: on

EMOTION_EXCLAMATIONS: Final[tuple[EmotionPattern, ...]] = (*_POSITIVE, *_NEGATIVE, *_OTHER)
