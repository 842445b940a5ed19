/** Shares the embedded databases of `fw run` with the commands of the same user, over a local socket. */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, connect, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'

const headLength = 4

/** The folder of the sockets, which only this user can enter. Its name is short: socket paths have at most 103 bytes. */
const socketFolder = (): string => join(tmpdir(), `fw-${userInfo().uid}`)

const socketPath = (pid: number): string => join(socketFolder(), `${pid}.sock`)

/** Whether the path belongs to this user; otherwise another user could have created it. */
function isOwn(path: string): boolean {
  const state = lstatSync(path, { throwIfNoEntry: false })
  return state !== undefined && state.uid === userInfo().uid && (state.mode & 0o077) === 0
}

/** One end of a channel between processes. Messages are structured clones and arrive in the order in which they were sent. */
export interface RpcChannel {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
}

export interface SocketChannel extends RpcChannel {
  onClose(listener: () => void): void
  close(): void
}

/** A channel that sends messages over a stream. Each message is its length in four bytes, followed by its structured clone. */
function socketChannel(socket: Socket): SocketChannel {
  // Ignore the error: Node emits `close` after it.
  socket.on('error', () => {})
  return {
    send(message) {
      const body = serialize(message)
      const head = Buffer.alloc(headLength)
      head.writeUInt32LE(body.length)
      if (socket.writable) socket.write(Buffer.concat([head, body]))
    },
    onMessage(listener) {
      let received = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        while (received.length >= headLength) {
          const end = headLength + received.readUInt32LE(0)
          if (received.length < end) return
          const message: unknown = deserialize(received.subarray(headLength, end))
          received = received.subarray(end)
          listener(message)
        }
      })
    },
    onClose: (listener) => void socket.on('close', listener),
    close: () => void socket.destroy(),
  }
}

/** Shares the host's databases until `close` is called. Resolves to `undefined` if the system has no local sockets. */
export async function shareDatabases(host: {
  share(channel: RpcChannel): { leave(): Promise<void> }
}): Promise<{ close(): Promise<void> } | undefined> {
  if (process.platform === 'win32') return undefined
  const clients = new Set<Socket>()
  const leaving = new Set<Promise<void>>()
  const server = createServer((socket) => {
    clients.add(socket)
    const channel = socketChannel(socket)
    const use = host.share(channel)
    channel.onClose(() => {
      clients.delete(socket)
      const left = use.leave().finally(() => leaving.delete(left))
      leaving.add(left)
    })
  })
  if (!(await listen(server, socketPath(process.pid)))) return undefined
  server.unref()
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of clients) socket.destroy()
    await closed
    await Promise.all(leaving)
  }
  return { close }
}

async function listen(server: Server, path: string): Promise<boolean> {
  try {
    mkdirSync(socketFolder(), { recursive: true, mode: 0o700 })
    if (!isOwn(socketFolder())) return false
    // Remove an old socket: a killed process leaves its socket, and this process can have the same pid.
    rmSync(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    chmodSync(path, 0o600)
    return true
  } catch {
    return false
  }
}

/** Connects to the databases that the process `pid` shares; `undefined` if that process shares none. */
export async function connectToHolder(pid: number): Promise<SocketChannel | undefined> {
  const path = socketPath(pid)
  if (process.platform === 'win32' || !isOwn(socketFolder()) || !isOwn(path)) return undefined
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socketChannel(socket)
  } catch {
    return undefined
  }
}
