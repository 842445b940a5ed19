/** `slowestGrowth`: how the running time of a function grows with the most hostile of several texts. */
import { growth, processorTime } from '../../src/runtime/base/growth.fixture.ts'
import { type HostileText, hostileText } from './hostile-texts.ts'

const screened = 1024
const [cautious, measured] = [2 * 1024, 64 * 1024]
/** Times in microseconds: linear work on 16 KiB hardly takes as long, and quadratic work on 512 KiB takes longer. */
const [suspicious, quick] = [40_000, 100_000]

function time(run: (text: string) => unknown, text: string): number {
  const began = processorTime()
  run(text)
  return processorTime() - began
}

/** Returns the text that takes longest. */
function slowestText(texts: readonly HostileText[], run: (text: string) => unknown): HostileText {
  let slowest = { text: texts[0]!, least: 0 }
  for (const text of texts) {
    const sample = hostileText(text, screened)
    let least = time(run, sample)
    // Measures again, because garbage collections only add time.
    if (least > slowest.least) least = Math.min(least, time(run, sample), time(run, sample))
    if (least > slowest.least) slowest = { text, least }
  }
  return slowest.text
}

/**
 * Finds the text that takes longest, then returns the running time for 512 KiB of it divided by that for 64 KiB; 0 if 512 KiB
 * are quick, because short times are inexact. Measures 16 KiB and 2 KiB instead if quadratic work would take minutes.
 */
export function slowestGrowth(
  texts: readonly HostileText[],
  run: (text: string) => unknown,
): { readonly growth: number; readonly text: HostileText } {
  const text = slowestText(texts, run)
  const make = (size: number) => hostileText(text, size)
  const size = time(run, make(8 * cautious)) > suspicious ? cautious : measured
  if (size === measured && time(run, make(8 * size)) < quick) return { growth: 0, text }
  return { growth: growth(size, make, run, 2), text }
}
