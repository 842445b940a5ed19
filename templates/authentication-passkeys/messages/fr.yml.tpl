passkey:
  title: Clés d’accès
  text: Une clé d’accès vous connecte par le verrouillage d’écran de votre appareil, sans mot de passe.
  logIn: Se connecter par une clé d’accès
  name: Nom
  createdAt: Ajoutée
  add: Ajouter une clé d’accès
  remove: Supprimer
  added: La clé d’accès a été ajoutée.
  removed: La clé d’accès a été supprimée. Tous les autres appareils ont été déconnectés.
  refused: La clé d’accès est inconnue ou n’a pas été confirmée. Réessayez.
