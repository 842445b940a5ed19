/** Converts TypeScript to JavaScript with Node's own parser. */
import { stripTypeScriptTypes } from 'node:module'

/** Replaces types with spaces. Suppresses Node's warning that the function is experimental. @throws Node's syntax error */
export function stripTypes(code: string): string {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}
