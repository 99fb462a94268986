"""Expressions that imply an emotion without naming it: time lost, damage done, success, loss, and what the body feels.

The patterns expect text in NFKC and case-folded.
"""

from typing import Final

from nemuri_domain.affective.emotion_patterns import EmotionPattern, feeling

_I: Final = r"(?:i|we)(?:'ve| have|'m| am|'re| are|'d| had| was| were)?"
_LONG: Final = (
    r"(?:(?:\w+ )?(?:hours?|days?|weeks?|months?|ages|forever)|(?:all|half|my|the|this|an?) (?:\w+ )?"
    r"(?:day|night|morning|afternoon|evening|weekend|week|saturday|sunday|month|holiday|vacation)|ages)"
)
_STRUGGLE: Final = (
    r"(?:star(?:e|ed|ing)|fight(?:ing)?|fought|bang(?:ed|ing)|try(?:ing)?|tried|debugg(?:ed|ing)|chas(?:ed|ing)"
    r"|wrestl(?:ed|ing)"
    r"|battl(?:ed|ing)|hunt(?:ed|ing)|pull(?:ed|ing)|wrangl(?:ed|ing)|bash(?:ed|ing)|poking|struggl(?:ed|ing)|stuck)"
)

# fmt: off
_POSITIVE: Final = (
    feeling(
        "joy pride", 1, 3, 8,
        r"(?:内定|合格|採用|昇進|受賞|当選|優勝).{0,6}(?:もら|いただ|頂|決ま|でき|しました|した[!。]|した(?:よ"
        r"|ぞ|んだ)|!)|(?:受か|勝)(?:った|りました)(?=[!。よー、ぞ]|$)|(?:賞|金賞|一位|1位)を(?:取|とっ|獲|もら"
        r"|いただ)"
        r"|(?:万|千|百)人?(?:を)?(?:超え|突破|達成)|プロポーズ(?:を受け|され)|(?:子|孫"
        r"|赤ちゃん)(?:ども)?が(?:生まれ|産まれ)|初めて(?:立っ|歩い|笑っ|しゃべっ)た|(?:誉|褒)められ|ほめられ"
        r"|マージされ(?:た|ました)[!。]?|世界(?:一|最速|初)"
        r"|鼻が高|我ながら|(?:書|作|走|登|解|戦|読)(?:き|り|い)?(?:上げ|あげ|きっ|切っ|抜い)た|完走"
        r"|完成(?:し)?(?:た|ました)(?=[!よぞー])|どや(?=[。!ぁ]|$)|ドヤ|報われた|拍手(?:喝采|され|が起)|念願の"
        r"|夢が叶|夢がかな|自己ベスト|新記録",
        r"(?:i|we|he|she|they|my \w+) (?:just |finally |actually )?(?:got|landed|passed|won|aced|beat|nailed"
        r"|crushed|smashed|beaten) (?:the |my |our |a |an |it|her |his |first )(?:job|offer|promotion|raise"
        r"|role|exam\w*|test|finals?|interview|driving test|place|grant|scholarship|prize|award|contract|deal"
        r"|visa|personal best|record|in|competition|hackathon|pitch|race|award)\w*"
        r"|(?:(?:i|we|he|she|they)(?:'ve)? (?:just |finally )?(?:got|was|were|been|am) |(?:just|finally) got "
        r"|getting |my (?:\w+ ){1,2}(?:just |finally )?(?:got|was) )(?:accepted|promoted|hired|engaged|married"
        r"|published|picked|selected|featured)|(?:she|he|they) said yes|first (?:try|attempt|go|deploy"
        r"|shot)(?=[!.,]|$)|personal best|new record|(?:my|our) (?:\w+ )?(?:pr|pull request|patch"
        r"|change) (?:just |finally )?(?:got|was|is) (?:finally |just )?merged"
        r"|(?:we|i) (?:just |finally |actually )*(?:shipped|launched|released|made it|pulled|built|wrote"
        r"|finished|completed|delivered)\b(?=.{0,60}(?:!|early|on time|myself|from scratch|first|actually"
        r"|ahead))|we'?re live|it'?s alive|(?:i|we) (?:finally )?(?:understand|get|understood|cracked|figured"
        r"|mastered|learned)\b(?=.{0,40}(?:finally|at last|!|took me))|(?:it|that|this|they|i|we|is|are|has"
        r"|have|tests?|build|ci|all|everything|'s|'ve) finally (?!block|clause|be\b|need|want|remove|add|gave"
        r"|give|lost|snapped|broke|failed|crashed|died|quit)\w+|finally (?:understand|understood|figured"
        r"|cracked|managed|clicked|done)|(?:hit|reached|passed|crossed|got) (?:\w+ )?(?:\w+ )?(?:thousand"
        r"|million|hundred|\d+k|\d{3,}) (?:\w+ )?(?:users?|stars|downloads|subscribers|followers|customers"
        r"|sales|visitors)|(?:gives?|gave|giving) me (?:so much |such |a lot of |new |real )*(?:confidence|hope"
        r"|joy|energy|courage|peace)|(?:tears of joy|happy tears|crying (?:with|from|of) (?:joy|happiness)"
        r"|cry(?:ing)? happy)"
        r"|applauded|standing ovation|(?:(?:client|customer|boss|team|users|everyone|they|people|he|she|manager"
        r"|audience) (?:really |all |absolutely )?)(?:loved|praised|applauded|raved)|blew (?:them"
        r"|everyone) away|at the (?:top|finish)|hit (?:a )?(?:milestone|10k|100k|1k)|milestone reached"
        r"|from scratch all by myself|hard work (?:paid|is paying) off|paid off",
    ),
    feeling(
        "joy satisfaction", 1, 2, 5,
        r"(?:思|想像|考え|イメージ)(?:って|し|え)?(?:て)?(?:い)?た(?:通り|とおり|まま)|(?:イメージ|理想"
        r"|想像)(?:通り|どおり|そのもの|ぴったり)|ぴったり(?:です|だ|!|。)|(?:一発|1発|一瞬)で(?:動|直|通|解決"
        r"|でき|決ま)|(?:通り|動き|直り|でき|治り|解け|繋がり|つながり)ました[!ー]"
        r"|笑いが止ま|(?:笑顔|にやけ|ニヤニヤ|にやにや|ニヤけ)|(?:可愛|かわい)(?:い|く|すぎ)(?!そう)|尊い"
        r"|頼りに(?:し|なる|なり)|(?:いて|いてくれて|出会えて|使って|頼んで|聞いて|相談して|生きて"
        r"|続けて)(?:本当に)?(?:よか|良か)った|想像以上|(?:分|わ)かりやす(?:い|か)(?:です|った|!|。)"
        r"|あなたのおかげ|君のおかげ"
        r"|(?:ここまで|こんなに).{0,12}(?:とは思わな|なんて|とは[!。])|何とかなった|なんとかなった|(?:倍|%"
        r"|パーセント)(?:も)?(?:速|早)くな(?:った|り)",
        r"(?:that|this|it) (?:did|does|was|is) (?:the trick|exactly (?:it|what|how|the)|the missing piece|it!"
        r"|just the thing|a (?:joy|pleasure|delight|treat|dream|blast|win|beauty|thing of beauty)|gold|genius"
        r"|a masterpiece|art)|(?:exactly|just) (?:what|how|as|like) (?:i|we) (?:had|imagined|pictured|hoped"
        r"|dreamed|expected|wanted|needed|asked)"
        r"|better than (?:i|we|anything)(?:'d| had| have)?(?: ever)? ?(?:\w+ )?(?:to )?(?:hoped|expected"
        r"|imagined?|dared|dreamed|thought)|(?:you|you'?ve) (?:nailed|did|crushed|killed|smashed) it"
        r"|you'?re (?:amazing|awesome|incredible|brilliant|fantastic|wonderful|unbelievable|a genius|so (?:good"
        r"|smart|helpful|kind|patient))"
        r"|hug you|kiss you|marry (?:me|you)|saved me|gorgeous|stunning|so (?:slick|smooth|clean|sick"
        r"|satisfying|pretty|much better|nice|fun|sweet|proud|happy|lucky|fast now)|buttery|without a hitch"
        r"|like a new (?:person|man|woman)|(?:so|really|insanely|crazy|blazing|blazingly|super) fast(?: now|!)"
        r"|worth (?:it|the (?:wait|pain|effort|trouble))|heart is full|walking on air|feel(?:s|ing)? (?:so "
        r"|really |pretty |absolutely )?(?:great|good|amazing|fantastic|wonderful|alive|lucky|blessed"
        r"|accomplished|unstoppable|confident|on top)|on top of the world|good to (?:see|have|be back)"
        r"|best (?:\w+ ){0,4}(?:ever|in years|i'?ve (?:ever )?(?:had|seen|used|read))|couldn'?t be (?:better"
        r"|happier)|so worth|exceed\w* (?:my|our|all) expectations|have never been (?:this |so |more )?(?:happy"
        r"|happier)|happier than|you made (?:me|my)",
    ),
    feeling(
        "relief", 1, 2, -8,
        r"(?:データ|ファイル|バックアップ|履歴|ブランチ).{0,8}(?:残って|消えてな|無事|復元でき|戻って(?:きた"
        r"|来た)|戻った)|(?:なん|何)とか(?:間に合|乗り切|復旧|切り抜|収ま|助か)|間に合った[。!ー]|(?:ようや"
        r"|やっと).{0,6}(?:解放|解け|終わ|直|眠|寝|落ち着|解決|動|片付)|(?:異常|問題|影響"
        r"|被害)(?:は)?(?:な(?:し|かった)|ありませんでした)(?:で|。|!|と)|ぐっすり|よく眠れそう|息がつけ"
        r"|一息つけ|胸のつかえ|気が(?:楽|軽)にな|ほっと|ホッと|一時はどうなる|大事に(?:至ら|なら)|事なきを得",
        r"(?:off my|off our) (?:mind|chest|shoulders|plate|back)|load off|that was (?:a )?(?:close|lucky"
        r"|scary close)(?: one| call)?|lucky (?:us|me|break)|(?:sleep|breathe|relax|rest|exhale) (?:again"
        r"|tonight|easy|easier|now|at last)|(?:came|come) back down|(?:nothing|no data|not) (?:was |is "
        r"|got )?(?:lost|missing)(?=[!.]|$)|back (?:up|online)!|all (?:good|safe|fine) (?:now|again|after all)"
        r"|test came back (?:negative|clear|clean)|(?:is|it'?s) (?:finally |all )+(?:over|gone|done|fixed"
        r"|behind)|out of the woods|what a relief|and it'?s gone|in the clear|no harm done|turned out (?:fine"
        r"|ok|okay|well)|big sigh|sigh of relief|for a (?:second|moment) (?:there )?i thought",
    ),
    feeling(
        "excitement", 1, 2, 12,
        r"うずうず|ウズウズ|ウキウキ|うきうき|るんるん|ルンルン|待ち遠し|待ちに待った|待望の|これは熱い"
        r"|熱い(?=[!、。]|$)|アツい|胸が(?:高鳴|躍|おど)|燃えて(?:き|い|る)|やる気(?:が)?(?:出|湧|満々|MAX|max)"
        r"|早く.{0,8}(?:たい(?=[!。ー]|$|です|な)|たくて)|ずっと(?:触|遊|使)って(?:い)?たい|(?:ドキドキ"
        r"|どきどき).{0,6}(?:楽し|わくわく|ワクワク|する、(?:絶対|きっと))",
        r"psyched|amped|fired up|buzzing|itching to|dying to|eager|giddy|thrill\w*|let'?s go{2,}|let'?s (?:do"
        r"|roll) (?:it|this)!|counting (?:the|down)(?: the)? days|(?:gonna|going to|will) be (?:so |really "
        r"|super )?(?:awesome|amazing|epic|great|fun|huge|sick|cool|incredible)|can(?:not"
        r"|'?t) (?:hardly )?(?:wait|sleep i'?m so excited)|over the top|so much potential|play with (?:it|this)"
        r"|wanna try|on fire",
    ),
)
_NEGATIVE: Final = (
    feeling(
        "frustration", -1, 2, 6,
        r"(?:時間|日|晩|週間|ヶ月|か月|週末|休日|夜|朝|半日|一日|丸一日)(?:も|を|は|が|ずっと|中|ぐらい"
        r"|くらい)?.{0,5}(?:無駄|溶け|溶かし|潰し|潰れ|つぶし|つぶれ|沼|ハマ|はま(?:っ|り)|格闘|悩|費や|粘っ"
        r"|にらめっこ|吹っ飛|吹き飛|消えた|ドブ)|(?:沼|ドツボ|どつぼ|地獄|袋小路)(?:に|って|です|だ|った"
        r"|すぎ|の)|沼ってる|(?:抜け出せ|埒が明か|らちがあか|拉致があか)な"
        r"|(?:直|修正|や|試|対応)し(?:ても|たのに)(?:直し|修正し|や|また|別|次)|(?:何|なに)を(?:やって|し"
        r"|試し)ても|どうやっても|やれどもやれども|いくらやっても|(?:言|いう|云)うこと(?:を)?(?:聞"
        r"|きい)(?:いてくれ|か)な|そうじゃな(?:い|く)(?:って|んだ|の|て|、)|違う(?:って|んだ(?:よ|って)|!"
        r"|、違う)|違うってば|だから(?:さ|違|、?言)|ちゃんと(?:読|見|聞|確認|やっ|し)(?:ん|い|て)?で?(?:って"
        r"|ほしい|よ|くれ)?(?:[!。]|ほし|よ|くれ|って)|(?:何|なん|なに)で(?:こう|こんな|また|いつも|勝手|毎回)"
        r"|なんで(?:だよ|なの|なんだ|やねん|動かな.{0,3}[!?]{2})|どうして(?:いつも|こう|毎回|また)"
        r"|勝手に.{0,8}(?:や[るっ]|す[るん]|し(?:た|て|ない)|な[。!])|(?:余計|よけい)(?:な|に)|(?:時間|金|努力"
        r"|俺の週末|週末)(?:を)?(?:返し|かえし)|意味(?:が)?(?:わから|分から|不明)|意味わから|わけ(?:が)?わから"
        r"|わけわから|理不尽|キリがな|きりがな|切りがな|終わる気がし|終わりが見え|進まな[いすく]|一向に"
        r"|毎回(?:毎回|これ|こう|同じ)|またです|またかよ|またこれ|もう(?:何|なん)(?:回|度|時間|日)(?:目|も)"
        r"|(?:[2-9]|[1-9]\d|二|三|四|五|六|十|何)(?:回|度)目(?:です|だ|なんだけど|の(?:同じ|間違い|エラー|失敗)"
        r"|!|。|$)|のに.{0,16}(?:まだ|また|(?:なん|何)で|どうして|全然|(?:動か|起動しな|でき|直ら|変わら|通ら"
        r"|起き|届か)な|消え|ダメ|だめ|無視|残念|落ち|壊れ|報われ)|のに[。…]?$|(?:何|なん)で.{0,14}(?:んだよ"
        r"|のよ|んだ[!?]|の!|の\?{2}|[!?]{2})|手順(?:通り|どおり).{0,12}(?:のに)|ストレス(?=[。!、…]|$)"
        r"|打つ手が?な|もうたくさん|(?:全部|全て|すべて|何もかも)(?:が)?(?:崩れ|狂|無駄|台無)|また(?:この|その"
        r"|あの|こんな|こういう|例の)|ストレス(?:が|で|溜|たま|です|MAX|max|しか|フル)|疲弊|消耗(?:し|す|さ)"
        r"|げんなり|胃もたれ|見たくもな|見るのも嫌|関わりたくな|投げたい|投げ出したい|放り出したい|やめたい"
        r"|辞めたい|逃げ出したい|逃げたい"
        r"|もうええ|勘弁|なんとかして(?:くれ|よ|ほし)|どうにかして(?:くれ|よ|ほし)|ひどすぎ|おかしい(?:だろ"
        r"|でしょ|って|よ[!。])|こっちは|ポンコツ|ガバガバ|使い物にならな|役(?:に|に)立た(?:な|ず)|無能"
        r"|雑(?:すぎ|だな|ですね)|(?:散々|さんざん)(?:だ|な|です)|悪化(?:し|す)|逆に(?:壊|悪)|いじわる|お粗末"
        r"|ごちゃごちゃ(?:し|だ|で)|ぐちゃぐちゃ(?:だ|に|で|!)|(?:めちゃくちゃ|滅茶苦茶|めちゃめちゃ"
        r"|むちゃくちゃ)(?:だ(?!った)|に(?:な|さ|し)|にしや|です|じゃ)",
        rf"{_I} (?:\w+ ){{0,3}}?{_STRUGGLE}(?: \w+){{0,6}}? (?:for|since|all|hours|days|weeks|the whole"
        rf"|my whole|again)|(?:for|after) {_LONG}(?: of (?:\w+ ){{0,3}})?(?:trying|debugging|this|it|nothing"
        rf"|fighting|staring|hell|pain|work|struggl\w+)|(?:lost|wasted|wast(?:e|ing)"
        rf"|burn(?:ed|t)|sunk|blew|blown|ate|eaten|cost me|took me|losing) (?:\w+ ){{0,2}}?{_LONG}(?: (?:on|to"
        rf"|in|trying|fighting|debugging|chasing|of my|because|for|wasted|over))"
        rf"|{_I} tried (?:\w+ )?(?:everything|every|all|a (?:dozen|hundred|million))|nothing (?:i|we) (?:try|do"
        rf"|tried) |(?:spent|spend|spending) (?:\w+ ){0,2}?{_LONG} (?:trying|fighting|debugging|chasing"
        rf"|on (?:this|one|a) (?:\w+ )?(?:stupid|damn|dumb|single|typo|bug|mess|config|error|nothing))"
        rf"|nothing ever \w+|i'?m still (?:debugging|fighting|stuck|at it|chasing|fixing|here"
        rf"|struggling|cleaning|waiting)|(?:this|the|your|my) (?:whole |entire |awful |damn "
        rf"|bloody )?mess(?=[!.]|$)|(?:it'?s|at|it is) (?:\w+ )?(?:in the morning|[1-5] ?am)(?= and i)"
        rf"|nothing (?:works|helps|worked|is working|seems to work)|no matter (?:what|how)(?: \w+){{0,5}} (?:it"
        rf"|still|nothing|fails|breaks|won'?t)|no matter what i (?:do|try)"
        rf"|every (?:single )?(?:damn )?time (?:i|we|you|it)|each time i|whenever i fix|(?:the )?(?:second"
        rf"|third|fourth|fifth|sixth|tenth|hundredth|\d+(?:th|rd|nd)|nth|umpteenth|millionth) time(?! zone)"
        rf"|(?:two|three|four|five|six|ten|a dozen|\d+) times (?:now|already|today|in a row|and)|yet again"
        rf"|all over again|once again(?=[!.,]|$| (?:you|it|the))|how (?:hard|difficult) (?:can|is) (?:it|this)"
        rf"|why (?:is|does|do|are|can'?t|won'?t|must|isn'?t|doesn'?t) (?:this|it|everything|nothing|you"
        rf"|that) (?:\w+ )?(?:so |always |keep|never |constantly |just |not )(?:\w+)|why (?:can'?t"
        rf"|won'?t) (?:you|it|this)|(?:can|could) you (?:please )?(?:just |for once |at least )+"
        rf"|for once(?=[!.,?]|$)|just (?:once|for once)|(?:patience|nerves?) (?:is|are|with|has|have"
        rf"|was)?(?: \w+)? ?(?:running|wearing|worn|gone|thin|shot|at an end|out|fraying)"
        r"|mak(?:es?|ing) (?:zero|absolutely no|no damn|no f\w* ?|no) sense(?=.{0,40}(?:!|wast|hour|day|ugh"
        r"|still|crazy|whole))|not even close|(?:wrong|nope|no)[,.!]* (?:again|wrong|still wrong|that'?s wrong"
        r"|that'?s not)|still (?:the )?(?:same|exact same|no luck|nothing|wrong|red|broken|not (?:right|fixed"
        r"|there|what|working))|same (?:damn |stupid |bloody |old |exact |wrong )(?:\w+ )?(?:error|bug|thing"
        r"|mistake|problem|answer|issue|result)|same (?:error|mistake|bug|wrong answer) (?:again|over|every)"
        r"|maddening|exasperat\w+|infuriat\w+|tedious|excruciating|insufferable|a (?:huge |massive |total "
        r"|real )?(?:pain|nuisance|chore|slog|drag|time sink|headache|hassle)|hell(?: on earth)?(?=[!.,]|$)"
        r"|\w+ hell(?=[!.,]|$| again)|(?:gave|given|gives|giving) me (?:a )?(?:headache|grief|hell|trouble)"
        r"|headache|beyond (?:annoy\w+|frustrat\w+|me)|at a dead end|(?:at|hit|reached|another) (?:a )?dead end"
        r"|rabbit hole|(?:hours|days|work|time|all|it was) for nothing|down the drain|back to square one"
        r"|start(?:ing)? over again|bash(?:ing)? my head|head against (?:a|the) (?:wall|desk)|losing it|lost it"
        r"|about to (?:lose it|snap|explode|quit|rage)|(?:throw|chuck|hurl|toss|smash)(?:ing)? (?:my|this"
        r"|the) (?:\w+ )?(?:laptop|computer|keyboard|pc|machine|monitor|phone)|(?:sick|bored"
        r"|tired)(?: and (?:sick|tired|bored))* (?:of|to death)|fed up|had (?:it up to|more than|quite) (?:here"
        r"|enough)|had enough|enough (?:already|of this|is enough)|one more (?:\w+ )?(?:and i|time and i)"
        r"|i swear|i'?m (?:this close|going to lose|gonna lose|losing)|crazy-?making|do(?:es)? my head in"
        r"|grinds my gears|get(?:s|ting)? under my skin|test(?:s|ing)? my patience|stop (?:adding|changing"
        r"|deleting|touching|rewriting|doing|making|ignoring|apologi[sz]ing|guessing|inventing|hallucinating"
        r"|breaking|lying|pretending|renaming|reverting|removing|overwriting|messing|wasting)\b"
        r"|leave (?:\w+ ){1,4}alone|(?:don'?t|do not) (?:\w+ )?touch (?:my|it|that|this)(?=.{0,30}(?:again|!"
        r"|ever))|did(?:n'?t)? you (?:even|actually|not) (?:read|test|look|listen|run|check|try|bother)|(?:are"
        r"|were) you even|do you even|i (?:said|told|asked)(?: you)? (?:not|no|never|don'?t|\w+ times|already"
        r"|explicitly|specifically|clearly)|as i (?:already )?(?:said|told you)|what part of|you (?:ignored"
        r"|deleted|wiped|broke|ruined|destroyed|overwrote|trashed|lied|removed my|undid|reverted my"
        r"|forgot again|missed the|clearly|obviously|didn'?t (?:even|listen|read))|you did it again"
        r"|you'?re (?:not (?:listening|reading|helping)|useless|wrong again|making it worse|going in circles"
        r"|wasting)|(?:is|are|was) (?:a )?(?:total |complete |absolute |utter |such a )(?:mess|disaster"
        r"|nightmare|joke|waste|failure|chaos|crap|garbage|rubbish|nonsense|pain)|rubbish|trash(?=[!.]|$)"
        r"|nonsense|ridiculous\w*|laughable|pathetic|embarrassing|shocking(?:ly)? bad|hopelessly"
        r"|worse(?: than (?:before|ever)|!|\.|$)|even worse|goes? from bad to worse|getting worse"
        r"|two others? break|breaks? (?:something|two|another|everything)(?: else)?|whack-?a-?mole",
    ),
    feeling(
        "frustration sadness", -1, 3, 2,
        r"(?:詰んだ|詰みました|積んだ(?=[。!]|$)|詰んでる|詰みです)|(?:終わ|おわ)(?:った(?=!|…|\.\.|$)|りだ"
        r"|りです)(?=.{0,3}$|[。!…\.])|もうおしまい|おしまいだ|オワタ|終わってる|死んだ(?=[。!]|$)"
        r"|心(?:が)?(?:折れ|壊れ|が痛|しん)|メンタル(?:が)?(?:やら|崩|死|もた|ボロ|限界)|病み(?:そう|ます|かけ)"
        r"|病んで|生きる(?:の|意味)|(?:何|なに)も(?:かも|したく|やりたく|する気|考えたく)(?:が|も)?(?:嫌|いや"
        r"|な|めんど|投げ|うまく|失|どうでも)?|立ち直れ|絶望|才能(?:が)?な|向いてな|(?:自分|俺|私|僕)(?:は|が"
        r"|って)(?:本当に)?(?:ダメ|だめ|駄目|無能|バカ|馬鹿|価値)|ダメ人間|生きてる価値|どうしたらいい(?:の"
        r"|ん)?か(?:も)?(?:わから|分から)|どうすればいい(?:の)?か(?:も)?(?:わから|分から)な|一生(?:終わ|でき"
        r"|直ら|理解)|無理(?=[。!…っーぽすゲげ]|$|です|かも|だ)|むり(?=[。!…ー]|$)|ムリ(?=[。!…ー]|$)|泣きたい"
        r"|泣けてき|投げ出|打ちのめ|ボロボロ|ぼろぼろ(?:だ|で|に)|ズタボロ|散々",
        r"(?:i'?m|we'?re|it'?s|all is|i am|everything is|this is) (?:so |totally |completely "
        r"|utterly )?(?:doomed|screwed|toast|finished|ruined|hopeless|lost|done for|fucked|cooked|a lost cause"
        r"|dead in the water)|doomed|i give up|ready to give up|(?:want|wanna|tempted|about|going"
        r"|thinking) (?:to |of |about )?(?:giv(?:e|ing)|quit(?:ting)?|curl|cry(?:ing)?|disappear|scream"
        r"|leav(?:e|ing) (?:tech|this job|the industry))(?: up)?|don'?t know what (?:else )?to do(?: anymore"
        r"| any ?more)?|what'?s the point|why (?:do i )?(?:even )?bother|never (?:going to|gonna) (?:finish|get"
        r"|work|make|learn|understand|be)|i'?ll never|(?:i|we)'?(?:ll| will) never (?:\w+ )?(?:finish"
        r"|understand|get|make|learn|be)|(?:such|like|total|complete) (?:an? )?(?:\w+ )?(?:fraud|failure|idiot"
        r"|loser|impostor|imposter|disappointment|burden)|i'?m (?:such )?(?:an? )?(?:complete "
        r"|total )?(?:failure|idiot|loser|fraud|mess|wreck|worthless|useless|stupid)|not (?:smart|cut out|good"
        r"|clever) (?:enough|for this)|end of (?:my|our) (?:rope|tether)|at (?:the )?end of my|rock bottom"
        r"|on the verge of|break(?:ing)? down|broke down in|nervous breakdown|breaking point|can'?t (?:go on"
        r"|do this|keep (?:doing|going|up)|cope|even\b|take)|(?:i'?m|feel\w*|so) defeated|despair\w*"
        r"|desperate(?:ly)?|crush(?:ed|ing)(?=[!.,]|$)|soul[ -]?(?:crushing|destroying)|wish i (?:was"
        r"|were) dead|self-?doubt|everyone else (?:gets|seems|is)|feel(?:ing)? (?:like )?(?:so "
        r"|such )?(?:a )?(?:invisible|worthless|hopeless|stupid|dumb|defeated|helpless|inadequate|powerless"
        r"|trapped|overwhelmed|ashamed|broken|useless|hollow|numb|rejected)|out of (?:my|our) depth"
        r"|beyond repair|(?:i'?m|heart (?:is )?) in pieces|all (?:my|our) (?:work|data|files|photos"
        r"|changes) (?:is |are |was |were )?(?:gone|lost|wiped)|everything is (?:gone|broken|ruined"
        r"|falling apart)|falling apart|(?:whole |entire )(?:\w+ )?(?:branch|project|repo|disk|thesis|drive"
        r"|week) (?:is|was|just) (?:gone|lost|wiped)",
    ),
)
# fmt: on

EMOTION_SITUATIONS: Final[tuple[EmotionPattern, ...]] = (*_POSITIVE, *_NEGATIVE)
