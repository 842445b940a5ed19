/** Sessions on a Redis server: shared by all nodes, apart from the database. */
import { randomBytes } from 'node:crypto'
import { FwError, silentLogger } from '../base.ts'
import type { Logger } from '../base.ts'
import { lifetime, touchSeconds } from './lifetime.ts'
import type { SessionLifetime } from './lifetime.ts'
import { redisScripts } from './redis-scripts.ts'
import { hashSessionId, isSessionId, newSessionId } from './session-id.ts'
import { mergeAttributes } from './store.ts'
import type { SessionChanges, SessionStore, StoredSession } from './store.ts'

/** Sends one command, as a client of `@redis/client` does. */
export interface RedisCommands {
  sendCommand(command: readonly string[]): Promise<unknown>
}

/** Lifetime and keys of a `RedisStore`; every one has a default. */
export interface RedisStoreOptions extends Partial<SessionLifetime> {
  /** Text before all keys; `fw:session:` unless set. */
  readonly prefix?: string
}

const attributePrefix = 'a:'
/** A server that says nothing for so long counts as dead: what waits is rejected, and the connection made anew. */
const silence = { pingInterval: 1000, socketTimeout: 3000 }

/**
 * The maker of `SessionStore` on one Redis server (or what stands for one: a sentinel, a proxy), not on a cluster. What
 * Redis keeps over a crash is what its persistence says; let it evict nothing (`maxmemory-policy noeviction`).
 */
export class RedisStore implements SessionStore {
  readonly transactional = false
  readonly #client: RedisCommands
  readonly #idle: string
  readonly #absolute: string
  readonly #prefix: string
  #closing: () => Promise<void> = async () => {}

  /** @throws FwError `session.lifetime-invalid` */
  constructor(client: RedisCommands, options: RedisStoreOptions = {}) {
    const { idleSeconds, absoluteSeconds } = lifetime(options)
    this.#client = client
    this.#idle = String(idleSeconds * 1000)
    this.#absolute = String(absoluteSeconds * 1000)
    this.#prefix = options.prefix ?? 'fw:session:'
  }

  /**
   * A store with a client of its own, which `close` ends. Needs the package `@redis/client`.
   * @param url `redis://user:password@host:6379/0`, or `rediss://` for TLS
   * @throws FwError `session.package-missing`, `session.store-unreachable`
   */
  static async connect(
    url: string,
    options: RedisStoreOptions & { readonly logger?: Logger } = {},
  ): Promise<RedisStore> {
    const { logger = silentLogger } = options
    const { createClient } = await redisPackage()
    let connected = false
    const again = (retries: number): number | false =>
      connected && Math.min(50 * 2 ** Math.min(retries, 6), 2000)
    const client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: silence.pingInterval,
      socket: { reconnectStrategy: again, socketTimeout: silence.socketTimeout },
    })
    client.on('error', (error: unknown) => logger.error({ error }, 'Redis connection failed'))
    try {
      await client.connect()
    } catch (cause) {
      throw new FwError(
        'session.store-unreachable',
        'The Redis server for sessions cannot be reached: start it, or correct its url.',
        { cause },
      )
    }
    connected = true
    const store = new RedisStore(client, options)
    store.#closing = async () => client.destroy()
    return store
  }

  async read(id: string): Promise<StoredSession | undefined> {
    if (!isSessionId(id)) return undefined
    const touch = String(touchSeconds * 1000)
    const found = await this.#run('read', [hashSessionId(id), touch])
    if (!Array.isArray(found)) return undefined
    const [key, due, fields] = found as [string, number, readonly string[]]
    return { id, key: Number(key), attributes: attributesOf(fields), touchDue: due === 1 }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    const id = newSessionId()
    const attributes = mergeAttributes(new Map(), changes.attributes)
    for (;;) {
      const key = randomKey()
      const rest = [String(key), hashSessionId(id), changes.owner ?? '', ...[...attributes].flat()]
      if ((await this.#run('create', rest)) === 1) return { id, key, attributes, touchDue: false }
    }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const kept: string[] = []
    const removed: string[] = []
    for (const [name, text] of changes.attributes) {
      if (text === undefined) removed.push(name)
      else kept.push(name, text)
    }
    const head = [String(session.key), session.touchDue ? '1' : '0', changes.owner ?? '']
    const saved = await this.#run('save', [...head, String(removed.length), ...removed, ...kept])
    return saved === 1 ? session.id : undefined
  }

  async renew(session: StoredSession): Promise<StoredSession | undefined> {
    const id = newSessionId()
    const rest = [String(session.key), hashSessionId(session.id), hashSessionId(id)]
    return (await this.#run('renew', rest)) === 1 ? { ...session, id } : undefined
  }

  async destroy(session: StoredSession): Promise<void> {
    await this.#run('destroy', [String(session.key)])
  }

  async destroyAllOf(owner: string, except?: StoredSession): Promise<number> {
    const spared = except === undefined ? '' : String(except.key)
    return Number(await this.#run('destroyAllOf', [owner, spared]))
  }

  /** Redis removes dead records itself. */
  async sweep(_limit: number): Promise<number> {
    return 0
  }

  close(): Promise<void> {
    return this.#closing()
  }

  /** By its digest, which is short; with its text when the server does not know it yet. */
  async #run(name: keyof typeof redisScripts, rest: readonly string[]): Promise<unknown> {
    const { digest, text } = redisScripts[name]
    const values = ['0', this.#prefix, this.#idle, this.#absolute, ...rest]
    try {
      return await this.#client.sendCommand(['EVALSHA', digest, ...values])
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return this.#client.sendCommand(['EVAL', text, ...values])
    }
  }
}

function attributesOf(fields: readonly string[]): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!
    if (name.startsWith(attributePrefix)) {
      attributes.set(name.slice(attributePrefix.length), fields[at + 1]!)
    }
  }
  return attributes
}

/** Random, not counted: after the server lost its data a late save must not meet another session's record. */
function randomKey(): number {
  return randomBytes(6).readUIntBE(0, 6) * 32 + (randomBytes(1)[0]! & 31)
}

async function redisPackage() {
  try {
    return await import('@redis/client')
  } catch (cause) {
    throw new FwError(
      'session.package-missing',
      'Sessions on Redis need the package @redis/client: npm install @redis/client',
      { cause },
    )
  }
}
