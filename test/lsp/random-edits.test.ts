/** `fw lsp` under random edits: it never ends, and after each repair it shows the mistakes that `fw check` reports. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import fc from 'fast-check'
import { checkWrong, wrongTemplate, wrongTexts } from './wrong-templates.ts'
import { copyExample, Editor, removeApplication, summarize, webInf } from './editor.ts'

const file = `${webInf}/views/members/_list.html.ssp`
const rounds = 65
const editsOfRound = 80

/** What an edit inserts: the beginnings, ends and parts of all constructs. */
const pieces: readonly string[] = [
  "${|}|<%|<%=|%>|<%@val x: |<%@val y: string = |<%@include '_list'|<%--|--%>",
  '#if (|#elseif (|#else|#end|#for (a of |#match (|#case (|#set (x)|#do (|)',
  '"|\'|`|<|>|</|<p |</p>|class="|<script>|</script>|<style>|<!--',
  'member.|s.|s.url(routes.|members|await |{|[|=>|//|/*|\\|=|;',
  '😀|ü|\n|\r\n|\r|\ufeff|\u2028|\0| ',
].flatMap((line) => line.split('|'))

interface Edit {
  readonly at: number
  readonly length: number
  readonly text: string
}
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(12)),
  text: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.constant('')),
})
const requests = [
  'textDocument/completion',
  'textDocument/hover',
  'textDocument/definition',
  'textDocument/signatureHelp',
  'textDocument/foldingRange',
  'textDocument/documentSymbol',
  'textDocument/semanticTokens/full',
  'textDocument/references',
]

let root: string
beforeAll(() => void (root = copyExample('members')))
afterAll(() => removeApplication(root))

/** Returns an offset that does not lie inside a surrogate pair, as those of an editor. */
function offsetIn(text: string, part: number): number {
  const offset = Math.floor(part * text.length)
  return /[\udc00-\udfff]/.test(text[offset] ?? '') ? offset - 1 : offset
}

test(`${rounds * editsOfRound} edits`, async () => {
  const expected = await checkWrong(root)
  const editor = new Editor(root, { encoding: 'utf-8' })
  await editor.initialize()
  const original = editor.read(file)
  const repaired = [original, ...wrongTexts(original)]
  await editor.open(file)
  const seed = Number(process.env['FW_FUZZ_SEED'] ?? 1)
  const all = fc.sample(fc.array(edit, { minLength: editsOfRound, maxLength: editsOfRound }), {
    numRuns: rounds,
    seed,
  })
  for (const [round, edits] of all.entries()) {
    const responses: Promise<unknown>[] = []
    for (const [step, { at, length, text }] of edits.entries()) {
      const current = editor.text(file)
      const start = offsetIn(current, at)
      const end = offsetIn(current, Math.min(1, (start + length) / Math.max(1, current.length)))
      await editor.edit(file, start, Math.max(start, end), text)
      if (step % 10 !== 9) continue
      const position = editor.lines(file).position(start)
      const more = { position, context: { triggerKind: 1, includeDeclaration: true } }
      responses.push(editor.askAbout(requests[(round + step) % requests.length]!, file, more))
    }
    const settled = await Promise.allSettled(responses)
    const failed = settled.filter(({ status }) => status === 'rejected')
    expect({ seed, round, failed }).toEqual({ seed, round, failed: [] })
    const variant = round % repaired.length
    await editor.edit(file, 0, editor.text(file).length, repaired[variant]!)
    const found = summarize(await editor.diagnostics(file), editor.lines(file))
    const same = variant === 0 ? [] : expected.get(wrongTemplate(variant - 1))
    expect({ seed, round, found }).toEqual({ seed, round, found: same })
  }
  expect(await editor.shutDown()).toBe(0)
})
