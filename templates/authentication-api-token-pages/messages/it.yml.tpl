apiToken:
  title: Token API
  text: Un programma con un token agisce a tuo nome. Non ha bisogno di password, e una nuova password non lo blocca. Revoca i token che non usi.
  name: Nome
  start: Inizia con
  scopes: Permessi
  days: Giorni alla scadenza
  lastUsedAt: Ultimo uso
  expiresAt: Scade
  unused: Mai
  create: Crea un token
  created: 'Copia subito il token: non verrà più mostrato.'
  tooMany: Hai troppi token. Revocane prima uno.
  revoke: Revoca
  revokeLong: 'Revoca {0}'
  revoked: Il token è stato revocato.
