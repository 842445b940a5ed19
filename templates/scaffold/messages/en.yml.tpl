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
limit: at most {0} characters
invalid: Please correct the fields below.
actions: Actions
path: Path to this page
pages: Pages
first: First page
previous: Previous page
next: Next page
last: Last page
size: 'Records on a page:'
