common:
  edit: Bewerken
  save: Opslaan
  cancel: Annuleren
  delete: Verwijderen
  removeFile: Bestand verwijderen
  search: Zoeken
  text: Tekst
  yes: ja
  no: nee
  optional: optioneel
  limit: 'hoogstens {0, plural, one {# teken} other {# tekens}}'
  invalid: Verbeter de velden hieronder.
  actions: Acties
  path: Pad naar deze pagina
  pages: Pagina’s
  first: Eerste pagina
  previous: Vorige pagina
  next: Volgende pagina
  last: Laatste pagina
  size: 'Items per pagina:'
resource:
  flash:
    created: '{{title}} is toegevoegd.'
    updated: '{{title}} is opgeslagen.'
    deleted: '{{title}} is verwijderd.'
    inUse: '{{title}} is niet verwijderd: andere items verwijzen er nog naar.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: '{{title}} toevoegen'
    edit: '{{title}} bewerken'
    add: '{{title}} toevoegen'
    back: Terug naar de lijst
    confirm: Dit item wordt definitief verwijderd.
    really: Definitief verwijderen
    empty: Er zijn nog geen items.
    count: '{0, plural, one {# item} other {# items}}'
    more: 'meer dan {0, number} items'
    none: Geen items gevonden.
    all: Alles tonen
  id: ID
