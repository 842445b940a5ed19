/** What the standard output can show. */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Adds a style where the output is a terminal that shows one; `NO_COLOR` and `FORCE_COLOR` are heard. */
export type Paint = (style: Style, text: string) => string

/** For the standard output. */
export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout })

/** Leaves texts as they are. */
export const plain: Paint = (_style, text) => text

/** Columns of the standard output; without a terminal those of `COLUMNS`, else no limit. */
export function terminalWidth(): number {
  const given = process.stdout.columns ?? Number(process.env['COLUMNS'])
  return given > 0 ? given : Infinity
}
