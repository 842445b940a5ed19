/** Shows on a terminal that long work is under way. */

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const interval = 100
const eraseLine = '\r\u001b[K'

/** Where progress is shown: the error output, so that the result can go into a pipe. */
type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

const canShow = ({ isTTY }: Terminal): boolean =>
  isTTY && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined

/** A line that says what is done and since how many seconds, gone at the end; nothing where there is no terminal. */
export async function withProgress<T>(
  text: string,
  work: () => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  if (!canShow(terminal)) return work()
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
