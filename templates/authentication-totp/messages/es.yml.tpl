secondFactor:
  title: Segundo factor
  code: Código
  recoveryHint: El código de tu aplicación o un código de recuperación
  scan: Escanea esta imagen con una aplicación de autenticación o introduce la clave de abajo. Después introduce el código que muestra la aplicación.
  image: Código QR de la clave
  recovery: Códigos de recuperación
  keep: Guarda estos códigos en un lugar seguro. Cada uno inicia la sesión una vez si has perdido la aplicación. No se muestran otra vez.
  active: Al iniciar sesión se pide un código de tu aplicación.
  added: El segundo factor está activo. La sesión se ha cerrado en los demás dispositivos.
  remove: Quitar el segundo factor
  removed: El segundo factor se ha quitado. La sesión se ha cerrado en los demás dispositivos.
  refused: El código es incorrecto o ya se ha usado.
