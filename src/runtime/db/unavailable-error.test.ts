/** The remedies of a database that cannot be reached. */
import { expect, test } from 'vitest'
import { UnavailableError } from './unavailable-error.ts'

const server = { url: 'postgres://ann:secret@db.example:5433/shop', urlSetting: 'db.stats.url' }
const failure = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })

test.each([
  [
    '3D000',
    'Correct db.stats.url, or create the database with this command:\n  createdb -h db.example -p 5433 -U ann shop',
  ],
  ['28P01', 'Correct the user or the password in db.stats.url'],
  ['28000', 'Correct the user in db.stats.url.'],
  ['ECONNREFUSED', 'Start the server, or correct host and port'],
  ['ENOTFOUND', 'Correct the host name'],
  ['ETIMEDOUT', 'Check the firewall'],
])('%s: %s', (code, remedy) => {
  const error = new UnavailableError(failure(code), server)
  expect(error.message).toContain(`The database cannot be reached: it failed. ${remedy}`)
  expect(error.message).not.toContain('secret')
})

test.each([
  [
    '28000',
    'role "ann" does not exist',
    'such as postgres, with this command:\n  createuser -h db.example -p 5433 -U postgres --pwprompt ann',
  ],
  ['28000', 'no pg_hba.conf entry for host "::1"', 'allow the connection in pg_hba.conf'],
  ['53300', 'sorry, too many clients already', 'Lower db.stats.poolSize, or raise max_connections'],
  ['53300', 'too many connections for role "ann"', 'raise the connection limit of the role'],
])('%s: %s', (code, text, remedy) => {
  expect(new UnavailableError(failure(code, text), server).message).toContain(remedy)
})

test('an unknown reason has no remedy', () => {
  const { message, remedy } = new UnavailableError(new Error('it failed'), server)
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
