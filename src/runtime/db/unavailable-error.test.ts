/** The remedies of a database that cannot be reached. */
import { expect, test } from 'vitest'
import { UnavailableError } from './unavailable-error.ts'

const url = 'postgres://ann:secret@db.example:5433/shop'
const failure = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })

test.each([
  ['3D000', 'Create it: createdb -h db.example -p 5433 -U ann shop'],
  ['28P01', 'Correct the user or the password'],
  ['28000', 'Create the role: createuser -h db.example -p 5433 ann,'],
  ['53300', 'Lower db.default.poolSize'],
  ['ECONNREFUSED', 'Start the server, or correct host and port'],
  ['ENOTFOUND', 'Correct the host name'],
  ['ETIMEDOUT', 'Check the firewall'],
])('%s: %s', (code, remedy) => {
  const error = new UnavailableError(failure(code), url)
  expect(error.message).toContain(`The database cannot be reached: it failed. ${remedy}`)
  expect(error.message).not.toContain('secret')
})

test('an unknown reason has no remedy', () => {
  const { message, remedy } = new UnavailableError(new Error('it failed'), url)
  expect({ message, remedy }).toEqual({
    message: 'The database cannot be reached: it failed',
    remedy: undefined,
  })
})

test('of a host with several addresses, the first failure is shown', () => {
  const all = new AggregateError([failure('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')], '')
  expect(new UnavailableError(all).message).toContain(
    'no server accepts connections at ::1:5432 (ECONNREFUSED). Start',
  )
})
