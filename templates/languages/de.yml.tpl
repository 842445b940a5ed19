site:
  title: {{titleText}}
root:
  heading: Es funktioniert
  next: Lege eine erste Ressource an und öffne dann /members.
problem:
  notAllowed: Nicht erlaubt
  formExpired: Das Formular ist abgelaufen oder kam von einer anderen Website. Geh zurück, lade die Seite neu und versuche es noch einmal.
  notFound: Nicht gefunden
  noPage: Unter dieser Adresse gibt es keine Seite.
  invalid: Ungültige Anfrage
  invalidValues: Der Server kann diese Werte nicht verarbeiten. Geh zurück, prüfe sie und versuche es noch einmal.
  conflict: Konflikt mit anderen Daten
  conflictAgain: Die Daten haben sich inzwischen geändert, oder ein anderer Eintrag hat denselben Wert. Geh zurück, kopiere, was du geschrieben hast, lade die Seite neu und versuche es noch einmal.
  failed: Etwas ist schiefgegangen
  logged: Der Fehler wurde protokolliert. Versuche es in einem Moment noch einmal.
  busy: Überlastet
  busyAgain: Gerade nutzen zu viele Menschen diese Website. Versuche es in ein paar Sekunden noch einmal.
  tooMany: Zu viele Anfragen
  tooManyAgain: Du hast zu viele Anfragen gesendet. Warte einen Moment und versuche es dann noch einmal.
  tooLarge: Zu groß
  tooLargeAgain: Was du gesendet hast, ist zu groß. Geh zurück und wähle kleinere Dateien oder sende weniger Text.
  again: Noch einmal versuchen
repeat:
  heading: Bitte sende das Formular noch einmal
  tooOld: 'Das Formular war zu alt, um gespeichert zu werden. Nichts ist verloren: Prüfe es und sende es noch einmal.'
  loggedIn: Du bist angemeldet. Prüfe, was du vorher geschrieben hast, und sende es.
  logIn: Deine Sitzung ist beendet. Melde dich in einem anderen Tab an und sende das Formular dann noch einmal.
  files: Wähle die Dateien noch einmal aus.
  send: Senden
  continue: Weiter
error:
  required: '{0} ist erforderlich'
  notNull: '{0} ist erforderlich'
  notEmpty: '{0} ist erforderlich'
  length: '{0} muss {1} Zeichen haben'
  minLength: '{0} muss mindestens {1} Zeichen haben'
  maxLength: '{0} darf höchstens {1} Zeichen haben'
  minMaxLength: '{0} muss {1} bis {2} Zeichen haben'
  numeric: '{0} muss eine Zahl sein'
  numberFormat: '{0} muss wie {1} geschrieben sein'
  precision: '{0} darf höchstens {1} Stellen vor und {2} nach dem Komma haben'
  intValue: '{0} liegt außerhalb des erlaubten Bereichs'
  longValue: '{0} liegt außerhalb des erlaubten Bereichs'
  doubleValue: '{0} muss eine Zahl sein'
  floatValue: '{0} muss eine Zahl sein'
  intMinValue: '{0} muss mindestens {1} sein'
  longMinValue: '{0} muss mindestens {1} sein'
  doubleMinValue: '{0} muss mindestens {1} sein'
  floatMinValue: '{0} muss mindestens {1} sein'
  intMaxValue: '{0} darf höchstens {1} sein'
  longMaxValue: '{0} darf höchstens {1} sein'
  doubleMaxValue: '{0} darf höchstens {1} sein'
  floatMaxValue: '{0} darf höchstens {1} sein'
  intMinMaxValue: '{0} muss zwischen {1} und {2} liegen'
  longMinMaxValue: '{0} muss zwischen {1} und {2} liegen'
  doubleMinMaxValue: '{0} muss zwischen {1} und {2} liegen'
  floatMinMaxValue: '{0} muss zwischen {1} und {2} liegen'
  same: '{0} stimmt nicht überein'
  email: '{0} muss eine E-Mail-Adresse sein'
  oneOf: '{0} muss einer dieser Werte sein: {1}'
  uuid: '{0} muss eine UUID sein'
  url: '{0} muss eine Webadresse wie https://example.com sein'
  past: '{0} muss in der Vergangenheit liegen'
  future: '{0} muss in der Zukunft liegen'
  dateTimeFormat: '{0} muss Datum und Uhrzeit sein'
  dateFormat: '{0} muss ein Datum sein'
  timeFormat: '{0} muss eine Uhrzeit sein'
  invalid: '{0} ist ungültig'
  fileSize: '{0} darf höchstens {1} groß sein'
  filesSize: '{0}: Alle Dateien zusammen dürfen höchstens {1} groß sein'
  unique: '{0} ist schon vergeben'
  exists: '{0} gibt es nicht'
  inUse: '{0} wird noch verwendet'
  overlaps: '{0} überschneidet sich mit einem anderen Eintrag'
  outOfRange: '{0} liegt außerhalb des erlaubten Bereichs'
