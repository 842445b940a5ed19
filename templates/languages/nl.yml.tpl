site:
  title: {{titleText}}
root:
  heading: Het werkt
  next: Voeg een eerste resource toe en open dan /members.
problem:
  notAllowed: Niet toegestaan
  formExpired: Het formulier is verlopen of kwam van een andere site. Ga terug, laad de pagina opnieuw en probeer het nog eens.
  notFound: Niet gevonden
  noPage: Op dit adres is geen pagina.
  invalid: Ongeldig verzoek
  invalidValues: De server kan deze waarden niet verwerken. Ga terug, controleer ze en probeer het nog eens.
  conflict: Conflict met andere gegevens
  conflictAgain: De gegevens zijn intussen gewijzigd, of een ander item heeft dezelfde waarde. Ga terug, kopieer wat je hebt geschreven, laad de pagina opnieuw en probeer het nog eens.
  failed: Er is iets misgegaan
  logged: De fout is vastgelegd. Probeer het zo nog eens.
  busy: Overbelast
  busyAgain: Op dit moment gebruiken te veel mensen deze site. Probeer het over een paar seconden nog eens.
  tooMany: Te veel verzoeken
  tooManyAgain: Je hebt te veel verzoeken verstuurd. Wacht even en probeer het dan nog eens.
  tooLarge: Te groot
  tooLargeAgain: Wat je hebt verstuurd, is te groot. Ga terug en kies kleinere bestanden of verstuur minder tekst.
  again: Opnieuw proberen
repeat:
  heading: Verstuur het formulier nog eens
  tooOld: 'Het formulier was te oud om op te slaan. Er is niets verloren gegaan: controleer het en verstuur het nog eens.'
  loggedIn: Je bent ingelogd. Controleer wat je eerder hebt geschreven en verstuur het.
  logIn: Je sessie is beëindigd. Log in op een ander tabblad en verstuur het formulier dan nog eens.
  files: Kies de bestanden opnieuw.
  send: Versturen
  continue: Doorgaan
error:
  required: '{0} is verplicht'
  notNull: '{0} is verplicht'
  notEmpty: '{0} is verplicht'
  length: '{0} moet {1} tekens lang zijn'
  minLength: '{0} moet minstens {1} tekens lang zijn'
  maxLength: '{0} mag hoogstens {1} tekens lang zijn'
  minMaxLength: '{0} moet {1} tot {2} tekens lang zijn'
  numeric: '{0} moet een getal zijn'
  numberFormat: '{0} moet geschreven zijn als {1}'
  precision: '{0} mag hoogstens {1} cijfers voor de komma en {2} erna hebben'
  intValue: '{0} ligt buiten het toegestane bereik'
  longValue: '{0} ligt buiten het toegestane bereik'
  doubleValue: '{0} moet een getal zijn'
  floatValue: '{0} moet een getal zijn'
  intMinValue: '{0} moet minstens {1} zijn'
  longMinValue: '{0} moet minstens {1} zijn'
  doubleMinValue: '{0} moet minstens {1} zijn'
  floatMinValue: '{0} moet minstens {1} zijn'
  intMaxValue: '{0} mag hoogstens {1} zijn'
  longMaxValue: '{0} mag hoogstens {1} zijn'
  doubleMaxValue: '{0} mag hoogstens {1} zijn'
  floatMaxValue: '{0} mag hoogstens {1} zijn'
  intMinMaxValue: '{0} moet tussen {1} en {2} liggen'
  longMinMaxValue: '{0} moet tussen {1} en {2} liggen'
  doubleMinMaxValue: '{0} moet tussen {1} en {2} liggen'
  floatMinMaxValue: '{0} moet tussen {1} en {2} liggen'
  same: '{0} komt niet overeen'
  email: '{0} moet een e-mailadres zijn'
  oneOf: '{0} moet een van deze waarden zijn: {1}'
  uuid: '{0} moet een UUID zijn'
  url: '{0} moet een webadres zijn zoals https://example.com'
  past: '{0} moet in het verleden liggen'
  future: '{0} moet in de toekomst liggen'
  dateTimeFormat: '{0} moet een datum met tijd zijn'
  dateFormat: '{0} moet een datum zijn'
  timeFormat: '{0} moet een tijd zijn'
  invalid: '{0} is ongeldig'
  fileSize: '{0} mag hoogstens {1} groot zijn'
  filesSize: '{0}: alle bestanden samen mogen hoogstens {1} groot zijn'
  unique: '{0} is al in gebruik'
  exists: '{0} bestaat niet'
  inUse: '{0} is nog in gebruik'
  overlaps: '{0} overlapt met een ander item'
  outOfRange: '{0} ligt buiten het toegestane bereik'
