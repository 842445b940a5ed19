passkey:
  title: Llaves de acceso
  text: Una llave de acceso inicia la sesión con el bloqueo de pantalla de tu dispositivo, sin contraseña.
  logIn: Iniciar sesión con una llave de acceso
  name: Nombre
  createdAt: Añadida
  add: Añadir una llave de acceso
  remove: Quitar
  added: La llave de acceso se ha añadido.
  removed: La llave de acceso se ha quitado. La sesión se ha cerrado en los demás dispositivos.
  refused: La llave de acceso es desconocida o no se ha confirmado. Inténtalo otra vez.
