site:
  title: {{titleText}}
root:
  heading: It works
  next: Add a first resource, then open /members.
problem:
  notAllowed: Not allowed
  formExpired: The form has expired or came from another site. Go back, reload the page and try again.
  notFound: Not found
  noPage: There is no page at this address.
  invalid: Invalid request
  invalidValues: The server cannot process these values. Go back, check them and try again.
  conflict: Conflict with other data
  conflictAgain: The data has changed in the meantime, or another record has the same value. Go back, copy what you wrote, reload the page and try again.
  failed: Something went wrong
  logged: The error has been logged. Try again in a moment.
  busy: Busy
  busyAgain: Too many people use this site at the moment. Try again in a few seconds.
  tooMany: Too many requests
  tooManyAgain: You have sent too many requests. Wait a moment, then try again.
  tooLarge: Too large
  tooLargeAgain: What you sent is too large. Go back and choose smaller files, or send less text.
  again: Try again
repeat:
  heading: Please send the form again
  tooOld: 'The form was too old to be saved. Nothing that you wrote is lost: check it and send it again.'
  loggedIn: You are logged in. Check what you wrote before and send it.
  logIn: Your session has ended. Log in in another tab, then send the form again.
  files: Choose the files again.
  send: Send
  continue: Continue
