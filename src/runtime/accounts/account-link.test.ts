/** Links for one account: what they contain, and what ends them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { ApplicationScope, Configuration } from '../config.ts'
import { SecretKeys } from '../session.ts'
import { accountLink } from './account-link.ts'
import { openKeys } from './application-keys.ts'

let close: () => void
beforeAll(() => {
  const keys = new SecretKeys(['secret'.padEnd(32, '.')])
  close = openKeys(new ApplicationScope(Configuration.from({})), keys)
})
afterAll(() => close())

interface Account {
  readonly id: number
  readonly email: string
  readonly usedAt?: Temporal.Instant
}
const accounts = new Map<number, Account>()
const found = { findById: async (id: number) => accounts.get(id) }
const bind = ({ email, usedAt }: Account) => [email, usedAt]
const link = accountLink({ purpose: 'reset', expires: '1h', accounts: found, bind })

const ann: Account = { id: 7, email: 'ann@example.com' }
const create = (account = ann) => {
  accounts.set(account.id, account)
  return account
}

test('a link finds its account and its text', async () => {
  const account = create()
  expect(await link.find(link.sign(account))).toEqual({ account, text: '' })
  const text = 'new@"example.com'
  expect(await link.find(link.sign(account, text))).toEqual({ account, text })
})

test('a link is for its purpose, and ends at its time', async () => {
  const account = create()
  const other = accountLink({ purpose: 'magic', expires: '1h', accounts: found, bind })
  const late = accountLink({ purpose: 'reset', expires: '0ms', accounts: found, bind })
  expect(await other.find(link.sign(account))).toBeUndefined()
  expect(await link.find(late.sign(account))).toBeUndefined()
  for (const token of ['', 'x', `${link.sign(account)}x`])
    expect(await link.find(token)).toBeUndefined()
})

test('a link ends when a bound value of the account changes, and with the account', async () => {
  const account = create()
  const token = link.sign(account)
  create({ ...account, email: 'new@example.com' })
  expect(await link.find(token)).toBeUndefined()
  create({ ...account, usedAt: Temporal.Now.instant() })
  expect(await link.find(token)).toBeUndefined()
  create(account)
  expect(await link.find(token)).toBeDefined()
  accounts.delete(account.id)
  expect(await link.find(token)).toBeUndefined()
})
