secondFactor:
  title: Segundo fator
  code: Código
  recoveryHint: O código do seu aplicativo ou um código de recuperação
  scan: Leia esta imagem com um aplicativo autenticador ou digite a chave abaixo. Depois digite o código que o aplicativo mostra.
  image: Código QR da chave
  recovery: Códigos de recuperação
  keep: Guarde estes códigos em um lugar seguro. Cada um permite uma entrada se você perder o aplicativo. Eles não serão mostrados de novo.
  active: Ao entrar, é pedido um código do seu aplicativo.
  added: O segundo fator está ativo. A sessão foi encerrada em todos os outros dispositivos.
  remove: Remover o segundo fator
  removed: O segundo fator foi removido. A sessão foi encerrada em todos os outros dispositivos.
  refused: O código está errado ou já foi usado.
