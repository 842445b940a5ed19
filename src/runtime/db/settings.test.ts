/** The settings of a database from environment, configuration and folder, in this order. */
import { expect, test } from 'vitest'
import { databaseSettings, openDatabase } from '../db.ts'

const context = { root: '/app', environment: {} }
const url = 'postgres://app@db:5432/app'

test('without settings: an embedded database in db/data', () => {
  expect(databaseSettings(undefined, context)).toMatchObject({
    kind: 'pglite',
    folder: '/app/db/data',
  })
  expect(databaseSettings(undefined, context, 'stats')).toMatchObject({
    folder: '/app/db/data-stats',
  })
})

test('DATABASE_URL overrides the url of the default database only', () => {
  const environment = { DATABASE_URL: 'postgres://env@db/env' }
  const section = { url } as never
  expect(databaseSettings(section, context)).toMatchObject({ kind: 'postgres', url })
  expect(databaseSettings(section, { root: '/app', environment })).toMatchObject({
    url: environment.DATABASE_URL,
  })
  expect(databaseSettings(section, { root: '/app', environment }, 'stats')).toMatchObject({ url })
})

test('a url with another scheme is refused, without its password in the message', () => {
  const environment = { DATABASE_URL: 'mysql://root:s3cret@db/app' }
  expect(() => databaseSettings(undefined, { root: '/app', environment })).toThrow(
    expect.objectContaining({
      code: 'db.setting-invalid',
      message: expect.not.stringContaining('s3cret'),
    }),
  )
})

test('an undefined setting has its default', async () => {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: undefined } as never)
  expect(database.pool.size).toBe(10)
  await database.close()
})
