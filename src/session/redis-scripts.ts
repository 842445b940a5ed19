/** What sessions do on a Redis server: one script, and so one atomic step, for each thing that a store does. */
import { createHash } from 'node:crypto'

/*
 * Keys: `<prefix>record:<key>` a hash with `created`, `id`, `owner` and one field `a:<name>` for each attribute, expiring
 * at the end of the session; `<prefix>id:<hash of the id>` the record's key; `<prefix>owner:<owner>` the keys of an
 * owner's records, scored by their absolute end. Times are the server's, in milliseconds.
 * ARGV[1] is the prefix, ARGV[2] the idle and ARGV[3] the absolute time; each script tells the rest.
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

/** ARGV[4] hash of the id, [5] milliseconds between touches; answers key, whether a touch is due, and the record's fields. */
const read = `
local key = redis.call('GET', prefix .. 'id:' .. ARGV[4])
if not key then return false end
local record = recordOf(key)
local fields = redis.call('HGETALL', record)
if #fields == 0 then return false end
local due = redis.call('PTTL', record) < left(record) - tonumber(ARGV[5])
return { key, due and 1 or 0, fields }`

/** ARGV[4] key, [5] hash of the id, [6] owner or '', then names and values; answers 0 when the key is taken. */
const create = `
local record = recordOf(ARGV[4])
if redis.call('EXISTS', record) == 1 then return 0 end
redis.call('HSET', record, 'created', now, 'id', ARGV[5])
for i = 7, #ARGV, 2 do redis.call('HSET', record, 'a:' .. ARGV[i], ARGV[i + 1]) end
own(record, ARGV[4], ARGV[6])
redis.call('PEXPIRE', record, left(record))
redis.call('SET', prefix .. 'id:' .. ARGV[5], ARGV[4], 'PX', absolute)
return 1`

/** ARGV[4] key, [5] '1' to touch, [6] owner or '', [7] how many names to remove, those, then names and values. */
const save = `
local record = recordOf(ARGV[4])
if redis.call('EXISTS', record) == 0 then return 0 end
local pairsAt = 8 + tonumber(ARGV[7])
for i = 8, pairsAt - 1 do redis.call('HDEL', record, 'a:' .. ARGV[i]) end
for i = pairsAt, #ARGV, 2 do redis.call('HSET', record, 'a:' .. ARGV[i], ARGV[i + 1]) end
own(record, ARGV[4], ARGV[6])
if ARGV[5] == '1' then redis.call('PEXPIRE', record, left(record)) end
return 1`

/** ARGV[4] key, [5] old hash, [6] new hash. */
const renew = `
local record = recordOf(ARGV[4])
if redis.call('HGET', record, 'id') ~= ARGV[5] then return 0 end
local remaining = tonumber(redis.call('HGET', record, 'created')) + absolute - now
redis.call('DEL', prefix .. 'id:' .. ARGV[5])
redis.call('SET', prefix .. 'id:' .. ARGV[6], ARGV[4], 'PX', math.max(1, remaining))
redis.call('HSET', record, 'id', ARGV[6])
return 1`

/** ARGV[4] key. */
const destroy = `return finish(ARGV[4])`

/** ARGV[4] owner, [5] key to spare or ''; answers how many ended. */
const destroyAllOf = `
local ended = 0
for _, key in ipairs(redis.call('ZRANGE', prefix .. 'owner:' .. ARGV[4], 0, -1)) do
  if key ~= ARGV[5] then ended = ended + finish(key) end
end
return ended`

/** A script with the digest under which the server keeps it. */
export interface RedisScript {
  readonly text: string
  readonly digest: string
}

function script(body: string): RedisScript {
  const text = shared + body
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

export const redisScripts = {
  read: script(read),
  create: script(create),
  save: script(save),
  renew: script(renew),
  destroy: script(destroy),
  destroyAllOf: script(destroyAllOf),
} as const
