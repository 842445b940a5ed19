apiToken:
  title: APIトークン
  text: トークンを持つプログラムは、あなたの代わりに操作できます。パスワードは不要で、パスワードを変更しても停止しません。使わないトークンは無効にしてください。
  name: 名前
  start: 先頭の文字
  scopes: 権限
  days: 有効日数
  lastUsedAt: 最終使用日時
  expiresAt: 有効期限
  unused: 未使用
  create: トークンを作成
  created: 今すぐトークンをコピーしてください。再び表示されることはありません。
  tooMany: トークンが多すぎます。先にいずれかを無効にしてください。
  revoke: 無効にする
  revokeLong: '{0}を無効にする'
  revoked: トークンを無効にしました。
