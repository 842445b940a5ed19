passkey:
  title: Passkey
  text: Una passkey ti fa accedere con il blocco schermo del tuo dispositivo, senza password.
  logIn: Accedi con una passkey
  name: Nome
  createdAt: Aggiunta
  add: Aggiungi una passkey
  remove: Rimuovi
  added: La passkey è stata aggiunta.
  removed: La passkey è stata rimossa. Tutti gli altri dispositivi sono stati disconnessi.
  refused: La passkey è sconosciuta o non è stata confermata. Riprova.
