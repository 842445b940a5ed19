account:
  title: Cuenta
  logIn: Iniciar sesión
  logOut: Cerrar sesión
  logOutOthers: Cerrar la sesión en los demás dispositivos
  register: Crear una cuenta
  magic: Iniciar sesión con un enlace por correo
  forgotten: Contraseña olvidada
  email: Correo electrónico
  newEmail: Nuevo correo electrónico
  password: Contraseña
  currentPassword: Contraseña actual
  newPassword: Nueva contraseña
  passwordHint: Al menos 15 caracteres, por ejemplo una frase
  choosePassword: Elegir una contraseña
  remember: Recordar este dispositivo
  willMail: Te enviaremos un correo con un enlace.
  sendMail: Enviar el correo
  save: Guardar
  security: Correo y contraseña
  changeEmail: Cambiar el correo
  changePassword: Cambiar la contraseña
  confirmEmail: 'Tu nueva dirección es {0}.'
  delete: Eliminar la cuenta
  deleteText: La cuenta se elimina definitivamente.
  deleteReally: Eliminar definitivamente
  devices: Dispositivos
  device: Dispositivo
  since: Inicio de sesión
  actions: Acciones
  thisDevice: Este dispositivo
  loginFirst: Inicia sesión primero.
  loginAgain: Inicia sesión otra vez para confirmar que eres tú.
  refused: El correo y la contraseña no coinciden.
  mailSent: Te hemos enviado un correo, si la dirección es correcta. Sigue su enlace.
  linkInvalid: El enlace no es válido, es demasiado antiguo o ya se ha usado. Pide uno nuevo.
  created: La cuenta se ha creado. Inicia sesión ahora.
  emailChanged: El correo se ha cambiado. La sesión se ha cerrado en los demás dispositivos.
  passwordChanged: La contraseña se ha cambiado. La sesión se ha cerrado en los demás dispositivos.
  devicesLoggedOut: La sesión se ha cerrado en los dispositivos.
  loggedOut: Has cerrado la sesión.
  deleted: La cuenta se ha eliminado.
  mail:
    register:
      subject: Tu nueva cuenta
      text: Elige una contraseña para tu nueva cuenta. El enlace funciona durante un día. Si no has pedido una cuenta, no hagas nada.
      button: Elegir una contraseña
    registered:
      subject: Ya tienes una cuenta
      text: Alguien, probablemente tú, ha pedido una cuenta con esta dirección. Ya existe una.
      button: Iniciar sesión
    email:
      subject: Tu nueva dirección
      text: Confirma que esta es la nueva dirección de tu cuenta. El enlace funciona durante un día.
      button: Confirmar la dirección
    reset:
      subject: Elige una nueva contraseña
      text: Elige una nueva contraseña. El enlace funciona una vez y durante una hora. Si no lo has pedido, no hagas nada.
      button: Elegir una contraseña
    magic:
      subject: Iniciar sesión
      text: Inicia sesión con este enlace. Funciona una vez y durante una hora. Si no lo has pedido, no hagas nada.
      button: Iniciar sesión
    emailChanged:
      subject: Tu dirección se ha cambiado
      text: Tu cuenta tiene ahora otra dirección. Si no has sido tú, responde enseguida a este correo.
      button: Iniciar sesión
    passwordChanged:
      subject: Tu contraseña se ha cambiado
      text: Si no has sido tú, elige enseguida una nueva contraseña.
      button: Iniciar sesión
    deleted:
      subject: Tu cuenta se ha eliminado
      text: Tu cuenta y sus datos se han eliminado.
