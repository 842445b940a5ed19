/** Passwords: their hashes, those of other libraries, and the work for unknown users. */
import { hash as foreignHash, verify as foreignVerify } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { nodeArgon2, packageArgon2 } from './argon2.ts'
import { hashPassword, passwordChannel, verifyPassword, type PasswordEvent } from './password.ts'

const password = 'correct horse battery staple'
const valid = { isValid: true, needsRehash: false }
const refused = { isValid: false, needsRehash: false }

test('only the password of a hash is valid, and each hash has its own salt', async () => {
  const hashes = [await hashPassword(password), await hashPassword(password)]
  expect(hashes[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(hashes[0]).not.toBe(hashes[1])
  expect(await verifyPassword(password, hashes[0])).toEqual(valid)
  expect(await verifyPassword(`${password} `, hashes[0])).toEqual(refused)
})

test('hashes are those of other libraries', async () => {
  expect(await foreignVerify(await hashPassword(password), password)).toBe(true)
  expect(await verifyPassword(password, await foreignHash(password))).toEqual(valid)
})

test.skipIf(nodeArgon2 === undefined)('Node and the package derive the same bytes', async () => {
  const costs = { memory: 64, passes: 3, parallelism: 2 }
  const salt = Buffer.from('a salt of 16 byt')
  const [own, other] = [
    await nodeArgon2!(password, salt, costs, 32),
    await packageArgon2(password, salt, costs, 32),
  ]
  expect(Buffer.from(own).toString('hex')).toBe(Buffer.from(other).toString('hex'))
})

test('a hash with other costs is valid and needs a new one', async () => {
  const cheap = await foreignHash(password, { memoryCost: 64, timeCost: 1 })
  expect(await verifyPassword(password, cheap)).toEqual({ isValid: true, needsRehash: true })
  expect(await verifyPassword('wrong', cheap)).toEqual(refused)
})

test.each([
  ['composed and decomposed', 'caf\u00e9', 'cafe\u0301'],
  ['ligatures', 'ﬁne', 'fine'],
  ['full width', 'ａｂｃ', 'abc'],
])('characters are normalized: %s', async (_name, one, other) => {
  expect(await verifyPassword(other, await hashPassword(one))).toEqual(valid)
})

test('an empty or too long password has no hash and is never valid', async () => {
  for (const text of ['', 'x'.repeat(1025)])
    await expect(hashPassword(text)).rejects.toMatchObject({ code: 'accounts.password-invalid' })
  const dash = await hashPassword('-')
  expect(await verifyPassword('', dash)).toEqual(refused)
  expect(await verifyPassword('x'.repeat(1025), dash)).toEqual(refused)
  expect(await verifyPassword('x'.repeat(1024), await hashPassword('x'.repeat(1024)))).toEqual(
    valid,
  )
})

test('an unknown user takes the work of a known one', async () => {
  const work: string[] = []
  const hash = await hashPassword(password)
  const record = ({ operation, error }: PasswordEvent) => work.push(`${operation} ${String(error)}`)
  const stop = passwordChannel.subscribe({ end: record })
  const bcrypt = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
  for (const stored of [hash, undefined, bcrypt, '', 'x'.repeat(10_000)])
    expect(await verifyPassword('wrong', stored)).toEqual(refused)
  expect(await verifyPassword('', hash)).toEqual(refused)
  stop()
  expect(work).toEqual(Array.from({ length: 6 }, () => 'verify undefined'))
})
