/** TypeScript as JavaScript, by Node itself. */
import { stripTypeScriptTypes } from 'node:module'

/** Without the warning that the call is an experiment, which is nothing to its user. @throws what Node says of the code */
export function stripTypes(code: string): string {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}
