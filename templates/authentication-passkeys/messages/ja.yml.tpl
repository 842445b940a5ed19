passkey:
  title: パスキー
  text: パスキーを使うと、パスワードなしで、端末の画面ロックでログインできます。
  logIn: パスキーでログイン
  name: 名前
  createdAt: 追加日時
  add: パスキーを追加
  remove: 削除
  added: パスキーを追加しました。
  removed: パスキーを削除しました。
  refused: パスキーが不明か、確認されませんでした。もう一度お試しください。
