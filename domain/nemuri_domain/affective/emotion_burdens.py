"""Expressions of tiredness, worry, grief and loneliness by what happened and by what the body feels.

The patterns expect text in NFKC and case-folded.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, adjectives, feeling

_NEAR: Final = (
    r"(?:mom|mum|mother|dad|father|parents?|wife|husband|partner|boyfriend|girlfriend|son|daughter|baby|gran\w*"
    r"|brother|sister"
    r"|uncle|aunt|cousin|friend|dog|cat|puppy|kitten|pet|hamster|rabbit|bird|best friend|mentor)"
)
# fmt: off
EMOTION_BURDENS: Final[tuple[EmotionPattern, ...]] = (
    feeling(
        "", -1, 2, -6,
        rf"疲れ(?!を知ら|が(?:取|と)れ|知らず)|つかれ[たてま]|くたくた|クタクタ|へとへと|ヘトヘト|ぐったり"
        rf"|グッタリ|へばっ|バテ|ばて[たて]|燃え尽き|(?:徹夜|残業|深夜対応|夜勤|休日出勤|連勤|夜間対応)(?:続"
        rf"|明け|ばかり|が続|で(?:も|、)|です|だ|して)|(?:三|四|五|[3-9]|何)日連続|寝(?:不足|てな|れてな|る暇)"
        rf"|眠(?:い(?=[、。!…ー]|$|し|です|よ)|くて)|余裕(?:が|も)?な|追われて|パンクし(?:そう|た)|頭(?:が"
        rf"|も)(?:回ら|働か|動か"
        rf"|真っ白|パンク|痛い)|(?:集中|熟睡)でき(?:な|ま)|手につかな|元気(?:が|も)?(?:出な|な[い。]|でな)"
        rf"|気力(?:が|も)?(?:な|出な|湧か|わか|尽き)|やる気(?:が|も)?(?:出な|起き|でな|な[いく]|ゼロ|失)"
        rf"|(?:する|やる)気(?:が|も|に)?(?:起き|なら|しな)|ゼーハー|満身創痍|過労|休みたい|寝たい|帰りたい"
        rf"|(?:体|身体|腰|肩|目)が(?:きつ|キツ|痛|しんど|重|悲鳴|もた|限界)|(?:もう)?もたな[い!]"
        rf"|{adjectives('しんど|だる|ダル|かったる|きつ|キツ|めんど|めんどくさ|面倒くさ|面倒臭')}",
        r"(?:so|i'?m|i am|we'?re|feel\w*|completely|totally|utterly|absolutely|mentally|physically|just|and"
        r"|really|look|was) (?:\w+ )?exhausted|exhausted(?=[!.,]|$| (?:and|but|today|from|after|by|me))"
        r"|exhausting|knackered|worn (?:out|down)|wearing me (?:out|down)|(?:so|dead|really|very|too|bone|just"
        r"|i'?m|am|super|getting|feel) (?:\w+ )?tired(?! of the)|sleepy|sleep[ -]?deprived|(?:brain|head"
        r"|mind) is (?:\w+ )?(?:fried|mush|toast|foggy|dead|numb|melting|pudding|full|spinning)"
        r"|brain[ -]?(?:dead|fog|fried)|fried(?=[!.,]|$)|keep my eyes open|eyes (?:are )?(?:burn\w*|closing"
        r"|bleeding)|(?:haven'?t|(?:i|we) (?:barely|hardly|didn'?t|have not)) (?:\w+ )?sle(?:pt|ep)|(?:with|on"
        r"|had|got|getting|running on) (?:almost |barely )?no sleep|need (?:a (?:break|nap|vacation|holiday"
        r"|drink|rest)|sleep|rest)|(?:up|awake|at (?:it|this)|working|on call) (?:since|all night|until|till"
        r"|for (?:\w+ )?\d*\w* ?(?:hours|days|nights)|\w+ nights?)|(?:second|third|fourth|fifth) night"
        r"|all[ -]?nighter|burn(?:ed|t|ing|out)?[ -]?out|burned-out|burnout|overwork\w*|overload\w* (?:me"
        r"|with work)|no energy|(?:nothing|little) left (?:to give|in me|in the tank)"
        r"|running on (?:\w+ )?(?:fumes|empty|caffeine|coffee|no sleep)|on my last legs|weary|drain(?:ed"
        r"|ing)(?=[!.,]|$| i| by| after| and)|dead on my feet|zombie(?= today)|can barely (?:think|read|stand"
        r"|function|keep|see|type)|at (?:my|the) limit|stretched (?:too )?thin|swamped|drowning in|buried (?:in"
        r"|under)|snowed under|crunch(?:ing)? (?:time|for weeks|again)",
    ),
    feeling(
        "anxiety", -1, 2, 6,
        rf"不安(?!定)(?=.)|不安$|(?:ど|何)うしよう(?=[。!…、ー\.]|$|か)|どうしよ(?=[。!…、ー]|$)|たらどうしよう"
        rf"|テンパ[っるり]|てんぱ[っるり]|パニク[っるり]|ぱにく|パニくっ|焦[らり](?:ます|ない(?!で)"
        rf"|せ)?(?=[まで。、]|し)|あせ(?:って|る[。!])|慌て(?:て(?:い|る|ま)|た)|そわそわ|ソワソワ|もやもや"
        rf"|気が気(?:で|じゃ)|落ち着か(?:な|ず|ん)|胃(?:が)?(?:痛|キリ|きり|に穴)|吐きそう|手(?:が|の|も)?震え"
        rf"|足が(?:震|すく)|心臓(?:が|に)?(?:バク|ばく|止ま|痛|飛び|悪)|冷や汗|ひやっ|ヒヤッ|ヒヤリ|血の気が"
        rf"|青ざめ|真っ青|頭が真っ白|嫌な(?:予感|汗)|胸騒ぎ|自信(?:が|も|を)?(?:な[いくか]|持てな|無[いくか]"
        rf"|もてな|ゼロ|失)|(?:間に合|終わ|でき)(?:う|る|わ)?(?:気がし(?:な|ま)|か(?:な|どうか)?(?:不安|心配"
        rf"|怪し)|わなそう|わないかも|わなかったら)|ヤバ(?:い|っ|す)(?!くらい|ほど|楽|め|いい)|やば(?:い|っ"
        rf"|す)(?=[。!…、ー\.]|$|です|よ|な|かも|ぞ|って)(?!、?これ(?:めちゃ|最高|面白|楽し|すご|いい|好き))"
        rf"|まずい(?=[。!…、ー\.]|$|です|よ|な|かも|ぞ)|取り返しがつか|ピンチ|修羅場|炎上|綱渡り|崖っぷち"
        rf"|プレッシャー|重圧|押しつぶされ|押し潰され|誤送信|動揺し|うろたえ|気が動転|怖気|(?:家賃|生活|将来"
        rf"|老後|ローン).{0,8}(?:どうし|不安|心配|払え)|(?:考え|思う)(?:る)?(?:と|だけで)(?:眠れ|胃|夜も|憂鬱"
        rf"|吐|ぞっ|怖|気が)|憂鬱|気が(?:重|滅入|進ま)|{adjectives('心許な|こころもとな|心細|恐ろし')}",
        r"(?:worried sick|stressing|on tenterhooks|jittery|jumpy|apprehensive|antsy|restless|rattled|shaken"
        r"|shaky|i'?m tense|paranoid|distressed|agitated)|stress(?:ing|es)? (?:me|out|about|over)|stressed"
        r"|stress is|so much stress|sick to my stomach|stomach (?:is|in|dropped|churn\w*|hurts)|(?:heart"
        r"|pulse) (?:is |was |keeps |just )?(?:racing|pounding|sank|sinking|in my (?:mouth|throat)|stopped"
        r"|dropped|skipped|beating)|(?:hands?|legs?|knees?) (?:are |is |were |keep |won'?t stop )?(?:shak\w*"
        r"|trembl\w*|sweat\w*)|cold sweat|panick?(?:ing|ed|y)?(?= (?:here|about|now|mode|a bit|attack|right now"
        r"|because|over)|[!.,]|$)(?<!kernel panic)|(?:i'?m|we'?re|i am|kind of|starting to|started|having a"
        r"|full|total|in|bit of a|don'?t) (?:\w+ )?panic\w*|can'?t (?:sleep|stop (?:thinking|worrying|shaking)"
        r"|calm down|breathe|eat|relax|focus because)|second-?guess\w*|breathing down my neck"
        r"|nowhere near (?:done|ready|finished)|(?:don'?t|not) (?:know|sure) (?:how|if) (?:i'?ll|i can|i will"
        r"|we'?ll|i'?m going to) (?:\w+ )?(?:pay|survive|live|make|manage|cope|afford|keep|finish|handle"
        r"|recover|get through)|don'?t think (?:i|we) (?:can|could|will) (?:\w+ )?(?:do|make|take|keep|go"
        r"|handle|finish|continue|survive)|can'?t (?:concentrate|focus|eat|think of anything)"
        r"|running out of (?:time|options|ideas|patience)|(?:not|never) going to make it|won'?t make (?:it"
        r"|the deadline)|out of my depth|over my head|in over my|bad feeling|don'?t feel good about|gut (?:says"
        r"|tells)|what if (?:i|it|we|they|he|she|something|this|everything|nobody|the (?:boss|client|migration"
        r"|deploy|baby|test))\b(?=.{0,60}(?:\?|break|lose|fail|wrong|hate|fire|laugh|mess|die))"
        r"|please tell me (?:it'?s|there'?s|you|we|this|i)|don'?t want to (?:mess|screw|break|lose|ruin|let)"
        r"|(?:keeps?|kept|keeping) me (?:up|awake)|on my mind|keep worrying|looming|(?:doom|dread)\w*"
        r"|deadline (?:is )?(?:tomorrow|tonight|killing|looming|in an hour)|pressure (?:is|on me|from)"
        r"|walking on eggshells|nerve[ -]?wrack\w*|butterflies|worri(?:ed|some)|concerned(?= about (?:my"
        r"|the future|losing)| that (?:i|we) (?:might|may|will))|nervous\w*|uneas(?:y|iness)|unsettl\w*"
        r"|insecure|spiral+ing|losing sleep|is filling up and|i can'?t stop it|mess (?:this|it) up|bricking it"
        r"|crapping myself|shitting bricks|in hot water",
    ),
    feeling(
        "fear", -1, 3, 12,
        rf"{adjectives('怖|こわ(?!れ)|恐|おそろし|おっかな')}|怖す|鳥肌が(?:立|たっ)(?!.{{0,6}}(?:すご|凄|感動"
        rf"|最高))|ぞわ|ゾワ|ゾクッと|びくびく|ビクビク|おびえ|怯え|恐怖|悪夢|生きた心地|背筋が(?:凍|寒|ぞ)"
        rf"|身の毛|トラウマ|びびって|ビビって",
        r"scared|scar(?:y|ier|es|ing)|petrif\w+|terrif\w+|terror|in dread|dread(?:ing|ed)?(?= (?:of|the|to|it"
        r"|monday|tomorrow|every|this|telling))|(?:gave|gives|giving|got) me (?:the )?(?:chills|creeps"
        r"|goosebumps)|chilling|creep(?:y|ed me out)|spook(?:ed|y)|horrified|i'?m afraid(?= (?:to|of|it will"
        r"|it'll|i'?ll|i will|we'?ll|i'?m going|i might|they'?ll|he'?ll|she'?ll|he might))|afraid (?:to|of)"
        r"|fear(?:ing)? (?:of|for|that|the worst)|i'?m (?:literally |still |actually )?(?:shaking|trembling)"
        r"|shaking like|worst fear|frightened|alarming|haunt(?:s|ed|ing)",
    ),
    feeling(
        "sadness", -1, 3, -12,
        rf"{adjectives('悲し|哀し|かなし|切な|せつな|つら|ツラ|辛(?!口|子)|苦し|くるし|虚し|むなし|やるせな|やりきれな|情けな|惨め|みじめ')}"
        rf"|みじめ|惨めだ|哀れ|へこ(?:む|ん)|ヘコ(?:む|ん)|凹(?:む|ん)|しょんぼり|しょげ|ショボン|落ち込|落胆"
        rf"|意気消沈|気落ち|塞ぎ込|ふさぎ込|沈んで|泣(?:い|き(?!止)|け|く)|涙(?!ぐましい)|号泣|嗚咽|ぽっかり"
        rf"|報われな|報われず|いてもいなくても|ホームシック|望み(?:が|も)(?:消|絶|な)|希望(?:が|も)(?:消"
        rf"|な[いく]|失|見え)|お礼(?:すら|も|の一つも)な|救いようがな|手に負えな|必要とされ(?:て)?(?:い)?な"
        rf"|気持ちが(?:沈|重|暗|晴れ(?:な|ま))"
        rf"|暗い気持ち|(?:(?:楽し|嬉し|幸せだ|よ|良|平和だ)(?:かっ|っ)た)?(?:頃|ころ|昔|あの日|前|時)に戻りたい"
        rf"|お先真っ暗|先が見えな|胸が痛|旅立ち(?:ました|まし"
        rf"|った)|旅立(?:って|った)|虹の橋|看取|永眠|亡(?:くな|き)|訃報|死んじゃ|死んでしま(?:い|っ)|失恋"
        rf"|振られ|フラれ|ふられ|捨てられ|裏切られ|(?:面接|試験|選考|受験|オーディション|大学|会社|昇進|審査"
        rf"|公募)(?:に|で|は)?.{{0,4}}(?:落ち(?:た|ました|て)|でき(?:なかった|ず)|見送り|不合格|お祈り)|不合格"
        rf"|落選|クビに|リストラ|解雇|(?:誰|だれ)も(?:来|見|使っ|読ん|褒め|気づ|祝)(?:て)?(?:い)?(?:くれ)?な"
        rf"|もう会えな|会えなくな|さよなら|お別れ|いなくな(?:った|って)(?=.{{0,12}}(?:寂|悲|辛|つら|。|…|$))"
        rf"|ショック|打ちひしが|胸が(?:痛|張り裂|苦し|締め付)|心が(?:痛|苦し|重|空|寒|死)|傷つ(?:い|き|け)|喪失"
        rf"|生きがいを|悲惨",
        rf"gutted|heart[ -]?(?:broken|breaking|ache)|break(?:s|ing)? my heart|broke my heart|bummed(?: out)?"
        rf"|bummer|devastat\w+|distraught|dejected|despondent|sorrowful|mourn\w*|griev\w*|weep\w*|wept|teary?"
        rf"|in tears|tear(?:s|ing) up|(?:feel(?:ing)?|felt|been|so|a bit|bit|quite|really"
        rf"|pretty) (?:\w+ )?(?:down|blue|low|glum|gloomy|sad|empty|hurt|lousy|crappy|rotten|miserable|awful"
        rf"|heavy)(?! (?:the|to|on|latency|level|load|cpu|memory|\w+rate))|can'?t stop crying"
        rf"|cry(?:ing)? (?:all|my|myself|in|over|at|every)|miss (?:the (?:days|times?|old|feeling)|when|him|her"
        rf"|them|you|it|my \w+|our \w+|the old|home|being|working|having|those)"
        rf"|my (?:\w+ )?{_NEAR} (?:\w+ )?(?:died|passed|is dying|is in (?:the )?hospital|is (?:very "
        rf"|really )?(?:ill|sick)|left|has cancer|was diagnosed|got diagnosed|is gone|was put down)|(?:lost"
        rf"|losing|buried|put down) my (?:\w+ )?{_NEAR}|(?:didn'?t|did not|won'?t|never) (?:even )?(?:get|got"
        rf"|make) (?:the|in|into|that|it in) ?(?:promotion|job|role|offer|raise|grant|cut|part|scholarship"
        rf"|finals|place|interview|visa|apartment|flat)?(?=[!.,;]|$| after| and| again)"
        rf"|without (?:even )?saying (?:goodbye|a word)|doesn'?t look good|turned (?:me|us) down|let go today"
        rf"|(?:(?:i|we|he|she|they)(?:'ve|'m)? (?:just |was |were |got |been |am )+|got |being )(?:laid off"
        rf"|let go|fired|rejected|dumped|ghosted|passed over|turned down|cheated on|made redundant|cancelled"
        rf"|bullied|humiliated)|(?:we|i) lost the (?:pitch|client|deal|game|match|contract|case|baby|house)"
        rf"|(?:project|trip|wedding|event|product|show|team)(?: \w+)? (?:got|was|is being"
        rf"|has been) (?:cancel+ed|killed|axed|shut down|dissolved|scrapped)|left me|dumped me|divorc\w+"
        rf"|(?:hurts?|hurting)(?= (?:so|to|that|a lot|me|like|my|deeply)|[!.]|$)|nothing feels|feel nothing"
        rf"|no joy|sad\w*|downhearted|crestfallen|upsetting|tragic|tragedy|let down(?=[!.,]|$| by)"
        rf"|feel like crying|(?:everybody|everyone|we|i) worked so hard|for the last time|say goodbye"
        rf"|final goodbye|never (?:see|hear|talk to) (?:him|her|them|it) again|gone forever|letting (?:everyone"
        rf"|him|her|them) down|what could have been|wasn'?t enough|(?:nobody|no one) (?:came|showed up"
        rf"|remembered|cares?|cared|liked)(?=[!.,]|$| (?:to|about|when|my))",
    ),
    feeling(
        "loneliness", -1, 3, -10,
        rf"{adjectives('寂し|さびし|さみし|淋し|心細|人恋し')}|孤独|孤立|ぼっち(?=[。!でだにな]|$|飯)|(?:友達"
        rf"|友人|話せる人|話し相手|相談(?:相手|できる人)|味方|頼れる人|仲間|同僚|分かってくれる人"
        rf"|わかってくれる人)(?:が|も|なんて)?(?:一人も|誰も|ひとりも)?(?:い(?:な[いくか]|ませ)|でき(?:な"
        rf"|ませ))|誰(?:に|から|と)も(?:相談|話|言え|頼|連絡|声|会|必要|理解|誘)|誰も(?:い(?:な|ませ)|聞いて"
        rf"|わかって|分かって|味方|気(?:に|づ)|祝)|話し相手(?:に|が)|一人(?:きり|だけ)?で(?:寂|辛|つら|抱え|泣"
        rf"|過ご|ずっと)|ひとりで(?:寂|辛|つら|抱え|泣|過ご)|置いて(?:い)?かれ|取り残され|仲間外れ|仲間はずれ"
        rf"|無視され|人肌|会話が(?:な|一度も|全く)",
        r"lonel\w+|lonesome|all by myself|so alone|isolat(?:ed|ion)(?= and| here|[!.]|$| from (?:everyone|my"
        r"|people))|invisible(?=[!.,]|$| (?:at|to|here|in (?:the|my) (?:team|office)))"
        r"|(?:i )?haven'?t (?:talked|spoken|seen|left|laughed|smiled|been outside)(?: \w+){0,6} (?:in|for"
        r"|since)|(?:don'?t|doesn'?t) matter(?: to anyone| to them|[!.]|$)(?<!it doesn't matter)|(?:nobody"
        r"|no ?one)(?: \w+){0,4} (?:reviews my|reads my|answers me|replies to me|talks?|listens?|understands?"
        r"|cares?|gets me|to talk to|calls?|texts?|invites?|invited)|no friends|(?:single|any"
        r"|real) friends?(?= here|[!.]|$)|(?:only|just) (?:one|person|thing|you) (?:\w+ )?(?:i can|who"
        r"|that) (?:talk|confide|listens|understands|i have)|(?:you'?re|you are) (?:the only|all i have"
        r"|my only)|without me(?= again|[!.]|$)|don'?t (?:have|know) any(?:one|body) (?:here|to|else|who)"
        r"|have no ?(?:one|body)|eat(?:ing)? alone|spen[dt]\w* (?:\w+ )*alone|by myself again|(?:feel|feeling"
        r"|felt) (?:\w+ )?(?:left out|unwanted|unloved|forgotten|excluded|like an outsider|cut off|alone"
        r"|isolated|ignored)|outsider|shut out|ghosted",
    ),
    feeling(
        "regret sadness", -1, 2, 0,
        rf"{adjectives('悔し|くやし|口惜し')}|(?:消|壊|落と|なく|無く|失く|飛ば|吹き飛ば|上書き|削除|やらか"
        rf"|間違え|しくじ|送|漏ら|バラ|誤送信|間違って.{{0,6}})(?:し|え|れ|っ)?(?:て)?(?:しまっ|しまい|ちゃっ"
        rf"|ちまっ|ちゃい)(?:た|まし)|やらかし(?:た|て|ま)|(?:ファイル|データ|コード|変更|作業|履歴|ブランチ"
        rf"|成果|写真|原稿|記録)(?:が|も|を|ごと)?(?:全部|すべて|全て|まるごと|丸ごと|勝手に"
        rf"|ごっそり)?(?:消え(?:て|た|ち|ま)|吹っ飛|吹き飛|飛んだ|飛んでっ|なくなっ|失われ"
        rf"|パー)(?=\w{{0,6}}(?:!|…|\.\.|けど|んだ|じゃ|しま|。?$))|ごと(?:吹っ飛|吹き飛|消え|飛ん)"
        rf"|全部(?:消え(?:て|た(?!ら)|ち)|飛ん|パー|吹っ飛|無駄|水の泡|消し(?:やが|て|ちゃ))",
        r"(?:i|we) (?:\w+ )?(?:accidentally |stupidly |just )+(?:deleted|dropped|wiped|pushed|overwrote|lost"
        r"|broke|sent|emailed|force[ -]pushed|leaked|ruined)|where did (?:\w+ ){0,4}go\?*|(?:files?|work|data"
        r"|photos|changes|commits|everything|branch|repo) (?:is|are|has|have|just)? ?(?:all )?(?:gone|vanished"
        r"|disappeared|wiped)(?=.{0,20}(?:!|\?|$|\.))|that was (?:the |my |our )?(?:live|prod\w*|production"
        r"|only (?:copy|backup))|wiped (?:my|the|our|out)|(?:deleted|dropped|destroyed|trashed|nuked) (?:my|our"
        r"|the (?:prod\w*|live|whole|entire|only))|what have i done|screwed up|messed up|fucked up"
        r"|(?:i )?blew it|my bad(?=!)|facepalming|kicking myself|i'?m such an idiot|stupid me|so stupid of me"
        r"|hate myself|mad at myself|so embarrassed|mortified|humiliat\w+|embarrass(?:ed|ment)",
    ),
)
# fmt: on
