secondFactor:
  title: Second facteur
  code: Code
  recoveryHint: Le code de votre application ou un code de secours
  scan: Scannez cette image avec une application d’authentification ou saisissez la clé ci-dessous. Saisissez ensuite le code que l’application affiche.
  image: Code QR de la clé
  recovery: Codes de secours
  keep: Gardez ces codes en lieu sûr. Chacun vous connecte une fois si vous avez perdu l’application. Ils ne seront plus affichés.
  active: La connexion demande un code de votre application.
  added: Le second facteur est actif. Tous les autres appareils ont été déconnectés.
  remove: Supprimer le second facteur
  removed: Le second facteur a été supprimé. Tous les autres appareils ont été déconnectés.
  refused: Le code est erroné ou a déjà été utilisé.
