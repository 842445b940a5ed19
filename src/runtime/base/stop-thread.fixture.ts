/** Blocks this thread like a busy machine: when it continues, timers are due before arrived data is read. */
export function stopThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
