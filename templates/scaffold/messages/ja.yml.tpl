common:
  edit: 編集
  save: 保存
  cancel: キャンセル
  delete: 削除
  removeFile: ファイルを削除
  search: 検索
  text: キーワード
  yes: はい
  no: いいえ
  optional: 任意
  limit: '{0}文字以内'
  invalid: 以下の項目を修正してください。
  actions: 操作
  path: このページの場所
  pages: ページ
  first: 最初のページ
  previous: 前のページ
  next: 次のページ
  last: 最後のページ
  size: '表示件数:'
resource:
  flash:
    created: '{{title}}を追加しました。'
    updated: '{{title}}を保存しました。'
    deleted: '{{title}}を削除しました。'
    inUse: '{{title}}は他のデータから参照されているため、削除できませんでした。'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: '{{title}}を追加'
    edit: '{{title}}を編集'
    add: '{{title}}を追加'
    back: 一覧に戻る
    confirm: このデータは完全に削除されます。
    really: 完全に削除する
    empty: まだデータがありません。
    count: '{0, plural, other {#件}}'
    more: '{0, number}件以上'
    none: 該当するデータはありません。
    all: すべて表示
  id: ID
