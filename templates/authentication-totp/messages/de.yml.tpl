secondFactor:
  title: Zweiter Faktor
  code: Code
  recoveryHint: Der Code deiner App oder ein Ersatzcode
  scan: Scanne dieses Bild mit einer Authenticator-App oder gib den Schlüssel darunter ein. Gib dann den Code ein, den die App zeigt.
  image: QR-Code des Schlüssels
  recovery: Ersatzcodes
  keep: Bewahre diese Codes sicher auf. Jeder meldet dich einmal an, wenn du die App verloren hast. Sie werden nicht noch einmal gezeigt.
  active: Eine Anmeldung fragt nach einem Code deiner App.
  added: Der zweite Faktor ist aktiv. Alle anderen Geräte wurden abgemeldet.
  remove: Zweiten Faktor entfernen
  removed: Der zweite Faktor wurde entfernt. Alle anderen Geräte wurden abgemeldet.
  refused: Der Code ist falsch oder wurde schon benutzt.
