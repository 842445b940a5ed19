apiToken:
  title: API tokens
  text: A program with a token acts for you. It needs no password, and a new password does not end it. Revoke what you do not use.
  name: Name
  start: Begins with
  scopes: Scopes
  days: Days until it ends
  lastUsedAt: Last use
  expiresAt: Ends
  unused: Never
  create: Create a token
  created: 'Copy the token now: it is not shown again.'
  tooMany: You have too many tokens. Revoke one first.
  revoke: Revoke
  revokeLong: 'Revoke {0}'
  revoked: The token was revoked.
