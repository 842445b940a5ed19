common:
  edit: Bearbeiten
  save: Speichern
  cancel: Abbrechen
  delete: Löschen
  removeFile: Datei entfernen
  search: Suchen
  text: Text
  yes: ja
  no: nein
  optional: freiwillig
  limit: höchstens {0} Zeichen
  invalid: Bitte korrigiere die Felder unten.
  actions: Aktionen
  path: Pfad zu dieser Seite
  pages: Seiten
  first: Erste Seite
  previous: Vorherige Seite
  next: Nächste Seite
  last: Letzte Seite
  size: 'Einträge pro Seite:'
resource:
  flash:
    created: '{{title}} wurde angelegt.'
    updated: '{{title}} wurde gespeichert.'
    deleted: '{{title}} wurde gelöscht.'
    inUse: '{{title}} wurde nicht gelöscht: Andere Einträge verweisen noch darauf.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: '{{title}} anlegen'
    edit: '{{title}} bearbeiten'
    add: '{{title}} anlegen'
    back: Zur Liste
    confirm: Dieser Eintrag wird endgültig gelöscht.
    really: Endgültig löschen
    empty: Noch keine Einträge.
    count: '{0, plural, one {# Eintrag} other {# Einträge}}'
    more: 'mehr als {0, number} Einträge'
    none: Keine passenden Einträge.
    all: Alle anzeigen
  id: ID
