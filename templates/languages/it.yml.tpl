site:
  title: {{titleText}}
root:
  heading: Funziona
  next: Aggiungi una prima risorsa, poi apri /members.
problem:
  notAllowed: Non consentito
  formExpired: Il modulo è scaduto o proviene da un altro sito. Torna indietro, ricarica la pagina e riprova.
  notFound: Non trovato
  noPage: A questo indirizzo non c’è nessuna pagina.
  invalid: Richiesta non valida
  invalidValues: Il server non può elaborare questi valori. Torna indietro, controllali e riprova.
  conflict: Conflitto con altri dati
  conflictAgain: I dati sono cambiati nel frattempo oppure un altro elemento ha lo stesso valore. Torna indietro, copia ciò che hai scritto, ricarica la pagina e riprova.
  failed: Qualcosa è andato storto
  logged: L’errore è stato registrato. Riprova tra un momento.
  busy: Sovraccarico
  busyAgain: In questo momento troppe persone usano il sito. Riprova tra qualche secondo.
  tooMany: Troppe richieste
  tooManyAgain: Hai inviato troppe richieste. Aspetta un momento, poi riprova.
  tooLarge: Troppo grande
  tooLargeAgain: Ciò che hai inviato è troppo grande. Torna indietro e scegli file più piccoli oppure invia meno testo.
  again: Riprova
repeat:
  heading: Invia di nuovo il modulo
  tooOld: 'Il modulo era troppo vecchio per essere salvato. Non è andato perso nulla: controllalo e invialo di nuovo.'
  loggedIn: Hai effettuato l’accesso. Controlla ciò che avevi scritto e invialo.
  logIn: La sessione è terminata. Accedi in un’altra scheda, poi invia di nuovo il modulo.
  files: Scegli di nuovo i file.
  send: Invia
  continue: Continua
error:
  required: '{0} è un campo obbligatorio'
  notNull: '{0} è un campo obbligatorio'
  notEmpty: '{0} è un campo obbligatorio'
  length: '{0} deve avere una lunghezza di {1} caratteri'
  minLength: '{0} deve avere almeno {1} caratteri'
  maxLength: '{0} deve avere al massimo {1} caratteri'
  minMaxLength: '{0} deve avere da {1} a {2} caratteri'
  numeric: '{0} deve essere un numero'
  numberFormat: 'Scrivi {0} come {1}'
  precision: '{0} deve avere al massimo {1} cifre prima della virgola e {2} dopo'
  intValue: '{0} è fuori dall’intervallo consentito'
  longValue: '{0} è fuori dall’intervallo consentito'
  doubleValue: '{0} deve essere un numero'
  floatValue: '{0} deve essere un numero'
  intMinValue: '{0} deve essere maggiore o uguale a {1}'
  longMinValue: '{0} deve essere maggiore o uguale a {1}'
  doubleMinValue: '{0} deve essere maggiore o uguale a {1}'
  floatMinValue: '{0} deve essere maggiore o uguale a {1}'
  intMaxValue: '{0} deve essere minore o uguale a {1}'
  longMaxValue: '{0} deve essere minore o uguale a {1}'
  doubleMaxValue: '{0} deve essere minore o uguale a {1}'
  floatMaxValue: '{0} deve essere minore o uguale a {1}'
  intMinMaxValue: '{0} deve essere tra {1} e {2}'
  longMinMaxValue: '{0} deve essere tra {1} e {2}'
  doubleMinMaxValue: '{0} deve essere tra {1} e {2}'
  floatMinMaxValue: '{0} deve essere tra {1} e {2}'
  same: '{0} non corrisponde'
  email: '{0} deve essere un indirizzo e-mail'
  oneOf: '{0} deve essere uno di questi valori: {1}'
  uuid: '{0} deve essere un UUID'
  url: '{0} deve essere un indirizzo web come https://example.com'
  past: '{0} deve essere nel passato'
  future: '{0} deve essere nel futuro'
  dateTimeFormat: '{0} deve essere una data e un orario'
  dateFormat: '{0} deve essere una data'
  timeFormat: '{0} deve essere un orario'
  invalid: '{0} non ha un valore valido'
  fileSize: '{0} deve essere al massimo di {1}'
  filesSize: '{0}: tutti i file insieme devono essere al massimo di {1}'
  unique: '{0} esiste già'
  exists: '{0} non esiste'
  inUse: '{0} è ancora in uso'
  overlaps: '{0} si sovrappone a un altro elemento'
  outOfRange: '{0} è fuori dall’intervallo consentito'
