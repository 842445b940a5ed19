/** Tells what became of the files of a generator. */
import type { Outcome } from '../generate.ts'

interface TellOptions {
  readonly json?: boolean
  readonly pretend?: boolean
}

const width = 'overwritten'.length

function lines({ path, done, diff }: Outcome): string {
  const line = `${done.padEnd(width)}  ${path}\n`
  return diff === undefined ? line : `${line}${diff.replace(/^/gm, '    ')}\n`
}

/** A line for each file, and how it changes. */
export function tellOutcomes(
  outcomes: readonly Outcome[],
  { json, pretend }: TellOptions,
  notes: readonly string[] = [],
): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify({ files: outcomes, notes }, undefined, 2)}\n`)
    return
  }
  const head = pretend === true ? 'Nothing is written. It would be:\n' : ''
  process.stdout.write(
    head + outcomes.map(lines).join('') + notes.map((note) => `\n${note}\n`).join(''),
  )
}
