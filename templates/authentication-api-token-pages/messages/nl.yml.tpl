apiToken:
  title: API-tokens
  text: Een programma met een token handelt namens jou. Het heeft geen wachtwoord nodig, en een nieuw wachtwoord stopt het niet. Trek in wat je niet gebruikt.
  name: Naam
  start: Begint met
  scopes: Rechten
  days: Dagen tot het verloopt
  lastUsedAt: Laatst gebruikt
  expiresAt: Verloopt
  unused: Nooit
  create: Token aanmaken
  created: 'Kopieer het token nu: het wordt niet nog eens getoond.'
  tooMany: Je hebt te veel tokens. Trek er eerst een in.
  revoke: Intrekken
  revokeLong: '{0} intrekken'
  revoked: Het token is ingetrokken.
