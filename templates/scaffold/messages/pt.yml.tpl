common:
  edit: Editar
  save: Salvar
  cancel: Cancelar
  delete: Excluir
  removeFile: Remover o arquivo
  search: Pesquisar
  text: Texto
  yes: sim
  no: não
  optional: opcional
  limit: 'no máximo {0, plural, one {# caractere} many {# de caracteres} other {# caracteres}}'
  invalid: Corrija os campos abaixo.
  actions: Ações
  path: Caminho desta página
  pages: Páginas
  first: Primeira página
  previous: Página anterior
  next: Próxima página
  last: Última página
  size: 'Registros por página:'
resource:
  flash:
    created: O registro foi criado.
    updated: As alterações foram salvas.
    deleted: O registro foi excluído.
    inUse: 'O registro não foi excluído: outros registros ainda dependem dele.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: 'Criar {{words}}'
    edit: 'Editar {{words}}'
    add: 'Criar {{words}}'
    back: Voltar para a lista
    confirm: Este registro será excluído definitivamente.
    really: Excluir definitivamente
    empty: Ainda não há registros.
    count: '{0, plural, one {# registro} many {# de registros} other {# registros}}'
    more: 'mais de {0, number} registros'
    none: Nenhum registro encontrado.
    all: Mostrar tudo
  id: ID
