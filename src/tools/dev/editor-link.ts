/** Creates links that open a line of a file in the developer's editor. */
import { resolve } from 'node:path'
import type { SourceExcerpt } from './error-report.ts'

const editors: Readonly<Record<string, string>> = {
  code: 'vscode://file/{file}:{line}:{column}',
  cursor: 'cursor://file/{file}:{line}:{column}',
  windsurf: 'windsurf://file/{file}:{line}:{column}',
  zed: 'zed://file/{file}:{line}:{column}',
  idea: 'idea://open?file={file}&line={line}&column={column}',
  sublime: 'subl://open?url=file:///{file}&line={line}&column={column}',
  emacs: 'emacs://open?url=file:///{file}&line={line}&column={column}',
}

/** Matches URL schemes that would run code in the page or load another page. */
const forbidden = /^(?:javascript|data|vbscript|https?|blob):/i

/**
 * Returns the URL that opens a place in the editor; `undefined` if no link is possible. `editor` is the variable `FW_EDITOR`: a
 * key of `editors`, a URL with `{file}`, `{line}` and `{column}`, or `none`. Its default is VS Code.
 */
export function editorUrl(
  { file, line, column = 1 }: Omit<SourceExcerpt, 'frame'>,
  root: string,
  editor = 'code',
): string | undefined {
  const pattern = editors[editor] ?? editor
  if (!/^[a-z][a-z\d+.-]*:/i.test(pattern) || forbidden.test(pattern)) return undefined
  const path = resolve(root, file).replaceAll('\\', '/').replace(/^\//, '')
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const isInPath = pattern.includes('/{file}')
  const values = { file: isInPath ? encoded : `/${encoded}`, line, column }
  return pattern.replace(/\{(file|line|column)\}/g, (_all, name: keyof typeof values) =>
    String(values[name]),
  )
}
