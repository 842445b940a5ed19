/** A median with a distribution-free confidence interval. */

/** The result of all rounds; the true median is between `low` and `high` with a probability of at least 95 %. */
export interface Estimate {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** With fewer than six values, the interval is their range. */
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

// The number of values to omit at each end: each value is below the median with probability 1/2.
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
