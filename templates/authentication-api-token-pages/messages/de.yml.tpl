apiToken:
  title: API-Tokens
  text: Ein Programm mit einem Token handelt in deinem Namen. Es braucht kein Passwort, und ein neues Passwort beendet es nicht. Widerrufe, was du nicht benutzt.
  name: Name
  start: Anfang
  scopes: Rechte
  days: Tage bis zum Ablauf
  lastUsedAt: Zuletzt benutzt
  expiresAt: Läuft ab
  unused: Nie
  create: Token erstellen
  created: 'Kopiere das Token jetzt: Es wird nicht noch einmal angezeigt.'
  tooMany: Du hast zu viele Tokens. Widerrufe zuerst eines.
  revoke: Widerrufen
  revokeLong: '{0} widerrufen'
  revoked: Das Token wurde widerrufen.
