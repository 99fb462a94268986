"""Test data: turns of sessions with a coding assistant, prompts about one of these turns, and prompts about none."""

from typing import NamedTuple


class Session(NamedTuple):
    """One turn, with later prompts that should retrieve it."""

    prompt: str
    reply: str
    asked_again: tuple[str, ...]


SESSIONS: tuple[Session, ...] = (
    Session(
        "The invoice export fails with UnicodeEncodeError when a customer's name has an umlaut, can you fix it?",
        """The cause is that `export_invoices` opens the CSV with the machine's locale. I changed `billing/export.py`:

```python
def export_invoices(path: Path, rows: Iterable[Invoice]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS)
        writer.writeheader()
        for row in rows:
            writer.writerow(row.as_dict())
```

`utf-8-sig` because accounting opens it in Excel, which needs the byte order mark. I added a test with \
"Müller & Söhne" and all 214 tests pass.""",
        (
            "how did we solve the umlaut problem in the invoice export?",
            "Excel shows garbage in the exported invoices",
            "Do we still use utf-8-sig for CSV?",
        ),
    ),
    Session(
        "Our login endpoint is slow, about 900 ms. Find out why.",
        """I profiled `/api/login` with py-spy: 780 of 900 ms are bcrypt with a cost of 14. The database query takes \
4 ms. OWASP recommends a cost of 12 or more, which takes 210 ms here. I set `BCRYPT_ROUNDS = 12` in \
`settings/security.py`; existing hashes are rehashed at the next login, because `verify_and_update` compares the cost \
stored in the hash. p95 is 240 ms now.""",
        (
            "what was the bcrypt cost we chose for login?",
            "login is slow again",
            "rehash of passwords at login with bcrypt",
        ),
    ),
    Session(
        "Let's decide: Redis or PostgreSQL for the job queue?",
        """We decided on PostgreSQL with `SELECT … FOR UPDATE SKIP LOCKED`: there are at most 50 jobs a second, we \
already operate PostgreSQL with backups, and a job is enqueued in the same transaction as the order it belongs to. \
Redis would add a server and lose jobs on a crash unless AOF is fsynced. We revisit this above 500 jobs a second. \
I wrote it down in `docs/adr/0007-job-queue.md`.""",
        (
            "why did we not take Redis for the job queue?",
            "Should the queue of jobs move to another store?",
            "SKIP LOCKED in our queue",
        ),
    ),
    Session(
        "write a migration that adds a nullable column archived_at to the projects table",
        """Done, `migrations/0042_projects_archived_at.py`:

```python
def upgrade() -> None:
    op.add_column("projects", sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_projects_archived_at", "projects", ["archived_at"], postgresql_concurrently=True)
```

The index is built concurrently, so the migration runs outside a transaction (`autocommit_block`). I ran it against a \
copy of production: 1.2 s for 800,000 rows.""",
        (
            "which migration added archived_at to projects?",
            "archive old projects in the projects table",
            "create index concurrently in a migration",
        ),
    ),
    Session(
        "The websocket reconnects in an endless loop after the laptop wakes up",
        """The heartbeat timer kept firing while the machine slept, so on wake-up every missed ping counted as a \
failure and each opened another socket. I rewrote `useSocket.ts`: one reconnect at a time, exponential backoff from \
500 ms to 30 s with jitter, and `document.visibilityState` pauses the heartbeat. Fixed in commit 3f9c2ab.""",
        (
            "the websocket heartbeat fires too often",
            "reconnect backoff in useSocket",
            "jitter of the backoff",
        ),
    ),
    Session(
        "Please set up GitHub Actions so that tests run on Python 3.11 and 3.12",
        """I added `.github/workflows/test.yml` with a matrix over 3.11 and 3.12, `actions/setup-python` with pip \
caching and `pytest -n auto`. The run takes 3 min 40 s. Branch protection has to be switched on by you in the \
repository's settings, I have no permission for that.""",
        (
            "add Python 3.13 to the GitHub Actions matrix",
            "why does the workflow take so long in GitHub Actions?",
            "pip caching in the CI workflow",
        ),
    ),
    Session(
        "There's a memory leak in the image worker, it gets OOM-killed every few hours",
        """`tracemalloc` shows 1.4 GB held by `PIL.Image` objects in the thumbnail cache: `functools.lru_cache` on a \
method keeps `self` alive. I replaced it by a `TTLCache(maxsize=256, ttl=300)` on the instance and close images with a \
context manager. After 6 hours under load the worker stays at 310 MB.""",
        (
            "is the image worker still leaking memory?",
            "thumbnail cache eviction",
            "tracemalloc showed what in the worker?",
        ),
    ),
    Session(
        "Rename the CLI flag --out to --output everywhere",
        "Renamed in `cli.py`, the README and 7 tests; `--out` still works as a hidden alias until version 3.0.",
        (
            "is --out still accepted as an alias of --output?",
            "hidden alias --out",
        ),
    ),
    Session(
        "Which date library should the frontend use? moment is deprecated",
        """date-fns: it is tree-shakeable (we would ship 6 kB instead of 72 kB), has immutable functions and \
`date-fns-tz` for our time zones. Luxon is fine too but bigger; Temporal is not in Safari yet. I migrated \
`src/lib/dates.ts` and removed moment from package.json.""",
        (
            "did we drop moment for date-fns?",
            "format a time zone date in the frontend",
            "date-fns-tz",
        ),
    ),
    Session(
        "The Terraform plan wants to destroy the production database, help!",
        """Do not apply it. The plan replaces `aws_db_instance.main` because `engine_version` was pinned to 15.3 while \
RDS upgraded it to 15.5 in its maintenance window. I set \
`engine_version = "15"` with `auto_minor_version_upgrade = true` \
and added `lifecycle { prevent_destroy = true }` to the instance. The plan shows 0 to destroy now.""",
        (
            "terraform plan shows a replacement of the RDS instance",
            "engine_version of our production database",
            "prevent_destroy lifecycle",
        ),
    ),
    Session(
        "Explain why this borrow checker error happens: cannot borrow `self.cache` as mutable",
        """`get` borrows `self` immutably through the iterator returned by `self.keys()`, and that borrow is alive \
across the call to `self.cache.insert`. Collect the keys first, or use the entry API: \
`self.cache.entry(key).or_insert_with(|| load(key))`. I took the entry API in `src/store.rs`.""",
        (
            "borrow checker complains about the cache in store.rs",
            "entry API or_insert_with",
        ),
    ),
    Session(
        "how should we do pagination in the orders API? offset gets slow",
        """Keyset pagination on `(created_at, id)`: `WHERE (created_at, id) < (:created_at, :id) ORDER BY created_at \
DESC, id DESC LIMIT 50`, with an opaque base64 cursor. Offset 100,000 took 1.9 s, the keyset query 3 ms. The response \
has `next_cursor`, null on the last page.""",
        (
            "what does next_cursor look like in the orders API?",
            "pagination with keyset cursor",
            "cursor pagination",
        ),
    ),
    Session(
        "請求書のPDF出力で日本語が文字化けする。直して",
        """原因はフォントの埋め込みがないことでした。ReportLabの標準フォントには日本語のグリフがありません。\
`pdf/invoice.py` で IPAexゴシックを登録して使うようにしました。

```python
pdfmetrics.registerFont(TTFont("IPAexGothic", FONT_DIR / "ipaexg.ttf"))
canvas.setFont("IPAexGothic", 10)
```

フォントはDockerイメージに `fonts-ipaexfont` で入れてあります。テストで\
「株式会社髙橋商店」が正しく出ることを確認しました。""",
        (
            "請求書PDFの日本語フォントは何を使った？",
            "PDFの文字化けがまた出た",
            "IPAexゴシックの埋め込み",
        ),
    ),
    Session(
        "認証をセッションからJWTに変えるべきか相談したい",
        """結論として、セッションのままにします。理由は、ログアウトと権限変更を即時に反映する必要があること、\
モバイルアプリの予定が来年までないこと、Redisのセッションストアが既に冗長化されていることです。\
JWTにする場合はリフレッシュトークンの失効リストが必要で、結局サーバ側の状態が要ります。""",
        (
            "JWTにしなかった理由は？",
            "認証セッションの方式を見直したい",
            "リフレッシュトークンの失効リスト",
        ),
    ),
    Session(
        "夜間バッチの集計が3時間かかっている。速くしたい",
        """`daily_summary` は注文ごとに商品マスタを1件ずつ引いていました（N+1、約42万回のクエリ）。\
一括で読み込んで辞書で引くように変え、集計はSQLの `GROUP BY` に移しました。3時間10分が4分20秒になりました。\
カーソルは `yield_per(5000)` でメモリは200MB以下です。""",
        (
            "夜間バッチの集計はどうやって速くした？",
            "daily_summary のN+1",
            "yield_per の値はいくつにした？",
        ),
    ),
    Session(
        "テストが時々落ちる。test_reservation_overlap が不安定",
        """予約の重複テストは `datetime.now()` に依存していて、日付をまたぐと落ちていました。`freezegun` で時刻を\
固定し、タイムゾーンを Asia/Tokyo に明示しました。100回繰り返して一度も失敗していません。""",
        (
            "test_reservation_overlap がまた落ちた",
            "予約の重複テストの時刻を固定した方法",
            "freezegun で時刻を固定",
        ),
    ),
    Session(
        "変数名 usrLst を userList に直して",
        "`src/pages/admin.tsx` と `src/hooks/useUsers.ts` の12か所を置き換えました。型チェックは通っています。",
        (
            "usrLst の置き換えは済んだ？",
            "useUsers.ts の型",
        ),
    ),
    Session(
        "デプロイ手順をまとめて。毎回忘れる",
        """`docs/deploy.md` にまとめました。1. `main` にタグ `vX.Y.Z` を打つ。2. GitHub Actions がイメージを作り \
ECR に置く。3. ステージングで `make smoke`。4. `kubectl rollout restart deploy/api -n prod`。5. 失敗したら \
`kubectl rollout undo`。所要時間は約12分です。""",
        (
            "デプロイ手順どうだっけ",
            "本番のロールバックのコマンドは？ kubectl",
            "kubectl rollout undo",
        ),
    ),
    Session(
        "検索APIでカタカナとひらがなの揺れを吸収したい",
        """Elasticsearch に `icu_normalizer` と `icu_transform`（Hiragana-Katakana）を入れ、`kuromoji` の\
`reading_form` を別フィールドに持たせました。「りんご」で「リンゴ」「林檎」が当たります。インデックスは作り直しが\
必要で、件数120万で約18分かかりました。""",
        (
            "検索のひらがなカタカナ揺れの設定",
            "kuromoji の reading_form を使う理由",
            "icu_transform の設定を変えたい",
        ),
    ),
    Session(
        "お客さんから怒られた。メールが2通ずつ届いてる",
        """申し訳ない状況でしたね。原因はワーカーのタイムアウト（30秒）よりSMTPの応答が遅く、同じジョブが再配信\
されていたことです。送信前に `sent_mails` に冪等キーを `INSERT … ON CONFLICT DO NOTHING` で入れ、入らなければ送らない\
ようにしました。影響は昨日の1,320通で、お詫びの文面も用意しました。""",
        (
            "メールが二重に届く件、冪等キーはどこに入れた？",
            "お詫びメールの文面",
        ),
    ),
)

UNRELATED: tuple[str, ...] = (
    "write a haiku about autumn leaves",
    "What's the capital of Mongolia?",
    "How do I center a div with CSS grid?",
    "good morning! how are you today?",
    "Can you recommend a good book about gardening?",
    "Explain quantum entanglement to a ten year old",
    "convert 30 miles to kilometres",
    "draw me an ASCII cat",
    "What is the difference between a list and a tuple in Python?",
    "Please translate 'where is the station' into French",
    "Give me a regular expression for Swiss phone numbers",
    "implement Dijkstra's algorithm in Go",
    "ok, thanks, that's all for now",
    "yes",
    "continue",
    "run it again please",
    "Set up eslint with the airbnb preset",
    "how does the Linux scheduler pick the next process?",
    "今日の夕飯は何がいいかな",
    "カレーの作り方を教えて",
    "富士山の高さは？",
    "おはよう！調子はどう？",
    "CSSで要素を中央に置くには？",
    "ダイクストラ法をGoで実装して",
    "ありがとう、助かった",
    "はい、お願いします",
    "続けて",
    "フランス語で「駅はどこですか」は何と言う？",
    "おすすめの小説を3冊挙げて",
    "Reactのカスタムフックの書き方を説明して",
    "量子もつれを子供にもわかるように説明して",
    "ESLintの設定を追加して",
)

ROUTINE: tuple[str, ...] = (
    "fix the failing test",
    "the tests fail, please fix them",
    "what's next?",
    "commit this and push",
    "refactor this function to be shorter",
    "add type hints to all functions",
    "why is this slow?",
    "how do I undo the last commit?",
    "write a unit test for this",
    "explain this code to me",
    "Create a new React component for a user profile card",
    "install numpy in a virtualenv",
    "what does this error mean: ModuleNotFoundError: No module named 'foo'",
    "can you make the button blue",
    "parse command line arguments in Rust with clap",
    "How do I make my Python script faster?",
    "generate a UUID in JavaScript",
    "sort a dictionary by value",
    "Now write the documentation for the API",
    "remove the unused imports",
    "let's take a break",
    "I'm tired today",
    "update the dependencies",
    "my dog is ill",
    "please review my pull request",
    "use a class instead of functions",
    "このコードを説明して",
    "テストを書いて",
    "エラーが出る、直して",
    "もっと短くして",
    "コミットしてプッシュして",
    "READMEを更新して",
    "型ヒントを追加して",
    "今日は疲れた",
    "この関数をリファクタリングして",
    "次は何をすればいい？",
    "Pythonで辞書を値でソートするには",
    "ボタンの色を青にして",
    "使っていないimportを消して",
    "なぜ遅いの？",
    "新しいコンポーネントを作って",
    "ドキュメントを書いて",
    "犬が病気なんだ",
    "休憩しよう",
    "レビューをお願い",
    "全部やり直して",
    "日本の首都は？",
)

OTHER_WORDS: tuple[tuple[int, str], ...] = (
    (0, "accounting's spreadsheet has broken special characters in the bills"),
    (1, "signing in takes ages, what was the reason?"),
    (2, "Which database holds the background tasks waiting to run?"),
    (4, "The connection keeps coming back again and again after sleep mode"),
    (5, "Does continuous integration cover several interpreter versions?"),
    (6, "the picture process eats up all the RAM"),
    (8, "What do we use for calendar arithmetic in the browser?"),
    (9, "infrastructure tool is about to delete the live data store"),
    (11, "how do we split long order lists into pages?"),
    (12, "the generated invoice shows squares instead of Japanese characters"),
    (13, "do we sign users in with tokens or with sessions?"),
    (14, "the nightly aggregation job takes hours"),
    (17, "what are the steps to release to production?"),
    (18, "search should treat katakana and hiragana alike"),
    (19, "customers got the same email twice"),
    (0, "請求書の書き出しでウムラウトが壊れる"),
    (1, "サインインが遅かった原因は？"),
    (2, "ジョブの待ち行列はどのデータベースに置いた？"),
    (6, "画像ワーカーのメモリ漏れ"),
    (11, "注文一覧のページ分割の方式"),
    (9, "本番のデータベースが破棄されそうになった件"),
    (15, "予約の検査がときどき失敗する"),
    (14, "深夜の集計処理を高速化した件"),
    (19, "同じ電子メールが二重に送信された"),
)
"""Questions about a session, by its place, in other words or in the other language."""
