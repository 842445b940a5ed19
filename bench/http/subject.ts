/** The interface of a measured server: a module in `subjects` with one function. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Subject {
  /** Listens on a free port of 127.0.0.1 and returns it. */
  serve(): Promise<number>
}

/** Listens with a server of `node:http`. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
