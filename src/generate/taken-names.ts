/** Words that no generated class or object can be called. */

const reserved =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
  'false finally for function if implements import in interface instanceof let new null package private protected ' +
  'public return static super switch this throw true try typeof undefined var void while with yield'

/** What generated files import, and globals that they use. */
const used =
  'routes resource model app assert describe it form permitValues belongsTo hasMany hasManyThrough hasOne json defaulted Temporal ParamType ' +
  'FwResource Bootstrap Application controllers s body set required numeric maxLength paramKey testApp ' +
  'Object Array String Number Boolean Error Promise Partial Omit Map Set Date Symbol Readonly'

const taken: ReadonlySet<string> = new Set(`${reserved} ${used}`.split(' '))

export const isTaken = (name: string): boolean => taken.has(name)
