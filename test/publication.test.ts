/**
 * While no registry serves the packages, no page, message or template names one for npm to fetch, because anybody could register
 * the name; scripts/publication.ts changes the pages to those of a published package.
 */
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publish } from '../scripts/publication.ts'
import { temporaryFolder } from './support/serve.ts'

const repository = resolve(import.meta.dirname, '..')
const isPublished = (root: string): boolean =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { published: boolean }).published

/** Matches advice to fetch the packages, or to run a command that npm fetches if it is not installed. */
const advice =
  /npm (?:create|init|exec|x|i|install|add|view) (?:-\S+ )*(?:create-)?fwjs\b|npx (?:create-)?fw|npmjs\.com\/package\/(?:create-)?fwjs/g

/** create-fwjs exists only for the registry, and the script contains both texts. */
const files = [
  'fw',
  ...globSync(
    [
      '*.md',
      '{docs,decisions,editors,examples,src,templates,scripts}/**/*.{md,ts,tpl,sh,json,yml}',
    ],
    {
      cwd: repository,
      exclude: (path) => /(?:^|\/)(?:node_modules|\.fw|db\/data.*|tmp)$/.test(path),
    },
  ).filter((file) => file !== 'scripts/publication.ts'),
]

const findAdvice = (root: string) =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(advice)].map(
      ([text]) => `${file}: ${text}`,
    ),
  )

describe.skipIf(isPublished(repository))('while the packages are not published', () => {
  test('nothing advises to fetch them', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(findAdvice(repository)).toEqual([])
  })

  test('one command changes the pages to the published package', () => {
    const copy = temporaryFolder()
    for (const file of [...files, 'package.json'])
      cpSync(join(repository, file), join(copy, file), { recursive: true })
    publish(copy)
    expect(isPublished(copy)).toBe(true)
    expect(findAdvice(copy)).toEqual(
      expect.arrayContaining([
        'README.md: npm create fwjs',
        'docs/getting-started.md: npm create fwjs',
        'docs/apis.md: npm create fwjs',
        'docs/generators.md: npm create fwjs',
      ]),
    )
    for (const page of ['README.md', 'docs/getting-started.md', 'docs/apis.md'])
      expect(readFileSync(join(copy, page), 'utf8')).not.toMatch(/fw new \.\.|vendor\//)
    expect(() => publish(copy)).toThrow('package.json does not contain this text')
  })
})
