passkey:
  title: Chaves de acesso
  text: Com uma chave de acesso, você entra pelo bloqueio de tela do seu dispositivo, sem senha.
  logIn: Entrar com uma chave de acesso
  name: Nome
  createdAt: Adicionada
  add: Adicionar uma chave de acesso
  remove: Remover
  added: A chave de acesso foi adicionada.
  removed: A chave de acesso foi removida. A sessão foi encerrada em todos os outros dispositivos.
  refused: A chave de acesso é desconhecida ou não foi confirmada. Tente de novo.
