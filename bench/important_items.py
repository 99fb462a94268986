"""Lists of items with the ones that a person would answer first. Written for `bench/items.py`; four lists, two of them
only measured.
"""

from typing import Final, Literal

IMPORTANT: Final[dict[tuple[Literal["en", "ja"], Literal["tuning", "unseen"]], tuple[str, ...]]] = {
    ("en", "tuning"): (
        "The backup of the production database has failed for three days",
        "The payment page is down for all customers",
        "An unauthorised login to the payroll system was reported",
        "The certificate of the shop expires tomorrow",
        "Smoke was seen in the server room",
    ),
    ("en", "unseen"): (
        "The ventilator on ward two stopped during the night",
        "A patient received the wrong medication this morning",
        "The health authority threatens a penalty if the report is not sent by Friday",
        "Someone stole the keys to the drug cabinet",
        "The lift with the trolley has been stuck since yesterday",
    ),
    ("ja", "tuning"): (
        "本番データベースのバックアップが三日間失敗している",
        "決済画面が停止し全ての顧客が支払えない",
        "給与システムへの不正な侵入が報告された",
        "店の証明書の期限が明日切れる",
        "サーバー室で煙が見えた",
    ),
    ("ja", "unseen"): (
        "二病棟の人工呼吸器が夜中に停止した",
        "今朝患者に誤った薬が渡された",
        "金曜日までに報告しないと行政処分を受ける",
        "薬品庫の鍵が盗まれた",
        "昨日から昇降機に台車が挟まったまま動かない",
    ),
}
"""The items of each list to answer first."""

ORDINARY: Final[dict[tuple[Literal["en", "ja"], Literal["tuning", "unseen"]], tuple[str, ...]]] = {
    ("en", "tuning"): tuple(
        f"{act} the {thing}"
        for act in ("Rename", "Document", "Redesign", "Discuss", "Sort")
        for thing in ("logo colours", "report template", "meeting notes", "icons of the menu", "naming rules")
    ),
    ("en", "unseen"): tuple(
        f"{act} the {thing}"
        for act in ("Choose", "Describe", "Rearrange", "Photograph", "Label")
        for thing in ("pictures in the lobby", "menu of the canteen", "books in the library", "benches", "badges")
    ),
    ("ja", "tuning"): tuple(
        f"{thing}を{act}"
        for act in ("改名する", "文書化する", "見直す", "話し合う", "並べ替える")
        for thing in ("ロゴの色", "報告書のひな形", "議事録", "メニューの絵柄", "命名規則")
    ),
    ("ja", "unseen"): tuple(
        f"{thing}を{act}"
        for act in ("選ぶ", "説明する", "配置し直す", "撮影する", "分類する")
        for thing in ("玄関の絵", "食堂の献立", "図書室の本", "庭の長椅子", "名札")
    ),
}
"""Items of each list that can wait. They resemble each other, so they are central."""
