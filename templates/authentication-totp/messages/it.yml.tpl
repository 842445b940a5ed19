secondFactor:
  title: Secondo fattore
  code: Codice
  recoveryHint: Il codice della tua app o un codice di recupero
  scan: Inquadra questa immagine con un’app di autenticazione oppure inserisci la chiave qui sotto. Poi inserisci il codice mostrato dall’app.
  image: Codice QR della chiave
  recovery: Codici di recupero
  keep: Conserva questi codici in un luogo sicuro. Ognuno permette un accesso se hai perso l’app. Non verranno più mostrati.
  active: L’accesso richiede un codice della tua app.
  added: Il secondo fattore è attivo. Tutti gli altri dispositivi sono stati disconnessi.
  remove: Rimuovi il secondo fattore
  removed: Il secondo fattore è stato rimosso. Tutti gli altri dispositivi sono stati disconnessi.
  refused: Il codice è sbagliato o è già stato usato.
