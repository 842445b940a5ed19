/**
 * Measures how the running time of a function grows with its input. The result is a ratio, so it does not depend on the speed
 * of the machine.
 */

/**
 * The limit of `growth` that still counts as linear: input of eight times the size takes about 8 times as long if work is
 * linear, and 64 times if it is quadratic.
 */
export const linearGrowth = 24

/** The processor time of this process, in microseconds. Waiting for a busy machine does not count. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * Returns the running time for an input of `8 * size`, divided by the time for an input of `size`. Choose a size that takes
 * about a millisecond. The time is the shortest of `runs` runs.
 */
export function growth<T>(
  size: number,
  make: (size: number) => T,
  work: (input: T) => unknown,
  runs = 20,
): number {
  const [small, large] = [make(size), make(8 * size)]
  // Takes the minimum of several runs, because garbage collections only add time.
  const least = (input: T, times: number): number =>
    Math.min(
      ...Array.from({ length: times }, () => {
        const began = processorTime()
        work(input)
        return processorTime() - began
      }),
    )
  least(small, runs)
  const before = least(small, runs)
  return least(large, runs) / before
}
