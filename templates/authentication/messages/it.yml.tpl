account:
  title: Account
  logIn: Accedi
  logOut: Esci
  logOutOthers: Disconnetti tutti gli altri dispositivi
  register: Crea un account
  magic: Accedi con un link ricevuto per e-mail
  forgotten: Password dimenticata
  email: Indirizzo e-mail
  newEmail: Nuovo indirizzo e-mail
  password: Password
  currentPassword: Password attuale
  newPassword: Nuova password
  passwordHint: Almeno 15 caratteri, per esempio una frase
  choosePassword: Scegli una password
  remember: Ricorda questo dispositivo
  willMail: Ti invieremo un’e-mail con un link.
  sendMail: Invia l’e-mail
  save: Salva
  security: Indirizzo e-mail e password
  changeEmail: Cambia l’indirizzo e-mail
  changePassword: Cambia la password
  confirmEmail: 'Il tuo nuovo indirizzo è {0}.'
  delete: Elimina l’account
  deleteText: L’account verrà eliminato definitivamente.
  deleteReally: Elimina definitivamente
  devices: Dispositivi
  device: Dispositivo
  since: Accesso
  actions: Azioni
  thisDevice: Questo dispositivo
  loginFirst: Accedi prima di continuare.
  loginAgain: Accedi di nuovo per confermare la tua identità.
  refused: L’indirizzo e-mail e la password non corrispondono.
  mailSent: Ti abbiamo inviato un’e-mail, se l’indirizzo è corretto. Segui il link che contiene.
  linkInvalid: Il link non è valido, è troppo vecchio o è già stato usato. Richiedine uno nuovo.
  created: L’account è stato creato. Ora accedi.
  emailChanged: L’indirizzo e-mail è stato cambiato. Tutti gli altri dispositivi sono stati disconnessi.
  passwordChanged: La password è stata cambiata. Tutti gli altri dispositivi sono stati disconnessi.
  devicesLoggedOut: I dispositivi sono stati disconnessi.
  loggedOut: La sessione è stata chiusa.
  deleted: L’account è stato eliminato.
  mail:
    register:
      subject: Il tuo nuovo account
      text: Scegli una password per il tuo nuovo account. Il link vale un giorno. Se non hai richiesto un account, ignora questo messaggio.
      button: Scegli una password
    registered:
      subject: Hai già un account
      text: Qualcuno, probabilmente tu, ha richiesto un account con questo indirizzo. Ne esiste già uno.
      button: Accedi
    email:
      subject: Il tuo nuovo indirizzo
      text: Conferma che questo è il nuovo indirizzo del tuo account. Il link vale un giorno.
      button: Conferma l’indirizzo
    reset:
      subject: Scegli una nuova password
      text: Scegli una nuova password. Il link vale una sola volta e per un’ora. Se non l’hai richiesto, ignora questo messaggio.
      button: Scegli una password
    magic:
      subject: Accedi
      text: Accedi con questo link. Vale una sola volta e per un’ora. Se non l’hai richiesto, ignora questo messaggio.
      button: Accedi
    emailChanged:
      subject: Il tuo indirizzo è stato cambiato
      text: Il tuo account ha ora un altro indirizzo. Se non è opera tua, rispondi subito a questa e-mail.
      button: Accedi
    passwordChanged:
      subject: La tua password è stata cambiata
      text: Se non è opera tua, scegli subito una nuova password.
      button: Accedi
    deleted:
      subject: Il tuo account è stato eliminato
      text: Il tuo account e i suoi dati sono stati eliminati.
