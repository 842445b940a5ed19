site:
  title: {{titleText}}
root:
  heading: Ça marche
  next: Ajoutez une première ressource, puis ouvrez /members.
problem:
  notAllowed: Accès refusé
  formExpired: Le formulaire a expiré ou provient d’un autre site. Revenez en arrière, rechargez la page et réessayez.
  notFound: Introuvable
  noPage: Il n’y a pas de page à cette adresse.
  invalid: Requête non valide
  invalidValues: Le serveur ne peut pas traiter ces valeurs. Revenez en arrière, vérifiez-les et réessayez.
  conflict: Conflit avec d’autres données
  conflictAgain: Les données ont changé entre-temps, ou un autre enregistrement a la même valeur. Revenez en arrière, copiez ce que vous avez écrit, rechargez la page et réessayez.
  failed: Une erreur est survenue
  logged: L’erreur a été enregistrée. Réessayez dans un instant.
  busy: Surchargé
  busyAgain: Trop de personnes utilisent ce site en ce moment. Réessayez dans quelques secondes.
  tooMany: Trop de requêtes
  tooManyAgain: Vous avez envoyé trop de requêtes. Attendez un instant, puis réessayez.
  tooLarge: Trop volumineux
  tooLargeAgain: Ce que vous avez envoyé est trop volumineux. Revenez en arrière et choisissez des fichiers plus petits, ou envoyez moins de texte.
  again: Réessayer
repeat:
  heading: Veuillez renvoyer le formulaire
  tooOld: 'Le formulaire était trop ancien pour être enregistré. Rien n’est perdu : vérifiez-le et renvoyez-le.'
  loggedIn: La connexion est établie. Vérifiez ce que vous aviez écrit et envoyez-le.
  logIn: Votre session est terminée. Connectez-vous dans un autre onglet, puis renvoyez le formulaire.
  files: Choisissez de nouveau les fichiers.
  send: Envoyer
  continue: Continuer
error:
  required: '{0} est obligatoire'
  notNull: '{0} est obligatoire'
  notEmpty: '{0} est obligatoire'
  length: '{0} doit contenir {1} caractères'
  minLength: '{0} doit contenir au moins {1} caractères'
  maxLength: '{0} doit contenir au plus {1} caractères'
  minMaxLength: '{0} doit contenir entre {1} et {2} caractères'
  numeric: '{0} doit être un nombre'
  numberFormat: '{0} doit s’écrire comme {1}'
  precision: '{0} doit avoir au plus {1} chiffres avant la virgule et {2} après'
  intValue: '{0} est hors de la plage autorisée'
  longValue: '{0} est hors de la plage autorisée'
  doubleValue: '{0} doit être un nombre'
  floatValue: '{0} doit être un nombre'
  intMinValue: '{0} doit valoir au moins {1}'
  longMinValue: '{0} doit valoir au moins {1}'
  doubleMinValue: '{0} doit valoir au moins {1}'
  floatMinValue: '{0} doit valoir au moins {1}'
  intMaxValue: '{0} doit valoir au plus {1}'
  longMaxValue: '{0} doit valoir au plus {1}'
  doubleMaxValue: '{0} doit valoir au plus {1}'
  floatMaxValue: '{0} doit valoir au plus {1}'
  intMinMaxValue: '{0} doit être entre {1} et {2}'
  longMinMaxValue: '{0} doit être entre {1} et {2}'
  doubleMinMaxValue: '{0} doit être entre {1} et {2}'
  floatMinMaxValue: '{0} doit être entre {1} et {2}'
  same: '{0} ne correspond pas'
  email: '{0} doit être une adresse e-mail'
  oneOf: '{0} doit être l’une des valeurs : {1}'
  uuid: '{0} doit être un UUID'
  url: '{0} doit être une adresse web comme https://example.com'
  past: '{0} doit être dans le passé'
  future: '{0} doit être dans le futur'
  dateTimeFormat: '{0} doit être une date et une heure'
  dateFormat: '{0} doit être une date'
  timeFormat: '{0} doit être une heure'
  invalid: '{0} n’est pas valide'
  fileSize: '{0} doit faire au plus {1}'
  filesSize: '{0} : tous les fichiers ensemble doivent faire au plus {1}'
  unique: '{0} existe déjà'
  exists: '{0} n’existe pas'
  inUse: '{0} sert encore ailleurs'
  overlaps: '{0} chevauche un autre enregistrement'
  outOfRange: '{0} est hors de la plage autorisée'
