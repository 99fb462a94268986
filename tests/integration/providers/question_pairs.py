"""Questions with the statements that answer them, in other words, in two languages."""

from typing import Final

ENGLISH: Final = (
    ("What does Ann drink in the morning?", "Ann has a cup of black coffee after she gets up."),
    ("Which animal lives with the neighbours?", "The family next door keeps an old dog."),
    ("When does the doctor see patients?", "The surgery is open on weekdays from nine to noon."),
    ("How do we get to the airport?", "Take the express train from the central station to the terminal."),
    ("Why was the football match cancelled?", "The game did not take place because the pitch was flooded."),
    ("Which allergy does Tom have?", "Tom must not eat nuts."),
    ("How much rent do we pay?", "The flat costs 900 euros a month."),
    ("Who repairs the car?", "The mechanic in Mill Street fixes our vehicle."),
    ("What is the database of the project?", "The application stores its data in PostgreSQL."),
    ("Which music does Clara play?", "Clara practises Bach on the violin every evening."),
    ("Where do we go on holiday?", "We spend the summer at a lake in Finland."),
    ("Which language is the server written in?", "The backend code is Rust."),
)
JAPANESE: Final = (
    ("朝は何を飲みますか", "起きたらまずブラックコーヒーを一杯いただく。"),
    ("隣の家にはどんな動物がいますか", "お隣さんは年をとった犬を飼っている。"),
    ("病院の診察時間を教えて", "医師は平日の九時から正午まで患者を診る。"),
    ("空港へはどう行けばいいですか", "中央駅から特急電車に乗るとターミナルに着く。"),
    ("サッカーの試合はなぜ中止になったのですか", "グラウンドが水浸しで競技ができなかった。"),
    ("食べられないものはありますか", "ピーナッツのアレルギーがある。"),
    ("家賃はいくらですか", "アパートの部屋代は月に九万円だ。"),
    ("車の修理は誰に頼みますか", "駅前の整備工場が自動車を直してくれる。"),
    ("データベースは何を使っていますか", "アプリケーションのデータはPostgreSQLに保存する。"),
    ("どんな楽器を演奏しますか", "毎晩バイオリンでバッハを練習している。"),
    ("夏休みはどこへ行きますか", "八月はフィンランドの湖で過ごす予定だ。"),
    ("サーバーはどの言語で書かれていますか", "バックエンドのコードはRustだ。"),
)
