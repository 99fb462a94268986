"""Word lists for the recognition of orders: English verbs in the imperative, Japanese actions."""

from typing import Final

_VERBS: Final = """
accept activate add address adjust agree align allocate analyse analyze announce answer apply appoint approve archive
arrange ask assemble assess assign attach audit automate back backfill balance benchmark block book bring build buy
calculate call cancel change charge check choose clarify clean clear close collect compare compile complete compute
configure confirm connect consolidate contact convert copy correct count create cut debug decide define delete
deliver deploy describe design determine develop disable discuss document download draft draw eliminate email enable
encrypt ensure escalate estimate evaluate examine expand explain export extend extract file fill find finish fix
follow format forward gather generate get give go group hand handle help hire identify implement import improve
include increase inform inspect install integrate interview introduce investigate invite invoice isolate issue keep
label launch list load lock look lower make map mark measure meet mention merge migrate minimise minimize monitor
move name negotiate note notify obtain offer open optimise optimize order organise organize outline pack paint patch
pay perform pick plan post prepare present preserve print prioritise prioritize proofread propose protect provide
publish purchase push put raise read rebuild recommend reconcile record recover redesign reduce refactor refund
register reindex release remind remove rename renew reorder repair replace reply report request research reserve
reset resolve respond restart restore restrict retrain return review revise revoke rewrite roll rotate run save scan
schedule search secure select sell send set settle share ship show shut sign simplify sketch sort specify start state
stop store stress submit suggest summarise summarize survey switch sync take talk tell test tidy train transfer
translate trim tune turn update upgrade upload use validate verify visit walk warn wash water weigh wipe wire write
"""
_AMBIGUOUS: Final = """
address answer audit back balance block book change charge check clean clear copy count cut design document draft
email estimate file fix format group help import issue label launch list load lock look map mark measure name note
offer open order pack paint patch pay pick plan post present print purchase push record release repair report request
research reserve reset return review roll run scan schedule search set share ship show sign sort start state stop
store stress survey switch take talk test train transfer trim turn update upgrade use visit walk wash water wire
"""
_ACTIONS: Final = """
確認 修正 更新 作成 検討 調査 対応 整理 手配 連絡 報告 提出 準備 設定 変更 追加 削除 点検 交換 購入 発注 契約 送付
送信 実施 依頼 予約 共有 移行 導入 廃止 改善 分析 説明 比較 評価 見積 見積もり 決定 検証 復旧 再起動 停止 開始 登録
申請 承認 支払 支払い 返信 返却 翻訳 要約 公開 配布 清掃 掃除 修理 監視 集計 見直し 洗い出し 回答 記録 保存 保管 回収
配置 配送 出荷 検査 校正 測定 計測 計算 算出 試算 補充 補修 増設 撤去 設置 接続 解除 解約 更改 締結 通知 周知 案内
招待 募集 採用 面接 教育 訓練 研修 実装 開発 設計 試験 テスト レビュー デプロイ リリース バックアップ アップデート
インストール チェック キャンセル フォロー 解決 解析 特定 抽出 統合 分割 分類 棚卸し 棚卸 廃棄 処分 補償 請求 入力
出力 印刷 製本 撮影 編集 掲載 投稿 削減 短縮 延長 延期 中止 再開 再発行 再送 再確認 取得 確保 調整 交渉 打診 相談
協議 精算 振込 入金 引き継ぎ 引継ぎ 締め 締切設定 暗号化 無効化 有効化 初期化 最適化 自動化 標準化 文書化 強化 徹底
"""
_JAPANESE_VERBS: Final = """
直す 作る 書く 調べる 送る 決める 見直す まとめる 教える 選ぶ 買う 替える 変える 減らす 増やす 止める 始める 伝える
探す 洗う 片付ける 消す 試す 測る 数える 並べる 集める 渡す 返す 払う 頼む 呼ぶ 知らせる 見積もる 洗い出す 取り替える
取り寄せる 問い合わせる 立てる 整える 出す 入れる 置く 貼る 締める 開ける 閉める 組む 分ける 繋ぐ つなぐ 戻す 外す
付ける 載せる 運ぶ 届ける 押さえる 詰める 示す 述べる 挙げる 答える 書き直す 引き継ぐ 申し込む 取り消す 切り替える
立ち上げる 塗る 磨く 植える 伺う 聞く
"""

IMPERATIVE_VERBS: Final = frozenset(_VERBS.split())
"""English verbs with which an order begins."""
AMBIGUOUS_VERBS: Final = frozenset(_AMBIGUOUS.split())
"""Verbs of the imperative that often are nouns at the beginning of a statement ("Test results were good")."""
JAPANESE_ACTION_NOUNS: Final = "|".join(_ACTIONS.split())
"""Pattern of Japanese nouns of action, with which an order may end (証明書を更新)."""
JAPANESE_VERBS: Final = "|".join(_JAPANESE_VERBS.split())
"""Pattern of Japanese verbs in the plain form, with which an order may end (見積書を送る)."""
