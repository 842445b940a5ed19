/** Signed tokens: their purpose, expiry and binding, and the rotation of keys. */
import { afterEach, expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { ApplicationScope, Configuration } from '../config.ts'
import { SecretKeys } from '../session.ts'
import { openKeys, sealText, unsealText } from './application-keys.ts'
import { signToken, verifyToken } from './signed-token.ts'

const [old, current, foreign] = ['old', 'current', 'foreign'].map((word) =>
  word.padEnd(32, '.'),
) as [string, string, string]

let close = (): void => {}
function useSecrets(...secrets: string[]): void {
  close()
  close = openKeys(new ApplicationScope(Configuration.from({})), new SecretKeys(secrets))
}
afterEach(() => {
  close()
  close = () => {}
})

const purpose = 'reset'
const year = { purpose, expires: '365d' } as const

test('a token is valid for its purpose until it expires', async () => {
  useSecrets(current)
  const token = signToken({ ...year, subject: 7 })
  expect(token).toMatch(/^[\w-]+\.[\w-]{43}$/)
  expect(await verifyToken(token, { purpose })).toEqual({ status: 'valid', subject: '7' })
  expect(await verifyToken(token, { purpose: 'login' })).toEqual({ status: 'other-purpose' })
  const expires = Temporal.Now.instant().subtract({ seconds: 1 })
  const late = signToken({ purpose, subject: 7, expires })
  expect(await verifyToken(late, { purpose })).toEqual({ status: 'expired' })
})

test('subject and purpose may be any texts', async () => {
  useSecrets(current)
  for (const text of ['', 'a.b', '","x', '𝄞 ä\n'])
    expect(
      await verifyToken(signToken({ purpose: text, subject: text, expires: '1d' }), {
        purpose: text,
      }),
    ).toEqual({ status: 'valid', subject: text })
})

test('a changed token, and one of another application, is invalid', async () => {
  useSecrets(current)
  const token = signToken({ ...year, subject: 'user 7', bind: 'hash' })
  const changed = [...token].flatMap((_, at) =>
    ['A', 'B', '.', '=', 'é', ''].map((other) => token.slice(0, at) + other + token.slice(at + 1)),
  )
  const others = ['', '.', `${token}A`, 'x'.repeat(5000), `${'x'.repeat(5000)}.${token}`]
  for (const text of [...changed.filter((one) => one !== token), ...others])
    expect(await verifyToken(text, { purpose, bind: () => 'hash' })).toEqual({ status: 'invalid' })
  useSecrets(foreign)
  expect(await verifyToken(token, { purpose, bind: () => 'hash' })).toEqual({ status: 'invalid' })
})

test('a token ends when the value to which it is bound changes or its subject is gone', async () => {
  useSecrets(current)
  const token = signToken({ ...year, subject: 7, bind: 'hash 1' })
  const verify = (bind?: (subject: string) => string | undefined) =>
    verifyToken(token, bind === undefined ? { purpose } : { purpose, bind })
  expect(await verify((subject) => (subject === '7' ? 'hash 1' : ''))).toEqual({
    status: 'valid',
    subject: '7',
  })
  expect(await verify(() => 'hash 2')).toEqual({ status: 'changed' })
  expect(await verify(() => undefined)).toEqual({ status: 'changed' })
  expect(await verify()).toEqual({ status: 'changed' })
  const unbound = signToken({ ...year, subject: 7 })
  expect(await verifyToken(unbound, { purpose, bind: () => 'hash 1' })).toEqual({
    status: 'changed',
  })
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('hash')
})

test('secrets rotate: the first one signs, all verify', async () => {
  useSecrets(old)
  const bind = () => 'hash'
  const token = signToken({ ...year, subject: 7, bind: 'hash' })
  const sealed = sealText('totp', 'secret')
  useSecrets(current, old)
  expect(await verifyToken(token, { purpose, bind })).toMatchObject({ status: 'valid' })
  expect(unsealText('totp', sealed)).toBe('secret')
  const [newToken, newlySealed] = [signToken({ ...year, subject: 7 }), sealText('totp', 'secret')]
  useSecrets(current)
  expect(await verifyToken(newToken, { purpose })).toMatchObject({ status: 'valid' })
  expect(unsealText('totp', newlySealed)).toBe('secret')
  expect(await verifyToken(token, { purpose, bind })).toEqual({ status: 'invalid' })
  expect(unsealText('totp', sealed)).toBeUndefined()
})

test('a sealed text is no token and no text of another purpose', async () => {
  useSecrets(current)
  const sealed = sealText('totp', 'secret')
  expect(sealed).not.toContain('secret')
  expect(unsealText('other', sealed)).toBeUndefined()
  expect(await verifyToken(sealed, { purpose: 'totp' })).toEqual({ status: 'invalid' })
})

test('a token that would be too long to be verified is not signed', async () => {
  useSecrets(current)
  const token = signToken({ ...year, subject: 'x'.repeat(2900) })
  expect(await verifyToken(token, { purpose })).toMatchObject({ status: 'valid' })
  expect(() => signToken({ ...year, subject: 'x'.repeat(3100) })).toThrow(
    expect.objectContaining({ code: 'accounts.token-too-long' }),
  )
})

test('tokens need a running application', () => {
  expect(() => signToken({ ...year, subject: 7 })).toThrow(
    expect.objectContaining({ code: 'accounts.no-application' }),
  )
})

test('of two applications, each has its own keys', async () => {
  const [one, two] = [1, 2].map(() => new ApplicationScope(Configuration.from({}))) as [
    ApplicationScope,
    ApplicationScope,
  ]
  const closers = [openKeys(one, new SecretKeys([old])), openKeys(two, new SecretKeys([current]))]
  const token = one.run(() => signToken({ ...year, subject: 7 }))
  expect(await two.run(() => verifyToken(token, { purpose }))).toEqual({ status: 'invalid' })
  expect(await one.run(() => verifyToken(token, { purpose }))).toMatchObject({ status: 'valid' })
  for (const end of closers) end()
})
