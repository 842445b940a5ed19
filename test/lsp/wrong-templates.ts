/** Templates with one mistake each, and what `fw check` reports about them. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { webInf } from './editor.ts'

/** Each mistake: a text of the partial `_list`, and what replaces it. */
export const mistakes: readonly (readonly [string, string])[] = [
  ['member.name', 'member.nam'],
  ['members.length > 0', 'members.length > nothing'],
  ['#end', '#ende'],
  ['<p class="empty">', '<p class=${members}>'],
  ['showUrl, { id: member.id }', 'shwUrl'],
  ['</table>', '</table'],
  ['<td><time>', '<td onclick="x(${member})"><time>'],
  ["'members.count', { count: members.length }", "'members.count'"],
  ["'members.count'", "'no.such.message'"],
  ['readonly Member[]', 'readonly Membr[]'],
  ['<caption>', '<caption style="color:red">😀 ${member.id}'],
  ['<caption>', '<caption>${members} ${s.nothing}'],
  ['<caption>', '<script>f(`${members}`)</script><caption>'],
]

/** Returns the partial with each mistake: for each one with line feeds, then with carriage returns. */
export const wrongTexts = (original: string): readonly string[] =>
  mistakes.flatMap(([old, text]) => {
    const changed = original.replace(old, text)
    return [changed, changed.replaceAll('\n', '\r\n')]
  })

/** Returns the path of the template that `checkWrong` writes for a text of `wrongTexts`. */
export const wrongTemplate = (at: number): string => `${webInf}/views/members/_wrong${at}.html.ssp`

/** Writes each text of `wrongTexts`, runs `fw check`, and removes the templates. Returns the mistakes of each template. */
export async function checkWrong(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const original = readFileSync(join(root, webInf, 'views/members/_list.html.ssp'), 'utf8')
  const files = wrongTexts(original).map((text, at) => {
    const path = join(root, wrongTemplate(at))
    writeFileSync(path, text)
    return path
  })
  const { diagnostics } = await checkApplication(root)
  for (const path of files) rmSync(path)
  return new Map(
    [...Map.groupBy(diagnostics, ({ file }) => file)].map(([file, all]) => [
      file,
      all.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`).sort(),
    ]),
  )
}
