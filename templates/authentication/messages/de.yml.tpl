account:
  title: Konto
  logIn: Anmelden
  logOut: Abmelden
  logOutOthers: Alle anderen Geräte abmelden
  register: Konto anlegen
  magic: Mit einem Link per E-Mail anmelden
  forgotten: Passwort vergessen
  email: E-Mail-Adresse
  newEmail: Neue E-Mail-Adresse
  password: Passwort
  currentPassword: Bisheriges Passwort
  newPassword: Neues Passwort
  passwordHint: Mindestens 15 Zeichen, zum Beispiel ein Satz
  choosePassword: Passwort wählen
  remember: Auf diesem Gerät angemeldet bleiben
  willMail: Wir senden dir eine E-Mail mit einem Link.
  sendMail: E-Mail senden
  save: Speichern
  security: E-Mail-Adresse und Passwort
  changeEmail: E-Mail-Adresse ändern
  changePassword: Passwort ändern
  confirmEmail: 'Deine neue Adresse ist {0}.'
  delete: Konto löschen
  deleteText: Das Konto wird endgültig gelöscht.
  deleteReally: Endgültig löschen
  devices: Geräte
  device: Gerät
  since: Angemeldet
  actions: Aktionen
  thisDevice: Dieses Gerät
  loginFirst: Bitte melde dich zuerst an.
  loginAgain: Bitte melde dich noch einmal an, um zu bestätigen, dass du es bist.
  refused: E-Mail-Adresse und Passwort passen nicht zusammen.
  mailSent: Wir haben dir eine E-Mail gesendet, wenn die Adresse stimmt. Folge dem Link darin.
  linkInvalid: Der Link ist ungültig, zu alt oder schon benutzt. Fordere einen neuen an.
  created: Das Konto wurde angelegt. Melde dich jetzt an.
  emailChanged: Die E-Mail-Adresse wurde geändert. Alle anderen Geräte wurden abgemeldet.
  passwordChanged: Das Passwort wurde geändert. Alle anderen Geräte wurden abgemeldet.
  devicesLoggedOut: Die Geräte wurden abgemeldet.
  loggedOut: Du bist abgemeldet.
  deleted: Das Konto wurde gelöscht.
  mail:
    register:
      subject: Dein neues Konto
      text: Wähle ein Passwort für dein neues Konto. Der Link gilt einen Tag. Wenn du kein Konto anlegen wolltest, tu nichts.
      button: Passwort wählen
    registered:
      subject: Du hast schon ein Konto
      text: Jemand, wahrscheinlich du, wollte mit dieser Adresse ein Konto anlegen. Es gibt schon eines.
      button: Anmelden
    email:
      subject: Deine neue Adresse
      text: Bestätige, dass dies die neue Adresse deines Kontos ist. Der Link gilt einen Tag.
      button: Adresse bestätigen
    reset:
      subject: Wähle ein neues Passwort
      text: Wähle ein neues Passwort. Der Link gilt einmal und eine Stunde lang. Wenn du ihn nicht angefordert hast, tu nichts.
      button: Passwort wählen
    magic:
      subject: Anmelden
      text: Melde dich mit diesem Link an. Er gilt einmal und eine Stunde lang. Wenn du ihn nicht angefordert hast, tu nichts.
      button: Anmelden
    emailChanged:
      subject: Deine Adresse wurde geändert
      text: Dein Konto hat jetzt eine andere Adresse. Wenn du das nicht warst, antworte sofort auf diese E-Mail.
      button: Anmelden
    passwordChanged:
      subject: Dein Passwort wurde geändert
      text: Wenn du das nicht warst, wähle sofort ein neues Passwort.
      button: Anmelden
    deleted:
      subject: Dein Konto wurde gelöscht
      text: Dein Konto und seine Daten wurden gelöscht.
