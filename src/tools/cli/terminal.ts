/** Functions for terminal output: text styles, line width and progress. */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]
type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

export type Paint = (style: Style, text: string) => string

/** Adds a style if stdout is a terminal; respects `NO_COLOR` and `FORCE_COLOR`. */
export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout })

export const plain: Paint = (_style, text) => text

/** Returns the width of stdout in columns. If stdout is not a terminal: the variable `COLUMNS`, else no limit. */
export function terminalWidth(): number {
  const columns = process.stdout.columns ?? Number(process.env['COLUMNS'])
  return columns > 0 ? columns : Infinity
}

/** Returns a number with its noun, such as `2 rows`. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`)
export const printJson = (value: unknown): void => printLine(JSON.stringify(value, undefined, 2))

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const interval = 100
const eraseLine = '\r\u001b[K'

/** Shows a text and the elapsed seconds while the work runs, then erases the line. Prints only if stderr is a terminal. */
export async function withProgress<T>(
  text: string,
  work: () => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  const { TERM, CI } = process.env
  if (!terminal.isTTY || TERM === 'dumb' || CI !== undefined) return work()
  let drawn = 0
  const timer = setInterval(() => {
    const seconds = Math.floor((++drawn * interval) / 1000)
    terminal.write(`${eraseLine}${frames[drawn % frames.length]} ${text} ${seconds} s`)
  }, interval)
  timer.unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
    if (drawn > 0) terminal.write(eraseLine)
  }
}
