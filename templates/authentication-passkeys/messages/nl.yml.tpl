passkey:
  title: Passkeys
  text: Met een passkey log je in via de schermvergrendeling van je apparaat, zonder wachtwoord.
  logIn: Inloggen met een passkey
  name: Naam
  createdAt: Toegevoegd
  add: Passkey toevoegen
  remove: Verwijderen
  added: De passkey is toegevoegd.
  removed: De passkey is verwijderd. Alle andere apparaten zijn uitgelogd.
  refused: De passkey is onbekend of is niet bevestigd. Probeer het nog eens.
