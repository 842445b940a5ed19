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
limit: '{0} caractères au maximum'
invalid: Corrigez les champs ci-dessous.
actions: Actions
path: Chemin de cette page
pages: Pages
first: Première page
previous: Page précédente
next: Page suivante
last: Dernière page
size: 'Enregistrements par page :'
