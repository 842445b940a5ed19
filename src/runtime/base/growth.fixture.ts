/** Measures how the time of work grows with its input: a ratio, which does not depend on the speed of the machine. */

/** Eight times the input takes about eight times as long if work is linear, and 64 times if it is quadratic. */
export const linearGrowth = 24

/** The ratio of the times for an input of `8 * size` and of `size`. Choose a size that takes about a millisecond. */
export function growth<T>(
  size: number,
  make: (size: number) => T,
  work: (input: T) => unknown,
): number {
  const [small, large] = [make(size), make(8 * size)]
  // The minimum of several runs: interruptions only add time.
  const least = (input: T, times: number): number =>
    Math.min(
      ...Array.from({ length: times }, () => {
        const began = performance.now()
        work(input)
        return performance.now() - began
      }),
    )
  least(small, 20)
  const before = least(small, 20)
  return least(large, 20) / before
}
