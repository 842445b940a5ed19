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
