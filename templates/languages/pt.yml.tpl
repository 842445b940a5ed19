site:
  title: {{titleText}}
root:
  heading: Funciona
  next: Adicione um primeiro recurso e abra /members.
problem:
  notAllowed: Não permitido
  formExpired: O formulário expirou ou veio de outro site. Volte, recarregue a página e tente de novo.
  notFound: Não encontrado
  noPage: Não há nenhuma página neste endereço.
  invalid: Solicitação inválida
  invalidValues: O servidor não consegue processar estes valores. Volte, confira-os e tente de novo.
  conflict: Conflito com outros dados
  conflictAgain: Os dados mudaram nesse meio-tempo ou outro registro tem o mesmo valor. Volte, copie o que você escreveu, recarregue a página e tente de novo.
  failed: Algo deu errado
  logged: O erro foi registrado. Tente de novo em um momento.
  busy: Sobrecarregado
  busyAgain: Há pessoas demais usando este site no momento. Tente de novo em alguns segundos.
  tooMany: Solicitações demais
  tooManyAgain: Você enviou solicitações demais. Espere um momento e tente de novo.
  tooLarge: Grande demais
  tooLargeAgain: O que você enviou é grande demais. Volte e escolha arquivos menores ou envie menos texto.
  again: Tentar de novo
repeat:
  heading: Envie o formulário de novo
  tooOld: 'O formulário era antigo demais para ser salvo. Nada do que você escreveu se perdeu: confira e envie de novo.'
  loggedIn: Você entrou na sua conta. Confira o que escreveu antes e envie.
  logIn: Sua sessão terminou. Entre na conta em outra aba e envie o formulário de novo.
  files: Escolha os arquivos de novo.
  send: Enviar
  continue: Continuar
error:
  required: '{0} é um campo obrigatório'
  notNull: '{0} é um campo obrigatório'
  notEmpty: '{0} é um campo obrigatório'
  length: '{0} deve ter {1} caracteres'
  minLength: '{0} deve ter no mínimo {1} caracteres'
  maxLength: '{0} deve ter no máximo {1} caracteres'
  minMaxLength: '{0} deve ter de {1} a {2} caracteres'
  numeric: '{0} deve ser um número'
  numberFormat: 'Escreva {0} como {1}'
  precision: '{0} deve ter no máximo {1} dígitos antes da vírgula e {2} depois'
  intValue: '{0} está fora do intervalo permitido'
  longValue: '{0} está fora do intervalo permitido'
  doubleValue: '{0} deve ser um número'
  floatValue: '{0} deve ser um número'
  intMinValue: '{0} deve ser maior ou igual a {1}'
  longMinValue: '{0} deve ser maior ou igual a {1}'
  doubleMinValue: '{0} deve ser maior ou igual a {1}'
  floatMinValue: '{0} deve ser maior ou igual a {1}'
  intMaxValue: '{0} deve ser menor ou igual a {1}'
  longMaxValue: '{0} deve ser menor ou igual a {1}'
  doubleMaxValue: '{0} deve ser menor ou igual a {1}'
  floatMaxValue: '{0} deve ser menor ou igual a {1}'
  intMinMaxValue: '{0} deve estar entre {1} e {2}'
  longMinMaxValue: '{0} deve estar entre {1} e {2}'
  doubleMinMaxValue: '{0} deve estar entre {1} e {2}'
  floatMinMaxValue: '{0} deve estar entre {1} e {2}'
  same: '{0} não confere'
  email: '{0} deve ser um endereço de e-mail'
  oneOf: '{0} deve ser um destes valores: {1}'
  uuid: '{0} deve ser um UUID'
  url: '{0} deve ser um endereço da web como https://example.com'
  past: '{0} deve estar no passado'
  future: '{0} deve estar no futuro'
  dateTimeFormat: '{0} deve ser uma data com horário'
  dateFormat: '{0} deve ser uma data'
  timeFormat: '{0} deve ser um horário'
  invalid: '{0} não tem um valor válido'
  fileSize: '{0} deve ter no máximo {1}'
  filesSize: '{0}: todos os arquivos juntos devem ter no máximo {1}'
  unique: '{0} já está em uso'
  exists: '{0} não existe'
  inUse: '{0} ainda está em uso'
  overlaps: '{0} se sobrepõe a outro registro'
  outOfRange: '{0} está fora do intervalo permitido'
