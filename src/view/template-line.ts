/** Puts a line of a template into the stack of an error that was thrown there. */
import { fileURLToPath } from 'node:url'

/** `webInf` is the folder's URL, `file` lies below it. Anything but an error is answered as it is. */
export function atTemplateLine(error: unknown, webInf: URL, file: string, line: number): unknown {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return error
  const frame = `    at template (${fileURLToPath(new URL(file, webInf))}:${line}:1)`
  const lines = error.stack.split('\n')
  const first = lines.findIndex((text) => /^\s+at /.test(text))
  lines.splice(first === -1 ? lines.length : first, 0, frame)
  try {
    error.stack = lines.join('\n')
  } catch {
    // A frozen error keeps its stack.
  }
  return error
}
