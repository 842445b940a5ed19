site:
  title: {{titleText}}
root:
  heading: Funciona
  next: Añade un primer recurso y abre /members.
problem:
  notAllowed: No permitido
  formExpired: El formulario ha caducado o procede de otro sitio. Vuelve atrás, recarga la página e inténtalo de nuevo.
  notFound: No encontrado
  noPage: No hay ninguna página en esta dirección.
  invalid: Solicitud no válida
  invalidValues: El servidor no puede procesar estos valores. Vuelve atrás, compruébalos e inténtalo de nuevo.
  conflict: Conflicto con otros datos
  conflictAgain: Los datos han cambiado entretanto u otro registro tiene el mismo valor. Vuelve atrás, copia lo que has escrito, recarga la página e inténtalo de nuevo.
  failed: Algo ha fallado
  logged: El error se ha registrado. Inténtalo de nuevo en un momento.
  busy: Saturado
  busyAgain: Demasiadas personas usan este sitio en este momento. Inténtalo de nuevo en unos segundos.
  tooMany: Demasiadas solicitudes
  tooManyAgain: Has enviado demasiadas solicitudes. Espera un momento e inténtalo de nuevo.
  tooLarge: Demasiado grande
  tooLargeAgain: Lo que has enviado es demasiado grande. Vuelve atrás y elige archivos más pequeños o envía menos texto.
  again: Intentar de nuevo
repeat:
  heading: Vuelve a enviar el formulario
  tooOld: 'El formulario era demasiado antiguo para guardarlo. No se ha perdido nada: revísalo y envíalo de nuevo.'
  loggedIn: Has iniciado sesión. Revisa lo que escribiste antes y envíalo.
  logIn: Tu sesión ha terminado. Inicia sesión en otra pestaña y envía el formulario de nuevo.
  files: Vuelve a elegir los archivos.
  send: Enviar
  continue: Continuar
error:
  required: '{0} es un campo obligatorio'
  notNull: '{0} es un campo obligatorio'
  notEmpty: '{0} es un campo obligatorio'
  length: '{0} debe tener {1} caracteres'
  minLength: '{0} debe tener al menos {1} caracteres'
  maxLength: '{0} debe tener como máximo {1} caracteres'
  minMaxLength: '{0} debe tener entre {1} y {2} caracteres'
  numeric: '{0} debe ser un número'
  numberFormat: '{0} debe escribirse como {1}'
  precision: '{0} debe tener como máximo {1} cifras antes de la coma y {2} después'
  intValue: '{0} está fuera del rango permitido'
  longValue: '{0} está fuera del rango permitido'
  doubleValue: '{0} debe ser un número'
  floatValue: '{0} debe ser un número'
  intMinValue: '{0} debe ser mayor o igual que {1}'
  longMinValue: '{0} debe ser mayor o igual que {1}'
  doubleMinValue: '{0} debe ser mayor o igual que {1}'
  floatMinValue: '{0} debe ser mayor o igual que {1}'
  intMaxValue: '{0} debe ser menor o igual que {1}'
  longMaxValue: '{0} debe ser menor o igual que {1}'
  doubleMaxValue: '{0} debe ser menor o igual que {1}'
  floatMaxValue: '{0} debe ser menor o igual que {1}'
  intMinMaxValue: '{0} debe estar entre {1} y {2}'
  longMinMaxValue: '{0} debe estar entre {1} y {2}'
  doubleMinMaxValue: '{0} debe estar entre {1} y {2}'
  floatMinMaxValue: '{0} debe estar entre {1} y {2}'
  same: '{0} no coincide'
  email: '{0} debe ser una dirección de correo'
  oneOf: '{0} debe ser uno de estos valores: {1}'
  uuid: '{0} debe ser un UUID'
  url: '{0} debe ser una dirección web como https://example.com'
  past: '{0} debe estar en el pasado'
  future: '{0} debe estar en el futuro'
  dateTimeFormat: '{0} debe ser una fecha y hora'
  dateFormat: '{0} debe ser una fecha'
  timeFormat: '{0} debe ser una hora'
  invalid: '{0} no tiene un valor válido'
  fileSize: '{0} debe tener como máximo {1}'
  filesSize: '{0}: todos los archivos juntos deben tener como máximo {1}'
  unique: '{0} ya está en uso'
  exists: '{0} no existe'
  inUse: '{0} todavía se usa'
  overlaps: '{0} se solapa con otro registro'
  outOfRange: '{0} está fuera del rango permitido'
