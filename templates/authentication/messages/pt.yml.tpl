account:
  title: Conta
  logIn: Entrar
  logOut: Sair
  logOutOthers: Sair de todos os outros dispositivos
  register: Criar uma conta
  magic: Entrar com um link recebido por e-mail
  forgotten: Esqueci a senha
  email: E-mail
  newEmail: Novo e-mail
  password: Senha
  currentPassword: Senha atual
  newPassword: Nova senha
  passwordHint: No mínimo 15 caracteres, por exemplo uma frase
  choosePassword: Escolher uma senha
  remember: Lembrar deste dispositivo
  willMail: Enviaremos a você um e-mail com um link.
  sendMail: Enviar o e-mail
  save: Salvar
  security: E-mail e senha
  changeEmail: Alterar o e-mail
  changePassword: Alterar a senha
  confirmEmail: 'Seu novo endereço é {0}.'
  delete: Excluir a conta
  deleteText: A conta será excluída definitivamente.
  deleteReally: Excluir definitivamente
  devices: Dispositivos
  device: Dispositivo
  since: Início da sessão
  actions: Ações
  thisDevice: Este dispositivo
  loginFirst: Entre na sua conta primeiro.
  loginAgain: Entre na sua conta de novo para confirmar que é você.
  refused: O e-mail e a senha não conferem.
  mailSent: Enviamos um e-mail a você, se o endereço estiver certo. Siga o link que ele contém.
  linkInvalid: O link é inválido, antigo demais ou já foi usado. Solicite um novo.
  created: A conta foi criada. Agora você pode entrar.
  emailChanged: O e-mail foi alterado. A sessão foi encerrada em todos os outros dispositivos.
  passwordChanged: A senha foi alterada. A sessão foi encerrada em todos os outros dispositivos.
  devicesLoggedOut: A sessão foi encerrada nos dispositivos.
  loggedOut: Você saiu da sua conta.
  deleted: A conta foi excluída.
  mail:
    register:
      subject: Sua nova conta
      text: Escolha uma senha para a sua nova conta. O link vale por um dia. Se você não pediu uma conta, ignore esta mensagem.
      button: Escolher uma senha
    registered:
      subject: Você já tem uma conta
      text: Alguém, provavelmente você, pediu uma conta com este endereço. Já existe uma.
      button: Entrar
    email:
      subject: Seu novo endereço
      text: Confirme que este é o novo endereço da sua conta. O link vale por um dia.
      button: Confirmar o endereço
    reset:
      subject: Escolha uma nova senha
      text: Escolha uma nova senha. O link vale uma única vez e por uma hora. Se você não o pediu, ignore esta mensagem.
      button: Escolher uma senha
    magic:
      subject: Entrar
      text: Entre na sua conta com este link. Ele vale uma única vez e por uma hora. Se você não o pediu, ignore esta mensagem.
      button: Entrar
    emailChanged:
      subject: Seu endereço foi alterado
      text: Sua conta agora tem outro endereço. Se não foi você, responda a este e-mail imediatamente.
      button: Entrar
    passwordChanged:
      subject: Sua senha foi alterada
      text: Se não foi você, escolha uma nova senha imediatamente.
      button: Entrar
    deleted:
      subject: Sua conta foi excluída
      text: Sua conta e os dados dela foram excluídos.
