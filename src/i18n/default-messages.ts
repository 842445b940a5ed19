/** The texts that stand in for the interface of a generated application, until its message files say otherwise. */

/** English, by key. */
export const defaultMessages: Readonly<Record<string, string>> = {
  year: 'Year',
  month: 'Month',
  day: 'Day',
  hour: 'Hour',
  minute: 'Minute',
  second: 'Second',
  top: 'Top',
  backToList: 'Back to list',
  submit: 'Submit',
  cancel: 'Cancel',
  detail: 'Detail',
  new: 'New',
  edit: 'Edit',
  delete: 'Delete',
  empty: 'Empty',
}
