common:
  edit: Edit
  save: Save
  cancel: Cancel
  delete: Delete
  removeFile: Remove the file
  search: Search
  text: Text
  yes: yes
  no: no
  optional: optional
  limit: 'at most {0, plural, one {# character} other {# characters}}'
  invalid: Please correct the fields below.
  actions: Actions
  path: Path to this page
  pages: Pages
  first: First page
  previous: Previous page
  next: Next page
  last: Last page
  size: 'Records on a page:'
resource:
  flash:
    created: 'The {{words}} was created.'
    updated: 'The {{words}} was updated.'
    deleted: 'The {{words}} was deleted.'
    inUse: 'The {{words}} was not deleted: other records still need it.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: 'New {{words}}'
    edit: 'Edit {{words}}'
    add: 'Add {{words}}'
    back: 'All {{plural}}'
    confirm: 'This deletes the {{words}} permanently.'
    really: 'Delete {{words}}'
    empty: 'There are no {{plural}} yet.'
    count: '{0, plural, one {# {{words}}} other {# {{plural}}}}'
    more: 'more than {0, number} {{plural}}'
    none: 'No {{plural}} match.'
    all: 'All {{plural}}'
  id: ID
