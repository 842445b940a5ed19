site:
  title: {{titleText}}
root:
  heading: 動作しています
  next: 最初のリソースを追加してから、/members を開いてください。
problem:
  notAllowed: 許可されていません
  formExpired: フォームの有効期限が切れているか、別のサイトから送信されました。前の画面に戻り、ページを再読み込みしてから、もう一度お試しください。
  notFound: 見つかりません
  noPage: このアドレスにページはありません。
  invalid: 無効なリクエスト
  invalidValues: サーバーはこの値を処理できません。前の画面に戻り、値を確認してから、もう一度お試しください。
  failed: 問題が発生しました
  logged: エラーを記録しました。しばらくしてから、もう一度お試しください。
  busy: 混み合っています
  busyAgain: ただいまアクセスが集中しています。数秒後に、もう一度お試しください。
  tooMany: リクエストが多すぎます
  tooManyAgain: 送信されたリクエストが多すぎます。しばらく待ってから、もう一度お試しください。
  tooLarge: 大きすぎます
  tooLargeAgain: 送信された内容が大きすぎます。前の画面に戻り、より小さいファイルを選ぶか、テキストを減らしてください。
  again: もう一度試す
repeat:
  heading: フォームをもう一度送信してください
  tooOld: フォームが古くなっていたため、保存できませんでした。入力内容は失われていません。確認して、もう一度送信してください。
  loggedIn: ログインしました。先ほど入力した内容を確認して、送信してください。
  logIn: セッションが終了しました。別のタブでログインしてから、フォームをもう一度送信してください。
  files: ファイルをもう一度選択してください。
  send: 送信
  continue: 続ける
error:
  required: '{0}は必須項目です'
  notNull: '{0}は必須項目です'
  notEmpty: '{0}は必須項目です'
  length: '{0}は{1}文字で入力してください'
  minLength: '{0}は{1}文字以上で入力してください'
  maxLength: '{0}は{1}文字以内で入力してください'
  minMaxLength: '{0}は{1}文字以上{2}文字以内で入力してください'
  numeric: '{0}は数値で入力してください'
  numberFormat: '{0}は{1}のように入力してください'
  precision: '{0}は整数部{1}桁以内、小数部{2}桁以内で入力してください'
  intValue: '{0}は許容範囲を超えています'
  longValue: '{0}は許容範囲を超えています'
  doubleValue: '{0}は数値で入力してください'
  floatValue: '{0}は数値で入力してください'
  intMinValue: '{0}は{1}以上で入力してください'
  longMinValue: '{0}は{1}以上で入力してください'
  doubleMinValue: '{0}は{1}以上で入力してください'
  floatMinValue: '{0}は{1}以上で入力してください'
  intMaxValue: '{0}は{1}以下で入力してください'
  longMaxValue: '{0}は{1}以下で入力してください'
  doubleMaxValue: '{0}は{1}以下で入力してください'
  floatMaxValue: '{0}は{1}以下で入力してください'
  intMinMaxValue: '{0}は{1}から{2}の間で入力してください'
  longMinMaxValue: '{0}は{1}から{2}の間で入力してください'
  doubleMinMaxValue: '{0}は{1}から{2}の間で入力してください'
  floatMinMaxValue: '{0}は{1}から{2}の間で入力してください'
  same: '{0}が一致しません'
  email: '{0}はメールアドレスで入力してください'
  oneOf: '{0}は次のいずれかにしてください: {1}'
  uuid: '{0}はUUIDで入力してください'
  url: '{0}は https://example.com のようなURLで入力してください'
  past: '{0}には過去の日時を入力してください'
  future: '{0}には未来の日時を入力してください'
  dateTimeFormat: '{0}には日付と時刻を入力してください'
  dateFormat: '{0}には日付を入力してください'
  timeFormat: '{0}には時刻を入力してください'
  invalid: '{0}の値が正しくありません'
  fileSize: '{0}は{1}以下にしてください'
  filesSize: '{0}: すべてのファイルの合計を{1}以下にしてください'
  unique: '{0}はすでに使用されています'
  exists: '{0}は存在しません'
  inUse: '{0}はまだ使用されています'
  overlaps: '{0}が他のデータと重複しています'
  outOfRange: '{0}は許容範囲を超えています'
