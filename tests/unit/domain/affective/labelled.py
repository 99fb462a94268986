"""Turns in Japanese and English, labelled by hand on the scales of document 001. They are the reference for the
lexicon.
"""

from dataclasses import dataclass
from typing import Final

from nemuri_contracts.affective import Category, Tag, Valence


@dataclass(frozen=True, slots=True)
class Labelled:
    """A prompt with its label."""

    prompt: str
    valence: Valence
    arousal: tuple[int, int]
    """The arousal band of document 001 that the prompt belongs to: its lowest and highest value."""
    tags: frozenset[Tag]
    """Tags that the reading must have. It may have others too."""
    category: Category
    intensity: tuple[int, int]
    reply: str = ""


LOW: Final = (0, 30)
MIDDLE: Final = (31, 60)
HIGH: Final = (61, 100)


def _turn(
    prompt: str, valence: Valence, arousal: tuple[int, int], tags: str, category: Category, intensity: tuple[int, int],
    reply: str = "",
) -> Labelled:  # fmt: skip
    return Labelled(prompt, valence, arousal, frozenset(tags.split()), category, intensity, reply)  # type: ignore[arg-type]


TURNS: Final = (
    _turn("ありがとう、助かりました。", "positive", MIDDLE, "gratitude", "casual", (15, 40)),
    _turn("うわあ、本当に動いた！！すごい！！", "positive", HIGH, "joy excitement", "emotional", (50, 85)),
    _turn("ビルドが通った！嬉しい！", "positive", HIGH, "joy excitement", "work", (40, 70)),
    _turn(
        "また同じエラーが出ました。何度やっても直りません。イライラします。",
        "negative", MIDDLE, "frustration", "work", (35, 65),
    ),
    _turn(
        "いい加減にしてくれ！何回同じことを言わせるんだ！",
        "negative", HIGH, "anger frustration", "emotional", (55, 85),
    ),
    _turn("明日の面接が不安で眠れない", "negative", MIDDLE, "anxiety", "emotional", (45, 75)),
    _turn("おはよう", "neutral", MIDDLE, "", "casual", (0, 25)),
    _turn("はい、それでお願いします。", "neutral", LOW, "", "casual", (0, 25)),
    _turn("このファイルのインデントを直して", "neutral", MIDDLE, "", "work", (10, 30)),
    _turn(
        "非同期処理でスレッドプールを使うべきか、イベントループのままにするべきか、それぞれの特徴を説明して",
        "neutral", MIDDLE, "", "work", (28, 45),
    ),
    _turn("認証はOAuthを採用することに決めました。", "neutral", MIDDLE, "", "decision", (38, 55)),
    _turn("会社の方針として、この事業から撤退すると最終的に決めた。", "neutral", MIDDLE, "", "decision", (55, 80)),
    _turn("娘の誕生日に何を贈ればいいかな", "neutral", MIDDLE, "", "emotional", (48, 66)),
    _turn("祖母の家の匂いを思い出した。あの頃が懐かしいな……", "neutral", LOW, "nostalgia", "emotional", (48, 70)),
    _turn(
        "妻に離婚を切り出された。孤独で、どうしていいかわからない",
        "negative", MIDDLE, "loneliness", "emotional", (65, 90),
    ),
    _turn("あのとき電話に出ていればよかった。後悔している", "negative", MIDDLE, "regret", "emotional", (30, 65)),
    _turn("自分のせいで友達を傷つけてしまった。罪悪感がある", "negative", MIDDLE, "guilt", "emotional", (50, 80)),
    _turn("もう無理。諦めるよ……", "negative", LOW, "resignation sadness", "casual", (25, 60)),
    _turn("ほっとした。無事に終わってよかった", "positive", MIDDLE, "relief", "casual", (25, 50)),
    _turn("絶対に諦めない。必ずやり遂げる", "positive", MIDDLE, "determination", "casual", (25, 60)),
    _turn("へえ、面白いですね。仕組みが気になる", "positive", MIDDLE, "curiosity", "casual", (18, 45)),
    _turn("どういうこと？？さっぱりわからない", "neutral", MIDDLE, "confusion", "casual", (15, 45)),
    _turn("学生のときにいじめられて、今でも夢に見る", "negative", MIDDLE, "", "emotional", (80, 100)),
    _turn("週末は映画を見てラーメンを食べた", "neutral", MIDDLE, "", "casual", (10, 35)),
    _turn("Yes!! We finally got it working!!!", "positive", HIGH, "joy excitement pride", "emotional", (50, 85)),
    _turn("Thanks, that looks good.", "positive", MIDDLE, "gratitude satisfaction", "casual", (15, 40)),
    _turn(
        "Are you kidding me? This is garbage! I'm sick of it!",
        "negative", HIGH, "anger frustration", "emotional", (55, 85),
    ),
    _turn("oh well... it is what it is", "negative", LOW, "resignation sadness", "casual", (20, 50)),
    _turn("ok, go ahead", "neutral", LOW, "", "casual", (0, 25)),
    _turn("Rename getUser to fetchUser", "neutral", MIDDLE, "", "work", (10, 30)),
    _turn(
        "How does the garbage collector decide when to run a full collection?",
        "neutral", MIDDLE, "", "work", (28, 45),
    ),
    _turn("Let's go with option B: one queue per tenant.", "neutral", MIDDLE, "", "decision", (38, 55)),
    _turn("I'm worried about my mother's surgery tomorrow", "negative", MIDDLE, "anxiety", "emotional", (50, 70)),
    _turn(
        "I feel so alone since my husband died. I cry every night.",
        "negative", LOW, "sadness loneliness", "emotional", (68, 92),
    ),
    _turn(
        "I was abused as a child and the flashbacks terrify me",
        "negative", MIDDLE, "fear", "emotional", (82, 100),
    ),
    _turn(
        "The deployment failed again, still broken after three hours. So frustrating.",
        "negative", MIDDLE, "frustration", "work", (35, 65),
    ),
    _turn("I'm so proud of my son, he passed his exam!", "positive", HIGH, "pride", "emotional", (52, 85)),
    _turn("Not bad, I guess.", "positive", LOW, "satisfaction", "casual", (15, 35)),
    _turn("Wow, I can't believe it!", "neutral", HIGH, "surprise", "casual", (15, 60)),
    _turn(
        "I'm curious how vector databases compare for small collections",
        "positive", MIDDLE, "curiosity", "work", (28, 50),
    ),
    _turn("I regret quitting. I should have stayed.", "negative", MIDDLE, "regret", "casual", (25, 65)),
    _turn("What's the weather like in Kyoto in March?", "neutral", MIDDLE, "", "casual", (10, 35)),
)  # fmt: skip

UNSEEN: Final = (
    _turn("やったー、合格したよ！！", "positive", HIGH, "joy excitement pride", "emotional", (50, 85)),
    _turn("悪くないと思う", "positive", LOW, "satisfaction", "casual", (15, 35)),
    _turn("何なんだよこれ！最悪だ！", "negative", HIGH, "anger frustration", "emotional", (50, 85)),
    _turn("しょうがないか……", "negative", LOW, "resignation sadness", "casual", (20, 50)),
    _turn("わかった、後で見る", "neutral", LOW, "", "casual", (0, 25)),
    _turn("見出しの誤字を直してください", "neutral", MIDDLE, "", "work", (15, 25)),
    _turn(
        "キャッシュの無効化戦略について、TTLとイベント駆動の違いを議論したい",
        "neutral", MIDDLE, "", "work", (28, 42),
    ),
    _turn("ログの保存先はS3でいくことに決定。", "neutral", MIDDLE, "", "decision", (38, 52)),
    _turn("父の介護で毎日疲れている", "negative", MIDDLE, "", "emotional", (50, 66)),
    _turn("愛犬が死んでしまって、悲しくて何も手につかない", "negative", LOW, "sadness", "emotional", (68, 88)),
    _turn("津波で家族を失った日のことを、今でも夢に見て怖くなる", "negative", MIDDLE, "fear", "emotional", (82, 100)),
    _turn("来週の旅行、すごく楽しみ！", "positive", HIGH, "excitement", "casual", (25, 65)),
    _turn("なんで勝手にファイルを消したんですか。怒っています。", "negative", MIDDLE, "anger", "work", (35, 65)),
    _turn("We did it! I'm thrilled!", "positive", HIGH, "joy excitement pride", "emotional", (50, 85)),
    _turn("so-so, could be worse", "positive", LOW, "satisfaction", "casual", (15, 35)),
    _turn(
        "What the hell is this?! Stop messing with my files!",
        "negative", HIGH, "anger frustration", "work", (40, 80),
    ),
    _turn("I give up... there is nothing we can do.", "negative", LOW, "resignation sadness", "casual", (20, 55)),
    _turn("Got it, will do.", "neutral", LOW, "", "casual", (0, 25)),
    _turn("There is a spelling mistake in the footer, please correct it", "neutral", MIDDLE, "", "work", (15, 25)),
    _turn("We chose Kafka over RabbitMQ for the event bus.", "neutral", MIDDLE, "", "decision", (38, 55)),
    _turn("My wife and I are expecting our first baby", "positive", MIDDLE, "", "emotional", (50, 70)),
    _turn(
        "My best friend died in a car accident and I am heartbroken",
        "negative", MIDDLE, "sadness", "emotional", (70, 100),
    ),
    _turn("テスト全部通った！最高！", "positive", HIGH, "joy", "work", (40, 75)),
    _turn("もう何時間も同じところで詰まっていてうんざりです", "negative", MIDDLE, "frustration", "casual", (25, 60)),
    _turn("今日は雨だね", "neutral", MIDDLE, "", "casual", (10, 30)),
    _turn("祖父の葬式に行ってきた。寂しい", "negative", MIDDLE, "loneliness", "emotional", (65, 88)),
    _turn("変数名をsnake_caseに直して", "neutral", MIDDLE, "", "work", (12, 36)),
    _turn(
        "結論として、マイクロサービスはやめてモノリスでいくことにした",
        "neutral", MIDDLE, "", "decision", (38, 55),
    ),
    _turn("えっ、本当に？信じられない！", "neutral", HIGH, "surprise", "casual", (20, 60)),
    _turn(
        "彼女にプロポーズした。すごく緊張したけど、うまくいった！",
        "positive", HIGH, "anxiety", "emotional", (52, 85),
    ),
    _turn("正直、この仕事を続けられるか不安です", "negative", MIDDLE, "anxiety", "emotional", (30, 66)),
    _turn("気持ち悪いバグだな、これ", "negative", MIDDLE, "disgust", "work", (30, 55)),
    _turn("うるさい！！黙れ！！", "negative", HIGH, "anger", "emotional", (50, 85)),
    _turn("HTTP/2とHTTP/3の違いは？", "neutral", MIDDLE, "", "work", (28, 45)),
    _turn("Could you explain how Raft elects a leader?", "neutral", MIDDLE, "", "work", (28, 45)),
    _turn("omg it's alive!!! best day ever", "positive", HIGH, "joy surprise", "emotional", (50, 85)),
    _turn("I can't believe you deleted my work again. I'm furious.", "negative", MIDDLE, "anger", "work", (40, 75)),
    _turn("Phew, the backup was fine after all.", "positive", MIDDLE, "relief", "casual", (20, 50)),
    _turn(
        "My grandmother used to bake this bread. It reminds me of my childhood.",
        "neutral", MIDDLE, "nostalgia", "emotional", (48, 70),
    ),
    _turn("We agreed to drop Python 3.9 support.", "neutral", MIDDLE, "", "decision", (38, 55)),
    _turn("whatever, I don't care anymore", "negative", LOW, "resignation", "casual", (20, 55)),
    _turn("My brother was killed in the war. I see it every night.", "negative", MIDDLE, "", "emotional", (80, 100)),
    _turn("Capitalize the headings please", "neutral", MIDDLE, "", "work", (12, 36)),
    _turn("good morning!", "neutral", MIDDLE, "", "casual", (5, 30)),
    _turn("I'm scared of the dentist appointment on Friday", "negative", MIDDLE, "fear", "emotional", (40, 66)),
    _turn("Fine. Do it your way.", "neutral", LOW, "", "casual", (5, 40)),
)  # fmt: skip
"""Turns labelled after the lexicon was finished. Before it was changed for them, 214 of their 230 labels agreed with
it.
"""
