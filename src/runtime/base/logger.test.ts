/** Log lines: one for each event, with any content. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLogger, prettyLogger, silentLogger, withFields } from './logger.ts'
import type { Logger } from './logger.ts'

function linesOf(make: (write: (line: string) => void) => Logger, use: (logger: Logger) => void) {
  const lines: string[] = []
  use(make((line) => lines.push(line)))
  return lines
}

const json = (use: (logger: Logger) => void) => linesOf((write) => jsonLogger(write, 'debug'), use)
const pretty = (use: (logger: Logger) => void) => linesOf(prettyLogger, use)

test('one JSON line for each event: level, time, message, fields', () => {
  const [line] = json((logger) => logger.info({ id: 1, password: 'pw' }, 'hello'))
  expect(line).toMatch(
    /^\{"level":"info","time":"\d{4}-[^"]*Z","msg":"hello","id":1,"password":"\[redacted\]"\}\n$/,
  )
})

test('an event without a message is logged', () => {
  const thrown: unknown = 'a text'
  const [line] = json((logger) => logger.error({}, (thrown as Error).message))
  expect(line).toContain('"msg":"undefined"')
})

test('common fields', () => {
  const [line] = json((logger) => withFields(logger, { request: 'r1', n: 1 }).info({ n: 2 }, 'x'))
  expect(JSON.parse(line!)).toMatchObject({ level: 'info', msg: 'x', request: 'r1', n: 2 })
})

test('both formats truncate the message and redact credentials', () => {
  const use = (logger: Logger) => logger.info({}, 'at http://ann:pw@h ' + 'x'.repeat(3000))
  for (const [line] of [json(use), pretty(use)]) {
    expect(line).not.toContain('ann')
    expect(line!.length).toBeLessThan(2200)
  }
})

test('events below the level are dropped', () => {
  const lines = linesOf(
    (write) => jsonLogger(write),
    (logger) => {
      logger.debug({}, 'no')
      logger.info({}, 'yes')
      logger.warn({}, 'yes')
      logger.error({}, 'yes')
    },
  )
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'warn', 'error'])
  silentLogger.error({}, 'never')
})

test('no text can end a line, forge one, or control a terminal', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'\n\r\u001b\u0000\u007f\u0085\u009b\u2028\u2029\u202e\u2066"\\{}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  })
  const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
  fc.assert(
    fc.property(nasty, nasty, nasty, (name, value, message) => {
      const use = (logger: Logger) =>
        logger.warn({ [name]: value, deep: { [name]: [value] } }, message)
      const [line] = json(use)
      expect(line!.slice(0, -1)).not.toMatch(unsafe)
      expect(JSON.parse(line!)).toMatchObject({ level: 'warn', msg: message })
      expect(pretty(use)[0]!.slice(0, -1)).not.toMatch(unsafe)
    }),
  )
})

test('a field cannot replace level, time or message', () => {
  const [line] = json((logger) => logger.info({ level: 'error', time: 'x', msg: 'forged' }, 'real'))
  expect(JSON.parse(line!)).toMatchObject({ level: 'info', msg: 'real' })
  expect(line!.indexOf('level')).toBe(2)
})

test('a line has at most 64 Ki', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 90 }, (_, n) => [`n${n}`, 'x'.repeat(2000)]),
  )
  const [line] = json((logger) => logger.info(fields, 'big'))
  expect(JSON.parse(line!)).toMatchObject({ msg: 'big', fields: '[too large]' })
})

test('the pretty line: time, level, message, fields', () => {
  const [line] = pretty((logger) =>
    logger.info({ id: 1, name: 'a b', to: 'x', gone: undefined, token: 't' }, 'hello'),
  )
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO  hello id=1 name="a b" to=x token=\[redacted\]\n$/,
  )
})

test('the stacks of errors and causes follow the line', () => {
  const error = new Error('outer\nsecond', { cause: new TypeError('inner') })
  const [line] = pretty((logger) => logger.error({ id: 1, error }, 'failed'))
  expect(line).toMatch(
    /ERROR failed id=1\n {2}Error: outer\n {4}second\n {4}at [^]*\n {2}caused by TypeError: inner\n {4}at /,
  )
})

test('colour is optional', () => {
  expect(
    linesOf(
      (write) => prettyLogger(write, { colour: true }),
      (logger) => logger.warn({}, 'x'),
    )[0],
  ).toContain('\u001b[33mWARN ')
  expect(
    linesOf(
      (write) => prettyLogger(write, { level: 'warn' }),
      (logger) => logger.info({}, 'x'),
    ),
  ).toEqual([])
})

test('frames of Node and packages are folded on request', () => {
  const error = new Error('x')
  error.stack =
    'Error: x\n    at own (/app/src/a.ts:1:2)\n    at f (file:///app/node_modules/fwjs/dist/a.js:1:2)\n    at node:internal/x:1:2\n    at last (/app/src/b.ts:1:2)'
  const lines: string[] = []
  prettyLogger((line) => void lines.push(line), { foldFrames: true }).error(
    { err: error },
    'failed',
  )
  expect(lines[0]!.split('\n').slice(1, -1)).toEqual([
    '  Error: x',
    '    at own (/app/src/a.ts:1:2)',
    '    … 2 frames of Fw, packages and Node',
    '    at last (/app/src/b.ts:1:2)',
  ])
})
