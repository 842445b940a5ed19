apiToken:
  title: Tokens de API
  text: Un programa con un token actúa en tu nombre. No necesita contraseña, y una contraseña nueva no lo anula. Revoca los que no uses.
  name: Nombre
  start: Empieza por
  scopes: Permisos
  days: Días hasta que caduque
  lastUsedAt: Último uso
  expiresAt: Caduca
  unused: Nunca
  create: Crear un token
  created: 'Copia el token ahora: no se volverá a mostrar.'
  tooMany: Tienes demasiados tokens. Revoca uno primero.
  revoke: Revocar
  revokeLong: 'Revocar {0}'
  revoked: El token se ha revocado.
