/** Tells the benchmark the port, and ends with it. */
export function announce(port) {
  console.log(`listening on http://127.0.0.1:${port}`)
}
