account:
  title: Account
  logIn: Inloggen
  logOut: Uitloggen
  logOutOthers: Op alle andere apparaten uitloggen
  register: Account aanmaken
  magic: Inloggen met een link per e-mail
  forgotten: Wachtwoord vergeten
  email: E-mailadres
  newEmail: Nieuw e-mailadres
  password: Wachtwoord
  currentPassword: Huidig wachtwoord
  newPassword: Nieuw wachtwoord
  passwordHint: Minstens 15 tekens, bijvoorbeeld een zin
  choosePassword: Wachtwoord kiezen
  remember: Op dit apparaat ingelogd blijven
  willMail: We sturen je een e-mail met een link.
  sendMail: E-mail versturen
  save: Opslaan
  security: E-mailadres en wachtwoord
  changeEmail: E-mailadres wijzigen
  changePassword: Wachtwoord wijzigen
  confirmEmail: 'Je nieuwe adres is {0}.'
  delete: Account verwijderen
  deleteText: Het account wordt definitief verwijderd.
  deleteReally: Definitief verwijderen
  devices: Apparaten
  device: Apparaat
  since: Ingelogd
  actions: Acties
  thisDevice: Dit apparaat
  loginFirst: Log eerst in.
  loginAgain: Log nog eens in om te bevestigen dat jij het bent.
  refused: Het e-mailadres en het wachtwoord horen niet bij elkaar.
  mailSent: We hebben je een e-mail gestuurd, als het adres klopt. Volg de link daarin.
  linkInvalid: De link is ongeldig, te oud of al gebruikt. Vraag een nieuwe aan.
  created: Het account is aangemaakt. Log nu in.
  emailChanged: Het e-mailadres is gewijzigd. Alle andere apparaten zijn uitgelogd.
  passwordChanged: Het wachtwoord is gewijzigd. Alle andere apparaten zijn uitgelogd.
  devicesLoggedOut: De apparaten zijn uitgelogd.
  loggedOut: Je bent uitgelogd.
  deleted: Het account is verwijderd.
  mail:
    register:
      subject: Je nieuwe account
      text: Kies een wachtwoord voor je nieuwe account. De link werkt één dag. Heb je geen account aangevraagd, dan hoef je niets te doen.
      button: Wachtwoord kiezen
    registered:
      subject: Je hebt al een account
      text: Iemand, waarschijnlijk jij, heeft een account met dit adres aangevraagd. Er is er al een.
      button: Inloggen
    email:
      subject: Je nieuwe adres
      text: Bevestig dat dit het nieuwe adres van je account is. De link werkt één dag.
      button: Adres bevestigen
    reset:
      subject: Kies een nieuw wachtwoord
      text: Kies een nieuw wachtwoord. De link werkt één keer en één uur lang. Heb je hem niet aangevraagd, dan hoef je niets te doen.
      button: Wachtwoord kiezen
    magic:
      subject: Inloggen
      text: Log in met deze link. Hij werkt één keer en één uur lang. Heb je hem niet aangevraagd, dan hoef je niets te doen.
      button: Inloggen
    emailChanged:
      subject: Je adres is gewijzigd
      text: Je account heeft nu een ander adres. Als jij dat niet was, antwoord dan meteen op deze e-mail.
      button: Inloggen
    passwordChanged:
      subject: Je wachtwoord is gewijzigd
      text: Als jij dat niet was, kies dan meteen een nieuw wachtwoord.
      button: Inloggen
    deleted:
      subject: Je account is verwijderd
      text: Je account en de bijbehorende gegevens zijn verwijderd.
