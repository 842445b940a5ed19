common:
  edit: Modifier
  save: Enregistrer
  cancel: Annuler
  delete: Supprimer
  removeFile: Retirer le fichier
  search: Rechercher
  text: Texte
  yes: oui
  no: non
  optional: facultatif
  limit: '{0, plural, one {# caractère} many {# de caractères} other {# caractères}} au maximum'
  invalid: Corrigez les champs ci-dessous.
  actions: Actions
  path: Chemin de cette page
  pages: Pages
  first: Première page
  previous: Page précédente
  next: Page suivante
  last: Dernière page
  size: 'Enregistrements par page :'
resource:
  flash:
    created: L’enregistrement a été créé.
    updated: Les modifications ont été enregistrées.
    deleted: L’enregistrement a été supprimé.
    inUse: 'L’enregistrement n’a pas été supprimé : d’autres enregistrements en dépendent encore.'
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: '{{title}} : création'
    edit: '{{title}} : modification'
    add: Ajouter
    back: Retour à la liste
    confirm: Cet enregistrement sera supprimé définitivement.
    really: Supprimer définitivement
    empty: Aucun enregistrement pour l’instant.
    count: '{0, plural, one {# enregistrement} many {# d’enregistrements} other {# enregistrements}}'
    more: 'plus de {0, number} enregistrements'
    none: Aucun enregistrement trouvé.
    all: Tout afficher
  id: ID
