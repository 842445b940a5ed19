/** Converts an import of TypeScript to the declaration of a template. */
import type { TextEdit } from 'vscode-languageserver'
import type { TextLines } from '../workspace.ts'

const importStatement =
  /import\s+(type\s+)?(\{[^}]*\}|[\w$]+|\*\s+as\s+[\w$]+)\s+from\s+(['"])([^'"\n]+)\3/

/** Returns the edit that adds `<%@import …%>` at the start of a template; `undefined` for other code than an import. */
export function importDeclaration(code: string, template: TextLines): TextEdit | undefined {
  const [, type = '', names, , module] = importStatement.exec(code) ?? []
  if (names === undefined || module === undefined) return undefined
  const start = template.text.startsWith('\ufeff') ? 1 : 0
  const lineBreak = /\r\n|\n/.exec(template.text)?.[0] ?? '\n'
  return {
    range: template.range(start, start),
    newText: `<%@import ${type}${names} from '${module}' %>${lineBreak}`,
  }
}
