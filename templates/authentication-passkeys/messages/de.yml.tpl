passkey:
  title: Passkeys
  text: Ein Passkey meldet dich mit der Bildschirmsperre deines Geräts an, ohne Passwort.
  logIn: Mit einem Passkey anmelden
  name: Name
  createdAt: Hinzugefügt
  add: Passkey hinzufügen
  remove: Entfernen
  added: Der Passkey wurde hinzugefügt.
  removed: Der Passkey wurde entfernt. Alle anderen Geräte wurden abgemeldet.
  refused: Der Passkey ist unbekannt oder wurde nicht bestätigt. Versuche es noch einmal.
