/** The test of a resource's pages in a browser. */
import { quoted } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { parentFactory, placeValues } from './inside-tests.ts'
import { resourceMessages } from './resource-messages.ts'
import type { ResourceNames } from './resource-names.ts'

/** What a visitor does to give a field of the form its sample. */
function steps({ name, type, references, isOptional, inForm }: Field): string[] {
  if (inForm === 'none' || (type.sample === '' && isOptional)) return []
  const input = (part = '') => `await page.locator('[name=${name.camel}${part}]')`
  if (references !== undefined)
    return isOptional ? [] : [`${input()}.fill(String(await create${references.upper}()))`]
  if (type.input === 'select') return [`${input()}.selectOption(${quoted(type.sample)})`]
  if (type.input === 'checkbox') return [`${input()}.check()`]
  if (type.input !== 'datetime') return [`${input()}.fill(${quoted(type.sample)})`]
  const [date = '', time = ''] = type.sample.split(' ')
  return [`${input('Date')}.fill(${quoted(date)})`, `${input('Time')}.fill(${quoted(time)})`]
}

/** `parents` are the imports of the factories of rows that a new one needs. */
export function browserTestDraft(
  names: ResourceNames,
  fields: readonly Field[],
  parents: readonly string[],
): Draft {
  const { resources } = names
  const { flash, view } = resourceMessages(names, fields) as Record<string, Record<string, string>>
  return {
    path: `src/test/browser/${resources.file}.test.ts`,
    text: fillTemplate('scaffold/browser.test.ts', {
      title: resources.name.title,
      words: resources.name.words,
      ...placeValues(names),
      factories: [...new Set([...parents, ...parentFactory(names)])].join('\n'),
      steps: fields.flatMap(steps).join('\n'),
      // A form does not show bytes that are kept: they are given again.
      again: fields
        .filter(({ type, isOptional, inForm }) => {
          return type.name === 'ByteArray' && !isOptional && inForm === undefined
        })
        .flatMap(steps)
        .join('\n'),
      addText: view!['add']!,
      emptyText: view!['empty']!,
      createdText: flash!['created']!,
      updatedText: flash!['updated']!,
      deletedText: flash!['deleted']!,
    }),
  }
}
