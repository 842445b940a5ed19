site:
  title: {{titleText}}
root:
  heading: It works
  next: Add a first resource, then open /members.
