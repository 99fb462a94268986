"""Word lists: stop words, general words, words of requests, and abbreviations."""

from typing import Final


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS: Final = _listed("""
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
    few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him
    himself his how i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just let's me more most
    my myself no nor not of off on once only or other our ours ourselves out over own same shan't she she'd she'll
    she's should shouldn't so some such than that that's the their theirs them themselves then there there's these
    they they'd they'll they're they've this those through to too under until up very was wasn't we we'd we'll
    we're we've were weren't what what's when where which while who who's whom why will with won't would wouldn't
    you you'd you'll you're you've your yours yourself yourselves
""")
"""English stop words, case-folded, with the straight apostrophe."""

GENERAL_WORDS: Final = _listed("""
    actually add always another anything ask better case come different done either else even ever every
    everything example find first following general get give go going good got great help instead know last let
    like look lot made make many may maybe mean might much must need never new next now often one please possible
    probably put really said say second see seem show since something sometimes still sure take tell thank thanks
    thing things think three time today together tomorrow tried try two upon use used using usually via want way
    well went without work yes yesterday yet
    場合 以上 以下 以外 以前 以降 以内 自分 今日 明日 昨日 今回 前回 次回 今後 必要 可能
    一般 全部 全体 全員 一部 部分 大丈夫 本当 一番 毎日 最近 最初 最後 同時 同様 質問
    回答 何故 何時
    何処 皆様 皆 私達 我々 方法 使用 利用 実際 内容 結果 理由 問題 説明 関係 様子 状態
    現在 時間 非常 普通 特別 色々 様々 当然 多分 絶対 一緒 一度 一回 一人 二人 一つ モノ
    コト ところ
    お願い 願 下記 上記 左記 右記
""")
"""Words that are too general to be keywords, case-folded."""

REQUESTS: Final = _listed("""
    please tell explain describe show give know want
    教えて 教える 下さい 説明して 知りたい 知って 何 何が 何を 何で 何と 何の 何か 何時 何処 何故 何年 何人
    何という 誰 誰が 誰の ください てください どこ どの どれ どんな どう どうして なぜ いつ だれ なに なんですか
    いくつ いくら ほしいです
    です ですか でした でしょうか ます ますか します しました ません でき できる できた ある あり ありますか ありました
    いる いた された される した して する なった なる ている ていた ていますか について とは から まで より という
    といった として によって における ような ため もの こと これ それ この その また のは のが のか には では
    とも への からの
""")
"""Words and grammatical forms of questions. They say nothing about the topic."""

NEVER_LAST: Final = _listed("""
    mr mrs ms mx dr prof rev hon gen col capt lt sgt st mt vs cf eg ie e.g i.e viz approx dept est fig figs eq eqs
    ref refs sec ch vol ed eds pp al incl resp jan feb mar apr jun jul aug sep sept oct nov dec
""")
"""Abbreviations that never end a sentence, listed without their last full stop."""

BEFORE_NUMBER: Final = _listed("no nos p art nr")
"""Words that are abbreviations only before a number."""

OFTEN_LAST: Final = _listed("a.m p.m")
"""Abbreviations with inner full stops that often end a sentence, listed without their last full stop."""


def is_stop_word(word: str) -> bool:
    """Return True if the English word is a stop word, in any case and with either apostrophe."""
    return word.casefold().replace("’", "'") in STOP_WORDS
