/** The forms of a database URL: what is read from them, and which are refused. Connections are tested in test/fault. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { databaseSettings } from '../db.ts'
import { withDatabaseName } from './database-url.ts'
import { readServerAddress } from './server-address.ts'

test.each<[url: string, parts: object]>([
  [
    'postgres://ann:secret@db.example:5433/shop',
    {
      user: 'ann',
      password: 'secret',
      database: 'shop',
      hosts: [{ host: 'db.example', port: 5433 }],
      tls: [false],
    },
  ],
  [
    'postgresql://db/shop\n',
    { user: undefined, hosts: [{ host: 'db', port: undefined }], database: 'shop' },
  ],
  [
    'postgres://',
    {
      user: undefined,
      password: undefined,
      database: undefined,
      hosts: [{ host: undefined, port: undefined }],
    },
  ],
  [
    'postgres://a%40b:p%2Fw%3A%25%23@[::1]:5432/s%20h',
    { user: 'a@b', password: 'p/w:%#', hosts: [{ host: '::1', port: 5432 }], database: 's h' },
  ],
  ['postgres://ann:a:b+"\'c@db/x', { password: `a:b+"'c` }],
  [
    'postgres://ann@/shop?host=/var/run/postgresql',
    { user: 'ann', database: 'shop', hosts: [{ host: '/var/run/postgresql', port: undefined }] },
  ],
  [
    'postgres://ann:x@localhost/shop?host=/cloudsql/a:b:c',
    { hosts: [{ host: '/cloudsql/a:b:c', port: undefined }] },
  ],
  ['postgres://ann@%2Fvar%2Frun:5433/shop', { hosts: [{ host: '/var/run', port: 5433 }] }],
  [
    'postgres://a:1,b,[::2]:3/x?target_session_attrs=read-write&load_balance_hosts=random',
    {
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: undefined },
        { host: '::2', port: 3 },
      ],
      sessionAttributes: 'read-write',
      isBalanced: true,
    },
  ],
  [
    'postgres:///x?host=a,b&port=1,2&user=ann&password=p&dbname=y',
    {
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
      user: 'ann',
      password: 'p',
      database: 'y',
    },
  ],
  [
    'postgres:///x?host=a,b&port=7',
    {
      hosts: [
        { host: 'a', port: 7 },
        { host: 'b', port: 7 },
      ],
    },
  ],
  [
    'postgres://db/x?options=endpoint%3Da+b&application_name=shop&connect_timeout=15',
    { options: 'endpoint=a+b', applicationName: 'shop', connectTimeout: 15_000 },
  ],
  ['postgres://db/x?sslmode=disable', { tls: [false] }],
  ['postgres://db/x?sslmode=prefer', { tls: [{ rejectUnauthorized: false }, false] }],
  ['postgres://db/x?sslmode=require', { tls: [{ rejectUnauthorized: false }] }],
  ['postgres://db/x?sslmode=no-verify', { tls: [{ rejectUnauthorized: false }] }],
  ['postgres://db/x?ssl=true&uselibpqcompat=true', { tls: [{ rejectUnauthorized: false }] }],
  ['postgres://db/x?ssl=0', { tls: [false] }],
  ['postgres://db/x?sslmode=verify-full', { tls: [{}] }],
  ['postgres://db/x?sslmode=verify-full&sslrootcert=system', { tls: [{}] }],
  [
    'postgres://db/x?sslmode=require&sslnegotiation=direct&ssl_min_protocol_version=TLSv1.3',
    { hasDirectTls: true, tls: [{ rejectUnauthorized: false, minVersion: 'TLSv1.3' }] },
  ],
  [
    'postgres://db/x?sslnegotiation=direct',
    { hasDirectTls: true, tls: [{ rejectUnauthorized: false }] },
  ],
  ['postgres://db/x?sslmode=require&channel_binding=require', { channelBinding: 'require' }],
  ['postgres://db/x?pgbouncer=true&schema=public&supa=base-pooler.x', { isPooled: true }],
])('%s is read', (url, parts) => {
  expect(readServerAddress(url)).toMatchObject(parts)
})

test.each([
  [
    'mysql://root:s3cret@db/app',
    /is not the address of a PostgreSQL server\. Write it like postgres:/,
  ],
  ['"postgres://ann:s3cret@db/app"', /remove the quotes/],
  ['postgres://ann:s3c#ret@db/app', /contains '#' .* write %23/],
  ['postgres://ann:s3c%ret@db/app', /contains '%' .* write %25/],
  ['postgres://ann:s3c@ret@db/app', /the password contains '@' .* write %40/],
  ['postgres://ann:s3c/ret@db/app', /the password contains '\/' .* write %2F/],
  ['postgres://ann:s3c?ret@db/app', /the password contains '\?' .* write %3F/],
  ['postgres://ann:s3c ret@db/app', /contains ' ' .* write %20/],
  ['postgres://ann:s3c%FFret@db/app', /not UTF-8/],
  ['postgres://ann:s3cret@db:54a2/app', /port is not a number between 1 and 65535/],
  ['postgres://ann:s3cret@db:70000/app', /port is not a number/],
  ['postgres:///app?host=a,b,c&port=1,2', /3 hosts have 2 ports/],
  ['postgres://db/app?sslmode=allow', /sslmode of the URL must be disable or prefer or require/],
  [
    'postgres://db/app?sslmode=verify-ca',
    /needs the certificate of the authority: name its file with sslrootcert/,
  ],
  [
    'postgres://db/app?sslmode=verify-full&sslrootcert=/none/ca.pem',
    /\/none\/ca\.pem of the parameter sslrootcert cannot be read \(ENOENT\)/,
  ],
  ['postgres://db/app?sslmode=require&sslkey=/none/key.pem', /sslkey cannot be read/],
  [
    'postgres://db/app?sslnegotiation=direct&sslmode=prefer',
    /sslnegotiation=direct needs sslmode=require/,
  ],
  ['postgres://db/app?channel_binding=require', /channel_binding=require needs sslmode=require/],
  ['postgres://db/app?target_session_attrs=master', /must be any or read-write/],
  ['postgres://db/app?connect_timeout=soon', /number of seconds/],
  ['postgres://db/app?client_encoding=LATIN1', /client_encoding of the URL must be UTF8/],
  [
    'postgres://db/app?connection_limit=1',
    /does not read the parameter connection_limit .* set db\.default\.poolSize/,
  ],
  ['postgres://db/app?schema=shop', /does not read the parameter schema .* search_path/],
  ['postgres://db/app?sslcrl=/a.pem', /does not read the parameter sslcrl of the URL: remove it\./],
  ['postgres://db/app?constructor=1', /does not read the parameter constructor/],
])('%s is refused without a secret', (url, message) => {
  expect(() => readServerAddress(url, 'DATABASE_URL')).toThrow(
    expect.objectContaining({
      code: 'db.setting-invalid',
      message: expect.stringMatching(message) as string,
    }),
  )
  expect(() => readServerAddress(url)).not.toThrow(/s3c|ret@/)
})

test('the settings refuse a URL at the start; certificates are read when the database opens', () => {
  const read = (url: string) =>
    databaseSettings(undefined, { root: '/app', environment: { DATABASE_URL: url } })
  expect(() => read('postgres://db/app?sslcrl=/a.pem')).toThrow(
    /DATABASE_URL cannot be used: .* sslcrl/,
  )
  expect(read('postgres://db/app?sslmode=verify-full&sslrootcert=/none')).toMatchObject({
    kind: 'postgres',
  })
})

test('a root certificate makes require check the authority, but not the host name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-address-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'ca.pem')
  writeFileSync(file, 'a certificate')
  for (const mode of ['require', 'verify-ca', 'verify-full']) {
    const { tls } = readServerAddress(`postgres://db/x?sslmode=${mode}&sslrootcert=${file}`)
    const [options] = tls as [{ ca: Buffer; checkServerIdentity?: () => undefined }]
    expect(String(options.ca)).toBe('a certificate')
    expect(options.checkServerIdentity === undefined).toBe(mode === 'verify-full')
  }
})

test('without a parameter, PGSSLMODE is the mode: empty is absent, and an unknown mode is refused', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const read = (mode: string) => {
    vi.stubEnv('PGSSLMODE', mode)
    return readServerAddress('postgres://db/x').tls
  }
  expect(read('')).toEqual([false])
  expect(read('verify-full')).toEqual([{}])
  for (const mode of ['verify_full', 'allow', 'VERIFY-FULL'])
    expect(() => read(mode)).toThrow(/PGSSLMODE must be disable or prefer or .* verify-full/)
})

test('the setting tls overrides the URL', () => {
  expect(readServerAddress('postgres://db/x?sslmode=require', 'DATABASE_URL', true).tls).toEqual([
    true,
  ])
})

test.each([
  ['postgres://a:b@c:1,d:2/x?sslmode=require', 'postgres://a:b@c:1,d:2/my%20db?sslmode=require'],
  ['postgres://c', 'postgres://c/my%20db'],
  ['postgres://c/x?dbname=y&sslmode=require', 'postgres://c/my%20db?sslmode=require'],
  ['postgres://c/?sslmode=require&dbname=y', 'postgres://c/my%20db?sslmode=require'],
])('%s with another database is %s', (url, other) => {
  expect(withDatabaseName(url, 'my db')).toBe(other)
})
