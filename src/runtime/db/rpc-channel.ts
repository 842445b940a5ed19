/** The channel between the host of an embedded database and its clients. */

/** One end of a channel between processes. Messages are structured clones and arrive in the order in which they were sent. */
export interface RpcChannel {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
}
