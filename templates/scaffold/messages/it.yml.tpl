common:
  edit: Modifica
  save: Salva
  cancel: Annulla
  delete: Elimina
  removeFile: Rimuovi il file
  search: Cerca
  text: Testo
  yes: sì
  no: no
  optional: facoltativo
  limit: 'al massimo {0, plural, one {# carattere} many {# di caratteri} other {# caratteri}}'
  invalid: Correggi i campi qui sotto.
  actions: Azioni
  path: Percorso di questa pagina
  pages: Pagine
  first: Prima pagina
  previous: Pagina precedente
  next: Pagina successiva
  last: Ultima pagina
  size: 'Elementi per pagina:'
resource:
  flash:
    created: L’elemento è stato creato.
    updated: Le modifiche sono state salvate.
    deleted: L’elemento è stato eliminato.
    inUse: 'L’elemento non è stato eliminato: altri elementi ne hanno ancora bisogno.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: 'Crea {{words}}'
    edit: 'Modifica {{words}}'
    add: 'Crea {{words}}'
    back: Torna all’elenco
    confirm: Questo elemento verrà eliminato definitivamente.
    really: Elimina definitivamente
    empty: Non ci sono ancora elementi.
    count: '{0, plural, one {# elemento} many {# di elementi} other {# elementi}}'
    more: 'più di {0, number} elementi'
    none: Nessun elemento trovato.
    all: Mostra tutto
  id: ID
