account:
  title: Compte
  logIn: Se connecter
  logOut: Se déconnecter
  logOutOthers: Déconnecter tous les autres appareils
  register: Créer un compte
  magic: Se connecter par un lien reçu par e-mail
  forgotten: Mot de passe oublié
  email: Adresse e-mail
  newEmail: Nouvelle adresse e-mail
  password: Mot de passe
  currentPassword: Mot de passe actuel
  newPassword: Nouveau mot de passe
  passwordHint: Au moins 15 caractères, par exemple une phrase
  choosePassword: Choisir un mot de passe
  remember: Se souvenir de cet appareil
  willMail: Nous vous enverrons un e-mail avec un lien.
  sendMail: Envoyer l’e-mail
  save: Enregistrer
  security: Adresse e-mail et mot de passe
  changeEmail: Changer l’adresse e-mail
  changePassword: Changer le mot de passe
  confirmEmail: 'Votre nouvelle adresse est {0}.'
  delete: Supprimer le compte
  deleteText: Le compte est supprimé définitivement.
  deleteReally: Supprimer définitivement
  devices: Appareils
  device: Appareil
  since: Connexion
  actions: Actions
  thisDevice: Cet appareil
  loginFirst: Connectez-vous d’abord.
  loginAgain: Connectez-vous de nouveau pour confirmer que c’est vous.
  refused: L’adresse et le mot de passe ne correspondent pas.
  mailSent: Nous vous avons envoyé un e-mail, si l’adresse est correcte. Suivez son lien.
  linkInvalid: Le lien est invalide, trop ancien ou déjà utilisé. Demandez-en un nouveau.
  created: Le compte a été créé. Connectez-vous maintenant.
  emailChanged: L’adresse e-mail a été changée. Tous les autres appareils ont été déconnectés.
  passwordChanged: Le mot de passe a été changé. Tous les autres appareils ont été déconnectés.
  devicesLoggedOut: Les appareils ont été déconnectés.
  loggedOut: La session est fermée.
  deleted: Le compte a été supprimé.
  mail:
    register:
      subject: Votre nouveau compte
      text: Choisissez un mot de passe pour votre nouveau compte. Le lien est valable un jour. Si vous n’avez pas demandé de compte, ne faites rien.
      button: Choisir un mot de passe
    registered:
      subject: Vous avez déjà un compte
      text: Quelqu’un, sans doute vous, a demandé un compte avec cette adresse. Il en existe déjà un.
      button: Se connecter
    email:
      subject: Votre nouvelle adresse
      text: Confirmez que c’est la nouvelle adresse de votre compte. Le lien est valable un jour.
      button: Confirmer l’adresse
    reset:
      subject: Choisissez un nouveau mot de passe
      text: Choisissez un nouveau mot de passe. Le lien est valable une fois et pendant une heure. Si vous ne l’avez pas demandé, ne faites rien.
      button: Choisir un mot de passe
    magic:
      subject: Se connecter
      text: Connectez-vous par ce lien. Il est valable une fois et pendant une heure. Si vous ne l’avez pas demandé, ne faites rien.
      button: Se connecter
    emailChanged:
      subject: Votre adresse a été changée
      text: Votre compte a maintenant une autre adresse. Si ce n’était pas vous, répondez tout de suite à cet e-mail.
      button: Se connecter
    passwordChanged:
      subject: Votre mot de passe a été changé
      text: Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
      button: Se connecter
    deleted:
      subject: Votre compte a été supprimé
      text: Votre compte et ses données ont été supprimés.
