/** A session store on a Redis server, which all nodes share. */
import { createHash, randomBytes } from 'node:crypto'
import { FwError, silentLogger, type Logger } from '../base.ts'
import { mergeAttributes, splitChanges, type SessionChanges } from './session-changes.ts'
import {
  hashSessionId,
  isSessionId,
  newSessionId,
  resolveLifetime,
  touchSeconds,
  type SessionLifetime,
  type SessionStore,
  type StoredSession,
} from './session-store.ts'

/** The method of a `@redis/client` client that the store calls. Another client may implement it. */
export interface RedisCommands {
  sendCommand(command: readonly string[]): Promise<unknown>
}

/** The lifetimes and the key prefix of the Redis store. */
export interface RedisStoreOptions extends Partial<SessionLifetime> {
  /** The prefix of all keys; default `fw:session:`. */
  readonly prefix?: string
}

const attributePrefix = 'a:'

/**
 * Stores sessions on one Redis server, to which the client connects directly or through a proxy; not on a cluster. Redis' persistence settings
 * determine which sessions survive a crash of the server. Set `maxmemory-policy noeviction`, so that Redis removes no
 * live sessions.
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
    const { idleSeconds, absoluteSeconds } = resolveLifetime(options)
    this.#client = client
    this.#idle = String(idleSeconds * 1000)
    this.#absolute = String(absoluteSeconds * 1000)
    this.#prefix = options.prefix ?? 'fw:session:'
  }

  /**
   * Creates a store with a new client, which `close` disconnects. Requires the package `@redis/client`.
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
    const reconnectDelay = (retries: number): number | false =>
      connected && Math.min(50 * 2 ** Math.min(retries, 6), 2000)
    const client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: 1000,
      // If the server sends nothing for this time, the client rejects pending commands and reconnects.
      socket: { reconnectStrategy: reconnectDelay, socketTimeout: 3000 },
    })
    client.on('error', (err: unknown) => logger.error({ err }, 'Redis connection failed'))
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
    const reply = await this.#run('read', [hashSessionId(id), touch])
    if (!Array.isArray(reply)) return undefined
    const [key, due, fields] = reply as [string, number, readonly string[]]
    return { id, key: Number(key), attributes: parseAttributes(fields), touchDue: due === 1 }
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
    const { written, removed } = splitChanges(changes)
    const { key, touchDue } = session
    const head = [String(key), touchDue ? '1' : '0', changes.owner ?? '', String(removed.length)]
    const saved = await this.#run('save', [...head, ...removed, ...[...written].flat()])
    return saved === 1 ? session.id : undefined
  }

  async renewSession(session: StoredSession, keepAge: boolean): Promise<StoredSession | undefined> {
    const id = newSessionId()
    const hashes = [hashSessionId(session.id), hashSessionId(id)]
    const rest = [String(session.key), ...hashes, keepAge ? '1' : '0']
    if ((await this.#run('renewSession', rest)) !== 1) return undefined
    return { ...session, id, touchDue: keepAge && session.touchDue }
  }

  async endSession(session: StoredSession): Promise<void> {
    await this.#run('endSession', [String(session.key)])
  }

  async endSessionsOf(owner: string, except?: StoredSession): Promise<number> {
    const kept = except === undefined ? '' : String(except.key)
    return Number(await this.#run('endSessionsOf', [owner, kept]))
  }

  /** Removes nothing, because Redis itself removes expired records. */
  async sweep(_limit: number): Promise<number> {
    return 0
  }

  close(): Promise<void> {
    return this.#closing()
  }

  /** Runs a script by its short digest. Sends its text only when the server has not loaded the script. */
  async #run(name: keyof typeof scripts, rest: readonly string[]): Promise<unknown> {
    const { digest, text } = scripts[name]
    const values = ['0', this.#prefix, this.#idle, this.#absolute, ...rest]
    try {
      return await this.#client.sendCommand(['EVALSHA', digest, ...values])
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return this.#client.sendCommand(['EVAL', text, ...values])
    }
  }
}

function parseAttributes(fields: readonly string[]): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!
    if (name.startsWith(attributePrefix)) {
      attributes.set(name.slice(attributePrefix.length), fields[at + 1]!)
    }
  }
  return attributes
}

/** Returns a random key. Sequential keys would repeat after a loss of data: a late save could hit another session. */
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

/*
 * Each store operation is one script, and therefore atomic. The key `<prefix>record:<key>` is a hash that expires with
 * the session. Its fields are `created`, `id`, `owner`, and `a:<name>` for each attribute. The key `<prefix>id:<hash>`,
 * with the hash of the session id, contains the key of the record. The key `<prefix>owner:<owner>` is a sorted set of
 * the owner's records, by their absolute expiry. Times are in milliseconds of the server's clock. ARGV[1] is the
 * prefix, ARGV[2] the idle lifetime and ARGV[3] the absolute lifetime.
 */
const shared = `
local prefix, idle, absolute = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function recordOf(key) return prefix .. 'record:' .. key end
local function left(record)
  return math.min(idle, tonumber(redis.call('HGET', record, 'created')) + absolute - now)
end
local function own(record, key, owner)
  if owner == '' then return end
  local before = redis.call('HGET', record, 'owner')
  if before then redis.call('ZREM', prefix .. 'owner:' .. before, key) end
  local list = prefix .. 'owner:' .. owner
  redis.call('HSET', record, 'owner', owner)
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZADD', list, tonumber(redis.call('HGET', record, 'created')) + absolute, key)
  redis.call('PEXPIRE', list, absolute)
end
local function finish(key)
  local record = recordOf(key)
  local id = redis.call('HGET', record, 'id')
  if not id then return 0 end
  local owner = redis.call('HGET', record, 'owner')
  if owner then redis.call('ZREM', prefix .. 'owner:' .. owner, key) end
  redis.call('DEL', record, prefix .. 'id:' .. id)
  return 1
end
`

function script(body: string): { text: string; digest: string } {
  const text = shared + body
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

const scripts = {
  /**
   * Reads a record. ARGV[4] is the hash of the id, ARGV[5] the milliseconds between extensions of the idle time. Returns
   * the key, 1 if an extension is due, and the fields of the record.
   */
  read: script(`
local key = redis.call('GET', prefix .. 'id:' .. ARGV[4])
if not key then return false end
local record = recordOf(key)
local fields = redis.call('HGETALL', record)
if #fields == 0 then return false end
local due = redis.call('PTTL', record) < left(record) - tonumber(ARGV[5])
return { key, due and 1 or 0, fields }`),
  /**
   * Creates a record. ARGV[4] is the key, ARGV[5] the hash of the id, ARGV[6] the owner or ''. Attribute names and values
   * follow in pairs. Returns 0 when the key already exists.
   */
  create: script(`
local record = recordOf(ARGV[4])
if redis.call('EXISTS', record) == 1 then return 0 end
redis.call('HSET', record, 'created', now, 'id', ARGV[5])
for i = 7, #ARGV, 2 do redis.call('HSET', record, 'a:' .. ARGV[i], ARGV[i + 1]) end
own(record, ARGV[4], ARGV[6])
redis.call('PEXPIRE', record, left(record))
redis.call('SET', prefix .. 'id:' .. ARGV[5], ARGV[4], 'PX', absolute)
return 1`),
  /**
   * Saves changes. ARGV[4] is the key, ARGV[5] '1' to extend the idle time, ARGV[6] the owner or ''. ARGV[7] is the
   * number of attributes to remove. Their names follow, then the names and values to set in pairs.
   */
  save: script(`
local record = recordOf(ARGV[4])
if redis.call('EXISTS', record) == 0 then return 0 end
local pairsAt = 8 + tonumber(ARGV[7])
for i = 8, pairsAt - 1 do redis.call('HDEL', record, 'a:' .. ARGV[i]) end
for i = pairsAt, #ARGV, 2 do redis.call('HSET', record, 'a:' .. ARGV[i], ARGV[i + 1]) end
own(record, ARGV[4], ARGV[6])
if ARGV[5] == '1' then redis.call('PEXPIRE', record, left(record)) end
return 1`),
  /**
   * Replaces the id of a record. ARGV[4] is the key, ARGV[5] the hash of the old id, ARGV[6] the hash of the new id, ARGV[7]
   * '1' to keep the age of the record.
   */
  renewSession: script(`
local record = recordOf(ARGV[4])
if redis.call('HGET', record, 'id') ~= ARGV[5] then return 0 end
if ARGV[7] == '0' then
  redis.call('HSET', record, 'created', now)
  redis.call('PEXPIRE', record, left(record))
  own(record, ARGV[4], redis.call('HGET', record, 'owner') or '')
end
local remaining = tonumber(redis.call('HGET', record, 'created')) + absolute - now
redis.call('DEL', prefix .. 'id:' .. ARGV[5])
redis.call('SET', prefix .. 'id:' .. ARGV[6], ARGV[4], 'PX', math.max(1, remaining))
redis.call('HSET', record, 'id', ARGV[6])
return 1`),
  /** Ends the session with the key ARGV[4]. */
  endSession: script(`return finish(ARGV[4])`),
  /** Ends the sessions of the owner ARGV[4], except the key ARGV[5] if it is not ''. Returns their number. */
  endSessionsOf: script(`
local ended = 0
for _, key in ipairs(redis.call('ZRANGE', prefix .. 'owner:' .. ARGV[4], 0, -1)) do
  if key ~= ARGV[5] then ended = ended + finish(key) end
end
return ended`),
} as const
