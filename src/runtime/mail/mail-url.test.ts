/** The setting `mail.url`: what it accepts, and errors that never contain the credentials. */
import { expect, test } from 'vitest'
import { Configuration, readSettings } from '../config.ts'
import { isLoopback, parseMailUrl } from './mail-url.ts'
import { mailSettings, requiresTls } from './settings.ts'

test.each([
  ['smtp://mail.example.com', [false, 'mail.example.com', 587, undefined, undefined]],
  ['SMTPS://a%40b:p%2Fw%3A@mail.example.com/', [true, 'mail.example.com', 465, 'a@b', 'p/w:']],
  ['smtp://u:p@[::1]:2525', [false, '::1', 2525, 'u', 'p']],
])('%s is a server', (url, [isImplicitTls, host, port, user, password]) => {
  expect(parseMailUrl(url)).toEqual({ isImplicitTls, host, port, user, password })
})

test.each([
  ['mail.example.com', 'must begin with smtp:// or smtps://'],
  ['http://u:secret@mail.example.com', 'must begin with smtp:// or smtps://'],
  ['smtp://', 'must name a host'],
  ['smtp://u:secret@', 'must name a host'],
  ['smtp://u:secret@host:0', 'must have a port from 1 to 65535'],
  ['smtp://u:secret@host:x', 'must have a port from 1 to 65535'],
  ['smtp://u:secret@host?pool=true', 'must end after host and port'],
  ['smtp://user@host', 'must have a user and a password'],
  ['smtp://:secret@host', 'must have a user and a password'],
  ['smtp://u:sec/ret@host', "has the character '/' in the user or password: write %2F"],
  ['smtp://u:sec@ret@host', "has the character '@' in the user or password: write %40"],
  ['smtp://u:sec%ret@host', "has a '%' in the user or password: write %25"],
])('%s is refused at the start, without the password', (url, problem) => {
  const read = () => readSettings(Configuration.from({ mail: { url } }), mailSettings)
  expect(read).toThrow(problem)
  expect(read).not.toThrow('sec')
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['mail.localhost', true],
  ['localhost.example.com', false],
  ['mail.example.com', false],
])('TLS to %s is optional by default: %s', (host, isOptional) => {
  expect(isLoopback(host)).toBe(isOptional)
  expect(requiresTls({ tls: undefined }, host)).toBe(!isOptional)
  expect(requiresTls({ tls: 'required' }, host)).toBe(true)
  expect(requiresTls({ tls: 'optional' }, host)).toBe(false)
})

test.each(['Shop', 'shop', 'a@b.example, c@d.example', 'Shop <shop>'])(
  'mail.from refuses %s',
  (from) => {
    expect(() => readSettings(Configuration.from({ mail: { from } }), mailSettings)).toThrow(
      'must be an address such as shop@example.com or Shop <shop@example.com>',
    )
  },
)
