"""The lexicon of emotion words, Japanese and English (document 001, emotional tags).

The patterns expect text in NFKC and case-folded: "！" is "!", "……" is "......", and there are no capitals.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, feeling

_TOLD: Final = r"(?=[!,~、。ー]|よ|ぞ|ね|ぜ|$)"
"""Look-ahead that is true if the word before it is exclaimed, not only mentioned."""
_TOLD_BADLY: Final = r"(?=!|\.\.|…|よ[ー。!]|んだけど|じゃん|ちゃっ|てしま|しま(?:った|い)|:\()"
"""Look-ahead that is true if a failure is lamented, not only reported."""


# fmt: off
_POSITIVE: Final = (
    feeling(
        "joy", 1, 3, 8,
        rf"(?:^|(?<=[\s!、。,.やっ]))(?:やった)+[ーぁあっ]*{_TOLD}|わーい|最高(?=[!、。だでにの]|$)(?!の?(?:値"
        rf"|気温|速度|裁))|幸せ|しあわせ|大喜び|飛び上が",
        r"yay+|woo+ ?hoo+|hooray|hurray|overjoyed|thrilled|ecstatic|so happy|best (?:day|news)(?: ever)?",
    ),
    feeling(
        "joy", 1, 2, 6,
        r"嬉し|うれし|喜(?:ん|び)|楽し(?!みにし)|大好き|すごい|凄い|すげ[えー]|素晴らし|素敵|さすが|おめでと",
        r"happy(?! path)|happiness|joy(?:ful)?|delighted|wonderful|fantastic|awesome|amazing|brilliant|congrat\w*"
        r"|(?:i|we) love (?:it|this|that)|great news|so (?:cool|good|glad)",
    ),
    feeling(
        "pride", 1, 2, 4,
        rf"でき(?:た|ました)(?:ー|~)*(?=[!]|よ|ぞ|ぜ)|成し遂げ(?:た|まし)|やり遂げ(?:た|まし)|やりきった"
        rf"|達成(?:し|感|!)|乗り越え|誇らし|誇りに|自慢|合格し|優勝|"
        rf"ついに.{{0,12}}(?:た|した){_TOLD}|やっと.{{0,12}}(?:た|した){_TOLD}",
        r"(?:i|we) (?:really )?(?:did|made|nailed|cracked|won|aced) it|nailed it|proud|pulled it off|accomplish\w*"
        r"|finally (?:got|did|made|works?|working|solved|finished|passed|fixed)|(?:i|we) (?:passed|won)",
    ),
    feeling(
        "excitement", 1, 2, 15,
        r"わくわく|ワクワク|テンション(?:が)?(?:上が|高)|興奮|楽しみ(?!方)|待ちきれ|盛り上が|熱い展開|(?:^"
        r"|[!、。 ])きた[ーあ!]",
        r"can'?t wait|excit(?:ed|ing)|hyped|pumped|stoked|let'?s go+!",
    ),
    feeling(
        "satisfaction", 1, 1, -12,
        r"まあまあ|まずまず|そこそこ|ぼちぼち|(?<!は)悪くな[いか]|いい(?:感じ|ね|な[あー。!])|良い感じ|良さそう"
        r"|よさそう|満足|納得(?!い)|気に入(?!らな)"
        r"|(?:上手|うま)くい(?:っ[たて]|き(?!ま?せん))|問題な(?:さそう|く動)|完璧",
        r"not (?:too |so |that |half )?bad|so-so|could be worse|pretty (?:good|nice|decent)|good enough|decent"
        r"|alright i guess"
        r"|satisf(?:ied|ying|action)|looks (?:good|great|nice)|nice|works (?:well|fine|great|nicely|perfectly)"
        r"|pleased"
        r"|content with|happy enough|well done|(?:good|great) job|perfect(?:ly)?|great(?=[!.,]|$)",
    ),
    feeling(
        "", 1, 1, 4,
        r"成功(?!率)|(?:通|直|治|動|受か|間に合)(?:った|いた|りました|きました|いました)(?=[!、。よね]|$)"
        r"|解決し(?:た|ました)|良かった|よかった",
        r"success(?=!)|(?:i|we) succeeded|it works(?= ?(?:!|now|again|great|perfectly|$))|(?:is|all"
        r"|it'?s) (?:working|green|fixed) now|solved",
    ),
    feeling(
        "relief", 1, 2, -10,
        r"ほっと(?:し|する|!|。|$)|ホッと|安心(?=し|だ|です|!|。|$)|一安心|無事(?:で|に)|肩の荷"
        r"|(?<!に)助かっ[たて]|安堵",
        r"relie(?:f|ved)|phew|thank (?:god|goodness|heavens)|weight off|glad (?:it|that|you|to|we)|finally over"
        r"|can breathe",
    ),
    feeling(
        "gratitude", 1, 1, 0,
        r"ありがと|感謝|有難|有り難|恩に着|おかげ(?:さま|で)|サンキュ|助かり(?:ます|ました)",
        r"thank(?:s| you)(?! (?:god|goodness|heavens))|thx|grateful|(?:i|we|much|really) appreciated?|gratitude",
    ),
    feeling(
        "hope", 1, 1, 3,
        r"希望(?:が|を持|に満)|期待し(?:て|た)|(?:ます|でき|なり)ように(?=[。!]|$|と祈|と願)|祈って|願って"
        r"|楽しみにし|きっと(?:うま|大丈夫|でき)|前向き",
        r"(?:i|we) hope|hop(?:eful|ing) |looking forward|(?:i'?m|am|feel\\w*|cautiously) optimistic"
        r"|fingers crossed|hopefully",
    ),
    feeling(
        "love", 1, 3, 3,
        r"愛して|愛し[いさ]|愛情|恋し(?!た)|惚れ|いとおし|愛おし|大切な人|ずっと一緒に",
        r"love (?:you|him|her|them|my \w+)|beloved|adore|in love|(?:i|we) cherish",
    ),
    feeling(
        "curiosity", 1, 1, 3,
        r"気にな(?:る|って|り)|興味|知りたい|面白|おもしろ|不思議(?!の国)|なんでだろ|何故だろ|へえ|へぇ|好奇心",
        r"curious|curiosity|interesting|fascinat\w+|(?:i|just) wonder(?:ing)?|i'?m wondering|intrigu\w+"
        r"|want to (?:know|learn) (?:more|how|why)",
    ),
)
_NEGATIVE: Final = (
    feeling(
        "sadness", -1, 3, -15,
        r"悲し|かなし|泣(?:い|き|け|く)|号泣|涙|絶望|亡くな|失恋",
        r"sad(?:ly|ness|der)?|cry(?:ing)?|cried|tears|heart-?broken|depress(?:ed|ing)|miserable|grie(?:f|ve"
        r"|ving)|devastat(?:ed|ing)|unhappy|sorrow|passed away|feel(?:ing)? (?:so |really )?(?:down|low|empty)"
        r"|hopeless",
    ),
    feeling(
        "sadness", -1, 2, -10,
        r"残念|がっかり|ショック(?:だ|で|を受)|寂れ|虚し|むなし",
        r"disappoint(?:ed|ing|ment)|bummed|too bad|what a (?:pity|shame)",
    ),
    feeling(
        "anger", -1, 3, 15,
        r"ふざけ(?:んな|るな|てんの|てる|やが|ない)|いい加減に|むかつ|ムカつ|ムカムカ|腹(?:が|の)立|腹立"
        r"|怒(?:って|り[がをで!]|る|った|鳴)|キレ(?:る|た|て|そう)|許せ(?!ば)な|許さ(?!れ)な|なめてんの|何様"
        r"|くそ[っ!がー]|クソ[がっ!ー]|ばかにし|バカにし|馬鹿にし|うざ[いっ]|ウザ|イラつ|頭にき|頭に来"
        r"|なんなんだよ|何なんだよ|黙れ",
        r"(?:are|r) (?:you|u) (?:kidding|serious|joking)|wtf|what the (?:hell|fuck|heck)|damn(?:ed|it)?"
        r"|bullshit|crap|f+uck\w*|shut up|furious|angry|pissed|outrag(?:ed|eous)|infuriat\w+|how dare"
        r"|give me a break|sick of|enough is enough|screw (?:this|you)|unacceptable|livid|so mad|stop (?:lying"
        r"|messing)",
    ),
    feeling(
        "frustration", -1, 2, 8,
        r"イライラ|いらいら|もどかし|(?:上手|うま)くいか(?!な?ければ)|また(?:失敗|エラー|落ち|壊れ|同じ"
        r"|か[よ!。])|何[度回](?:も|やっても|試しても|言え|言った)|いつまで|わけがわからな|どうしても(?:動|でき"
        r"|直|通)|最悪|勘弁|うんざり|めんどくさ|面倒(?:だ|な|くさ|臭)|時間の無駄|使えな[いす]",
        r"frustrat\w+|annoy(?:ed|ing|s)|still (?:not |does(?:n'?t| not) |is(?:n'?t| not) |do(?:n'?t| not) "
        r"|won'?t )?(?:work\w*|fail\w*|broken|crash\w*|wrong)|(?:over and over|(?:fail\\w*|break\\w*|same \\w+"
        r"|crash\\w*) again and again|for the (?:third"
        r"|fourth|fifth|tenth|hundredth) time)|keeps? (?:failing|breaking|crashing)|fed up|tired of|ugh+|argh+"
        r"|waste of (?:time|my)|terrible|horrible|the worst|awful|useless|(?:is|such|total|pure"
        r"|this) garbage(?! col)|hate (?:this|it|that|when)",
    ),
    feeling(
        "", -1, 1, 0,
        rf"(?:失敗(?:し(?:た|ました|ちゃ|てし))?|動かな(?:い|かった|くなっ)|壊れ(?:た|ました|てる|て)){_TOLD_BADLY}"
        r"|困(?:った|って|り(?:ま|は))|駄目|ダメ|だめ(?!な場合)|ハマっ[たて]|大変(?=[!。、だでな]|$)|嫌(?:だ|い"
        r"|に)|まず[いか]っ?た|厄介|やっかい",
        r"(?:fail(?:s|ed|ing|ure)?|broken|does(?:n'?t| not) work|not working)(?= ?(?:!|\.\.\.|:\())"
        r"|(?:i'?m|i am|we'?re|we are|been|got|so|completely|totally|really|hopelessly|still) (?:\w+ )?stuck"
        r"|(?:totally|completely|utterly|always|constantly|still|hopelessly) (?:fail\w*|broken)|in trouble|struggl\w+"
        r"|unfortunately|problematic",
    ),
    feeling(
        "", -1, 3, 5, r"いじめ(?:られ|に遭)|虐待|暴行|殴られ|死にたい|トラウマ",
        r"bullied|abused|assaulted|raped|molested|traumati[sz]ed|want(?:ed)? to die|nightmares?",
    ),
    feeling(
        "frustration regret", -1, 2, 0, r"悔し|くやし|惜しかった", r"so close and yet|kick(?:ing)? myself",
    ),
    feeling(
        "anxiety", -1, 2, 5,
        r"不安(?!定)|心配(?!性|無用)|緊張|ドキドキ|どきどき|焦(?:っ|り|る)|大丈夫かな|間に合わな|気がかり"
        r"|プレッシャー"
        r"|パニック(?:に|だ|!)|胃が痛|追い詰め|急いで[!。]|緊急(?:です|!|事態)|至急|助けて",
        r"worr(?:y|ied|ies|ying|isome)|anxious|anxiety|nervous|stressed|stressful|panick\w+|in a panic"
        r"|(?:it'?s|this is|very|really|super|extremely|so) urgent|urgent(?:ly)?(?=!| help| need|:)|asap|hurry"
        r"|(?:an|it'?s an|real) emergency(?=[!.]|$)|overwhelm(?:ed|ing)|uneasy|on edge|what if (?:i|it|we|they)",
    ),
    feeling(
        "fear", -1, 3, 12,
        r"怖(?:い|く|か|さ|が)|こわ(?:い|く|か)(?!ば)|恐ろし|恐怖|怯え|ぞっと|ゾッと|震え(?:が|て)",
        r"(?:so |really |very |i'?m )afraid(?! (?:that|i|we|you|not|so))|afraid of|scared|scary|terrif\w+"
        r"|fearful|my (?:worst )?fear|frighten\w+|horrif\w+|dread(?:ing|ful)?",
    ),
    feeling(
        "disgust", -1, 2, 3,
        r"気持ち悪|きもい|キモ[いくす]|吐き気|嫌悪|胸くそ|胸糞|汚らわし|虫酸|反吐",
        r"disgust\w*|so gross|that'?s gross|revolting|sickening|nauseat\w+|repuls\w+|yuck|eww+",
    ),
    feeling(
        "regret", -1, 2, -5,
        r"後悔|悔や|(?:て|で)おけば(?:よ|良|$)|すれば(?:よ|良)かった|れば(?:よ|良)かった|(?:する"
        r"|やる)んじゃなかった|取り返しのつか|しまった(?=[!、。…]|$)(?<!てしまった)",
        r"regret\w*|i (?:really )?should(?:n'?t| not)? (?:never )?have|i wish i (?:had|hadn'?t|could)"
        r"|if only (?:i|we|he|she|there|they|it|you)"
        r"|too late now",
    ),
    feeling(
        "loneliness", -1, 3, -10,
        r"寂し|さびし|さみし|淋し|孤独|[独1一]りぼっち|ひとりぼっち|誰も(?:いな|わかって|分かって|味方)|心細",
        r"lonel(?:y|iness)|all alone|(?:nobody|no one) (?:understands|cares|to talk|listens)"
        r"|feel(?:ing)? (?:so |very )?(?:alone|isolated)",
    ),
    feeling(
        "guilt", -1, 2, -3,
        r"罪悪感|(?:自分|私|僕|俺|わたし)のせい|迷惑をかけ|ごめん(?:なさい|ね|、|。|!|$)|申し訳な(?:い"
        r"|く)(?!の?です?[がけ]|[がけ]|んです)|合わせる顔",
        r"guilt(?:y)?|(?:all )?my fault|ashamed|i'?m (?:so |really |very |truly )sorry|i let (?:you|them|him"
        r"|her|everyone|my \w+) down|blame myself",
    ),
    feeling(
        "resignation", -1, 2, -15,
        r"(?<![てで])(?:仕方|しかた|しょうが|しよう?が)(?:が|も)?な(?:い(?!で)|かった|くて)"
        r"|(?<!けど)諦め(?:る(?!が|と|まで|回)|た(?!ら)|て(?!い)|よ)"
        r"|あきらめ[るたてよ]|もういい(?:や|よ|です|。|$)|もう無理|どうでもいい|どうせ|まあいいか|やむを得"
        r"|手の打ちようが",
        r"oh well|it is what it is|(?:(?:i|we)(?:'m| am|'re| are|'ve| have)? (?:\\w+ )?(?:giv(?:e|en|ing) up"
        r"|gave up)|(?:ready|about|going|want) to give up|(?:just |might as well |better )giv(?:e|ing) up"
        r"|^giv(?:e|ing) up)|no point(?= (?:in|any|to)|[!.,]|$)|nothing (?:more )?(?:i|we|you"
        r"|anyone) can do|can'?t be helped|whatever(?=[.,!]|$)|so be it|what'?s the use|resigned to"
        r"|i suppose that'?s (?:it|that)",
    ),
)
_OTHER: Final = (
    feeling(
        "nostalgia", 0, 2, -10,
        r"懐かし|なつかし|昔(?:は|を思|よく|みたい)|あの頃|子ども?の頃|子供の頃|学生時代|思い出(?![しせさ])",
        r"nostalgi\w+|good old days|back in the day|remind(?:s|ed) me of (?:when|my|the)|when i was (?:a (?:kid"
        r"|child|boy|girl)|young|little)|my childhood",
    ),
    feeling(
        "surprise", 0, 1, 15,
        r"びっくり|驚(?:い|き|く)|まさか|えっ|ええっ|うわ[ぁあっー!、]|信じられな|嘘(?:でしょ|だろ)|マジ(?:か|!"
        r"|で[!?])|まじ(?:か|で[!?])|意外(?:と|に|だ)",
        r"surpris(?:ed|ing|e)|wow+|whoa+|omg|oh my god|unbelievable|no way|can'?t believe|shock(?:ed|ing)"
        r"|did not expect|didn'?t expect",
    ),
    feeling(
        "confusion", 0, 1, 0,
        r"混乱|意味不明|意味がわから|どういうこと|よく(?:わから|分から)な|(?:さっぱり|全然|全く)(?:わから"
        r"|分から)|謎(?=[!。だで]|$)|戸惑|ちんぷんかん|理解できな",
        r"confus(?:ed|ing|ion)|don'?t (?:understand|get it|get why)|makes? no sense|puzzl(?:ed|ing)|baffl\w+"
        r"|i'?m lost|no idea (?:why|what|how)|huh",
    ),
    feeling(
        "determination", 0, 2, 8,
        r"(?:諦め|あきらめ)(?:な[いく]|ません|ずに)|絶対(?:に)?(?:やる|やり|勝|成功|直す)|頑張(?:る|ろ"
        r"|り(?:ます|たい))|がんば(?:る|ろ|り(?:ます|たい))|やってみせ|負けな[いく]|やり抜|必ず(?:やり|成し"
        r"|完成|間に合わせ)|覚悟(?:を|は)|決意|挑戦し",
        r"determined|(?:won'?t|will not|never|not going to|refuse to) (?:give up|giving up|quit)"
        r"|no matter what it takes|whatever it takes|bring it on|i(?:'ll| will) (?:prove|make it|get this)",
    ),
)
# fmt: on

EMOTION_WORDS: Final[tuple[EmotionPattern, ...]] = (*_POSITIVE, *_NEGATIVE, *_OTHER)
