apiToken:
  title: Tokens de API
  text: Um programa com um token age em seu nome. Ele não precisa de senha, e uma nova senha não o bloqueia. Revogue os que você não usa.
  name: Nome
  start: Começa com
  scopes: Permissões
  days: Dias até expirar
  lastUsedAt: Último uso
  expiresAt: Expira
  unused: Nunca
  create: Criar um token
  created: 'Copie o token agora: ele não será mostrado de novo.'
  tooMany: Você tem tokens demais. Revogue um primeiro.
  revoke: Revogar
  revokeLong: 'Revogar {0}'
  revoked: O token foi revogado.
