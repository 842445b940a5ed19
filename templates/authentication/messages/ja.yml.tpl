account:
  title: アカウント
  logIn: ログイン
  logOut: ログアウト
  logOutOthers: 他のすべての端末からログアウト
  register: アカウントを作成
  magic: メールのリンクでログイン
  forgotten: パスワードをお忘れの方
  email: メールアドレス
  newEmail: 新しいメールアドレス
  password: パスワード
  currentPassword: 現在のパスワード
  newPassword: 新しいパスワード
  passwordHint: 15文字以上（文章など）
  choosePassword: パスワードを設定
  remember: この端末でログインしたままにする
  willMail: リンクを記載したメールをお送りします。
  sendMail: メールを送信
  save: 保存
  security: メールアドレスとパスワード
  changeEmail: メールアドレスを変更
  changePassword: パスワードを変更
  confirmEmail: '新しいメールアドレスは {0} です。'
  delete: アカウントを削除
  deleteText: アカウントは完全に削除されます。
  deleteReally: 完全に削除する
  devices: 端末
  device: 端末
  since: ログイン日時
  actions: 操作
  thisDevice: この端末
  loginFirst: 先にログインしてください。
  loginAgain: ご本人であることを確認するため、もう一度ログインしてください。
  refused: メールアドレスまたはパスワードが正しくありません。
  mailSent: メールアドレスが正しければ、メールが届きます。メールのリンクを開いてください。
  linkInvalid: リンクが無効か、有効期限が切れているか、すでに使用されています。新しいリンクを請求してください。
  created: アカウントを作成しました。ログインしてください。
  emailChanged: メールアドレスを変更しました。他のすべての端末からログアウトしました。
  passwordChanged: パスワードを変更しました。他のすべての端末からログアウトしました。
  devicesLoggedOut: 端末からログアウトしました。
  loggedOut: ログアウトしました。
  deleted: アカウントを削除しました。
  mail:
    register:
      subject: 新しいアカウント
      text: 新しいアカウントのパスワードを設定してください。リンクの有効期間は1日です。お心当たりがない場合は、このメールを無視してください。
      button: パスワードを設定
    registered:
      subject: アカウントはすでに存在します
      text: このメールアドレスでアカウントの作成が申請されました。すでにアカウントが存在します。
      button: ログイン
    email:
      subject: 新しいメールアドレスの確認
      text: これがアカウントの新しいメールアドレスであることを確認してください。リンクの有効期間は1日です。
      button: メールアドレスを確認
    reset:
      subject: 新しいパスワードの設定
      text: 新しいパスワードを設定してください。リンクは1回だけ、1時間有効です。お心当たりがない場合は、このメールを無視してください。
      button: パスワードを設定
    magic:
      subject: ログイン
      text: このリンクからログインしてください。リンクは1回だけ、1時間有効です。お心当たりがない場合は、このメールを無視してください。
      button: ログイン
    emailChanged:
      subject: メールアドレスが変更されました
      text: アカウントのメールアドレスが変更されました。お心当たりがない場合は、すぐにこのメールに返信してください。
      button: ログイン
    passwordChanged:
      subject: パスワードが変更されました
      text: お心当たりがない場合は、すぐに新しいパスワードを設定してください。
      button: ログイン
    deleted:
      subject: アカウントが削除されました
      text: アカウントとそのデータを削除しました。
