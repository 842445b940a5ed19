import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MultipartParser } from './multipart-parser.ts'

interface Part {
  readonly header: string
  content: string
}

/** The parser's calls as text. Each chunk is overwritten after `write`, like freed memory. */
function partsOf(pieces: readonly string[], boundary = 'B'): Part[] {
  const parts: Part[] = []
  let open = false
  const parser = new MultipartParser(boundary, {
    begin(header) {
      assert(!open)
      open = true
      parts.push({ header: header.toString('latin1'), content: '' })
    },
    data(content) {
      assert(open && content.length > 0)
      parts.at(-1)!.content += content.toString('latin1')
    },
    end() {
      assert(open)
      open = false
    },
  })
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1')
    parser.write(bytes)
    bytes.fill('*')
  }
  parser.end()
  assert(!open)
  return parts
}

const outcome = (pieces: readonly string[], boundary?: string): unknown => {
  try {
    return partsOf(pieces, boundary)
  } catch (error) {
    if ((error as { code?: string }).code === 'http.multipart-invalid') return 'refused'
    throw error
  }
}

/** A reference parser for the whole body, after the grammar of RFC 2046 §5.1.1. */
function reference(body: string): unknown {
  const [preamble, ...pieces] = `\r\n${body}`.split('\r\n--B')
  if (preamble === undefined || pieces.length === 0) return 'refused'
  const parts: Part[] = []
  for (let i = 0; i < pieces.length; i++) {
    if (/^--[ \t]*(\r?$|\r\n)/.test(pieces[i]!)) {
      // After the last delimiter, further delimiters are part of the epilogue.
      const inLine = /^--[ \t]*\r?$/.test(pieces[i]!)
      return inLine && i < pieces.length - 1 ? 'refused or epilogue' : parts
    }
    const start = /^[ \t]*\r\n/.exec(pieces[i]!)?.[0].length
    if (start === undefined) return 'refused'
    const rest = pieces[i]!.slice(start)
    // The line end of the blank line may begin a delimiter: the part is empty.
    const end = `${rest}\r\n`.indexOf('\r\n\r\n')
    if (rest.startsWith('\r') || end <= 0 || rest.startsWith('--B')) return 'refused'
    if (i === pieces.length - 1) return 'refused'
    parts.push({ header: rest.slice(0, end), content: rest.slice(end + 4) })
  }
  return 'refused'
}

const fragments = [
  '\r|\n|\r\n|\r\n\r\n|-|--|B|--B|\r\n-|\r\n--|\r\n--B|\r\n--B\r\n|\r\n--B--|\r\n--B--\r\n',
  '--B\r\nh: 1\r\n\r\n|\r\n--B\r\nh: 1\r\n\r\n|x| |\t|xx\r|\r\n--C|\r\r\n--B|\0|\xff',
].flatMap((some) => some.split('|'))
const soup = fc
  .array(fc.constantFrom(...fragments), { maxLength: 12 })
  .chain((middle) =>
    fc
      .tuple(
        fc.constantFrom('', '--B\r\nh: 1\r\n\r\n', 'preamble\r\n--B\r\nh: 1\r\n\r\n'),
        fc.constantFrom('', '\r\n--B--', '\r\n--B--\r\n'),
      )
      .map(([opening, closing]) => opening + middle.join('') + closing),
  )

const cut = (text: string, places: readonly number[]): string[] => {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort(
    (a, b) => a - b,
  )
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

test('property: the parts do not depend on the chunks', () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(200), { maxLength: 10 }), (body, places) => {
      const whole = outcome([body])
      expect(outcome(cut(body, places))).toEqual(whole)
      expect(outcome([...body])).toEqual(whole)
    }),
    { numRuns: 1000 },
  )
})

test('property: the parts are the same as with the reference parser', () => {
  fc.assert(
    fc.property(soup, (body) => {
      const expected = reference(body)
      if (expected !== 'refused or epilogue') expect(outcome([body])).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

test('a body with every construct, cut at any two positions', () => {
  const body =
    'preamble\r\n--B \t\r\na: 1\r\nb: 2\r\n\r\n\r\n--B\r\nc: 3\r\n\r\n-\r\r\n--\r\n-B\r\n--B--\r\nepilogue\r\n--B\r\n'
  const parts = [
    { header: 'a: 1\r\nb: 2', content: '' },
    { header: 'c: 3', content: '-\r\r\n--\r\n-B' },
  ]
  for (let first = 0; first <= body.length; first++)
    for (let second = first; second <= body.length; second++)
      assert.deepEqual(partsOf(cut(body, [first, second])), parts)
})

describe('what RFC 2046 allows', () => {
  test.each<readonly [string, string, Part[]]>([
    ['no part at all, as browsers send an empty form', '--B--\r\n', []],
    ['no line end after the last delimiter', '--B--', []],
    [
      'blanks after a delimiter',
      '--B \t\r\nh: 1\r\n\r\nx\r\n--B--\t ',
      [{ header: 'h: 1', content: 'x' }],
    ],
    ['a preamble', 'hello\r\n--B--', []],
    [
      'a delimiter directly after the blank line',
      '--B\r\nh: 1\r\n\r\n--B--',
      [{ header: 'h: 1', content: '' }],
    ],
    [
      'what looks like one inside a line',
      '--B\r\nh: 1\r\n\r\nx--B\r\n--B--',
      [{ header: 'h: 1', content: 'x--B' }],
    ],
    [
      'line ends of the content',
      '--B\r\nh: 1\r\n\r\n\r\nx\r\n\r\n--B--',
      [{ header: 'h: 1', content: '\r\nx\r\n' }],
    ],
  ])('%s', (_what, body, parts) => {
    expect(partsOf([body])).toEqual(parts)
  })

  test('the longest boundary, and one with every character', () => {
    for (const boundary of ['b'.repeat(70), "'()+_,-./:=? z"]) {
      const body = `--${boundary}\r\nh: 1\r\n\r\nx\r\n--${boundary.slice(1)}\r\n--${boundary}--`
      expect(partsOf([body], boundary)).toEqual([
        { header: 'h: 1', content: `x\r\n--${boundary.slice(1)}` },
      ])
    }
  })
})

describe('what RFC 2046 forbids', () => {
  test.each([
    ['nothing', ''],
    ['a boundary that goes on', '--Bx\r\nh: 1\r\n\r\nx\r\n--B--'],
    ['a single hyphen after it', '--B-\r\n--B--'],
    ['a bare line feed after it', '--B\nh: 1\r\n\r\nx\r\n--B--'],
    ['text after the last one', '--B--x'],
    ['no header', '--B\r\n\r\nx\r\n--B--'],
    ['line feeds alone', '--B\nh: 1\n\nx\n--B--\n'],
    ['a delimiter in the header', '--B\r\nh: 1\r\n--B\r\nh: 1\r\n\r\nx\r\n--B--'],
    ['a delimiter in place of the header', '--B\r\n--B\r\nh: 1\r\n\r\nx\r\n--B--'],
    ['no end', '--B\r\nh: 1\r\n\r\nx\r\n--B'],
    ['half an end', '--B\r\nh: 1\r\n\r\nx\r\n--B-'],
  ])('%s', (_what, body) => {
    expect(outcome([body])).toBe('refused')
    expect(outcome([...body])).toBe('refused')
  })
})

test('a preamble and a header may have 16 KiB, in any chunks', () => {
  const preamble = (bytes: number) => `${'\r'.repeat(bytes)}\r\n--B--`
  const header = (bytes: number) => `--B\r\nh:${'x'.repeat(bytes - 2)}\r\n\r\n\r\n--B--`
  for (const body of [preamble, header])
    for (const pieces of [(text: string) => [text], (text: string) => [...text]]) {
      expect(outcome(pieces(body(16 * 1024)))).not.toBe('refused')
      expect(outcome(pieces(body(16 * 1024 + 1)))).toBe('refused')
    }
})
