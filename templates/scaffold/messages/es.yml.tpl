common:
  edit: Editar
  save: Guardar
  cancel: Cancelar
  delete: Eliminar
  removeFile: Quitar el archivo
  search: Buscar
  text: Texto
  yes: sí
  no: no
  optional: opcional
  limit: 'máximo {0, plural, one {# carácter} many {# de caracteres} other {# caracteres}}'
  invalid: Corrige los campos de abajo.
  actions: Acciones
  path: Ruta de esta página
  pages: Páginas
  first: Primera página
  previous: Página anterior
  next: Página siguiente
  last: Última página
  size: 'Registros por página:'
resource:
  flash:
    created: El registro se ha creado.
    updated: Los cambios se han guardado.
    deleted: El registro se ha eliminado.
    inUse: 'El registro no se ha eliminado: otros registros todavía lo necesitan.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: 'Crear {{words}}'
    edit: 'Editar {{words}}'
    add: 'Crear {{words}}'
    back: Volver a la lista
    confirm: Este registro se eliminará definitivamente.
    really: Eliminar definitivamente
    empty: Todavía no hay registros.
    count: '{0, plural, one {# registro} many {# de registros} other {# registros}}'
    more: 'más de {0, number} registros'
    none: No se ha encontrado ningún registro.
    all: Mostrar todo
  id: ID
