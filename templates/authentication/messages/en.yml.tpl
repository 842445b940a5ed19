account:
  title: Account
  logIn: Log in
  logOut: Log out
  logOutOthers: Log out all other devices
  register: Create an account
  magic: Log in by a link in a mail
  forgotten: Forgotten password
  email: Email
  newEmail: New email
  password: Password
  currentPassword: Current password
  newPassword: New password
  passwordHint: At least 15 characters, such as a sentence
  choosePassword: Choose a password
  remember: Remember this device
  willMail: We will send you a mail with a link.
  sendMail: Send the mail
  save: Save
  security: Email and password
  changeEmail: Change the email
  changePassword: Change the password
  confirmEmail: 'Your new address is {0}.'
  delete: Delete the account
  deleteText: This deletes the account permanently.
  deleteReally: Delete permanently
  devices: Devices
  device: Device
  since: Logged in
  actions: Actions
  thisDevice: This device
  loginFirst: Please log in first.
  loginAgain: Please log in again to confirm that it is you.
  refused: Email and password do not match.
  mailSent: We have sent you a mail, if the address is right. Follow its link.
  linkInvalid: The link is invalid, too old or already used. Request a new one.
  created: The account was created. Log in now.
  emailChanged: The email was changed. All other devices were logged out.
  passwordChanged: The password was changed. All other devices were logged out.
  devicesLoggedOut: The devices were logged out.
  loggedOut: You are logged out.
  deleted: The account was deleted.
  mail:
    register:
      subject: Your new account
      text: Choose a password for your new account. The link works for a day. If you did not ask for an account, do nothing.
      button: Choose a password
    registered:
      subject: You already have an account
      text: Somebody, probably you, asked for an account with this address. There is one already.
      button: Log in
    email:
      subject: Your new address
      text: Confirm that this is the new address of your account. The link works for a day.
      button: Confirm the address
    reset:
      subject: Choose a new password
      text: Choose a new password. The link works once and for an hour. If you did not ask for it, do nothing.
      button: Choose a password
    magic:
      subject: Log in
      text: Log in by this link. It works once and for an hour. If you did not ask for it, do nothing.
      button: Log in
    emailChanged:
      subject: Your address was changed
      text: Your account has another address now. If it was not you, reply to this mail at once.
      button: Log in
    passwordChanged:
      subject: Your password was changed
      text: If it was not you, choose a new password at once.
      button: Log in
    deleted:
      subject: Your account was deleted
      text: Your account and its data were deleted.
