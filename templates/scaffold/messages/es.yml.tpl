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
limit: máximo {0} caracteres
invalid: Corrige los campos de abajo.
actions: Acciones
path: Ruta de esta página
pages: Páginas
first: Primera página
previous: Página anterior
next: Página siguiente
last: Última página
size: 'Registros por página:'
