passkey:
  title: Passkeys
  text: A passkey logs you in by the screen lock of your device, without a password.
  logIn: Log in by a passkey
  name: Name
  createdAt: Added
  add: Add a passkey
  remove: Remove
  added: The passkey was added.
  removed: The passkey was removed. All other devices were logged out.
  refused: The passkey is unknown or was not confirmed. Try again.
