apiToken:
  title: Jetons d’API
  text: Un programme qui a un jeton agit en votre nom. Il n’a pas besoin de mot de passe, et un nouveau mot de passe ne l’arrête pas. Révoquez ceux que vous n’utilisez pas.
  name: Nom
  start: Commence par
  scopes: Droits
  days: Jours avant l’expiration
  lastUsedAt: Dernière utilisation
  expiresAt: Expire
  unused: Jamais
  create: Créer un jeton
  created: 'Copiez le jeton maintenant : il ne sera plus affiché.'
  tooMany: Vous avez trop de jetons. Révoquez-en un d’abord.
  revoke: Révoquer
  revokeLong: 'Révoquer {0}'
  revoked: Le jeton a été révoqué.
