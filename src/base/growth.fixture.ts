/** How work grows with its input: a ratio, which a machine that is slow or busy does not change. */

/** Eight times the input may take eight times as long, and some more for memory; what is quadratic takes 64 times. */
export const linearGrowth = 24

/** How many times as long `work` takes on eight times as much. @param size for which it takes a millisecond or so */
export function growth<T>(
  size: number,
  make: (size: number) => T,
  work: (input: T) => unknown,
): number {
  const [small, large] = [make(size), make(8 * size)]
  // The least of several: what was interrupted took longer.
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
  return least(large, 5) / before
}
