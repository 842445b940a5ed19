/** Twin: positions in a template and in its module. */
import { describe, expect, test } from 'vitest'
import { compileTemplate } from '../../templates/emit.ts'
import { TextLines } from './text-lines.ts'
import { Twin } from './twin.ts'

const source = `<%@val members: readonly string[] %>
<p class="\${members.length > 0 ? 'a' : 'b'}">\${members[0]}</p>
#for (member of members)
\${member}
#end
`

function twinOf(text = source): Twin {
  const file = 'views/page.html.ssp'
  const { code, segments } = compileTemplate(file, text)
  const template = new TextLines(text, 'utf-16')
  const lines = new TextLines(code, 'utf-16')
  return new Twin({ file, template, code: lines, segments, state: 'compiled', source: text })
}

const twin = twinOf()
const inCode = (text: string): number => twin.code.text.indexOf(text)

test.each(['members: ', 'members.length', 'members[0]', 'member of', 'member}'])(
  'the code of %s is mapped to the module and back',
  (text) => {
    const offset = source.indexOf(text)
    const code = twin.toCode(offset)!
    const name = /^\w+/.exec(text)![0]
    expect(twin.code.text.slice(code, code + name.length)).toBe(name)
    expect(twin.toTemplate(code)).toEqual({ offset, exact: true })
    expect(twin.copiedRange(twin.code.range(code, code + name.length))).toEqual(
      twin.template.range(offset, offset + name.length),
    )
  },
)

test('text has no place in the module', () => {
  expect(twin.toCode(source.indexOf('<p'))).toBeUndefined()
  expect(twin.toCode(source.indexOf('</p>') + 2)).toBeUndefined()
})

test('a declared value has a variable in the module', () => {
  const variable = twin.toVariable(source.indexOf('members'))!
  expect(twin.code.text.slice(variable - 9, variable + 8)).toBe(' const { members,')
  expect(twin.toVariable(source.indexOf('members.length'))).toBeUndefined()
  const range = twin.code.range(variable, variable + 7)
  expect(twin.copiedRange(range)).toBeUndefined()
  expect(twin.nearestRange(range)).toEqual(twin.template.range(7, 14))
})

test('generated code is no code of the template', () => {
  const at = inCode('__escapeText(members')
  expect(twin.copiedRange(twin.code.range(at, at + 4))).toBeUndefined()
})

describe('after a change that cannot be compiled', () => {
  const text = source.replace('${members[0]}', '${members[0}😀')
  const outdated = twin.outdated(new TextLines(text, 'utf-8'))

  test('the code before and after the change keeps its place', () => {
    for (const part of ['members.length', 'member of', 'member}']) {
      const code = outdated.toCode(text.indexOf(part))!
      expect(outdated.code.text.slice(code, code + 6)).toBe('member')
      expect(outdated.toTemplate(code).offset).toBe(text.indexOf(part))
    }
    expect(outdated.state).toBe('outdated')
  })
})
