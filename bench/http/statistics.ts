/** A median, and an interval for it that asks nothing of how the figures are spread. */

/** What rounds of one measurement come to; `low` and `high` hold the true median with at least 95 %. */
export interface Estimate {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** At least six figures are needed for the interval; with fewer it is as wide as they are. */
export function estimate(figures: readonly number[]): Estimate {
  const sorted = figures.toSorted((a, b) => a - b)
  const count = sorted.length
  const middle = count >> 1
  const at = trimmed(count)
  return {
    median: count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2,
    low: sorted[at]!,
    high: sorted[count - 1 - at]!,
  }
}

// How many figures can be left out at each end: a figure is below the median as a coin falls.
function trimmed(count: number): number {
  let left = 0
  let outside = 0
  let ways = 1
  for (;;) {
    outside += (2 * ways) / 2 ** count
    if (outside > 0.05) return Math.max(0, left - 1)
    ways = (ways * (count - left)) / (left + 1)
    left += 1
  }
}
