secondFactor:
  title: Tweede factor
  code: Code
  recoveryHint: De code van je app of een herstelcode
  scan: Scan deze afbeelding met een authenticator-app of voer de sleutel hieronder in. Voer daarna de code in die de app toont.
  image: QR-code van de sleutel
  recovery: Herstelcodes
  keep: Bewaar deze codes op een veilige plaats. Met elke code kun je één keer inloggen als je de app kwijt bent. Ze worden niet nog eens getoond.
  active: Bij het inloggen wordt een code van je app gevraagd.
  added: De tweede factor is actief. Alle andere apparaten zijn uitgelogd.
  remove: Tweede factor verwijderen
  removed: De tweede factor is verwijderd. Alle andere apparaten zijn uitgelogd.
  refused: De code is onjuist of al gebruikt.
