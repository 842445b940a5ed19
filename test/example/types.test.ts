/** Mistakes that do not compile, in copies of the example, told by `fw check` at their file and line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type Change,
  copyExample,
  ExampleProcess,
  removeExample,
  runExample,
} from '../support/example.ts'
import { ExampleVisitor } from '../support/example-visitor.ts'

const controller = 'src/main/controller/members-controller.ts'
const view = (name: string) => `src/main/webapp/WEB-INF/views/members/${name}.html.ssp`
const show = "this.render('/members/show', { member })"

const copies: string[] = []
afterAll(() => copies.forEach(removeExample))

function copy(...changes: readonly Change[]): string {
  const root = copyExample(...changes)
  copies.push(root)
  return root
}

interface Mistake {
  readonly change: Change
  /** What it is told with. */
  readonly says: RegExp
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'a value that the view needs and does not get': {
    change: [controller, show, "this.render('/members/show', {})"],
    says: /Property 'member' is missing in type '\{\}'/,
  },
  'a misspelt value': {
    change: [controller, show, "this.render('/members/show', { membre: member })"],
    says: /'membre' does not exist in type 'Values'. Did you mean to write 'member'\?/,
  },
  'a value of the wrong type': {
    change: [controller, show, "this.render('/members/show', { member: member.name })"],
    says: /Type 'string' is not assignable to type/,
  },
  'an unknown view': {
    change: [controller, show, "this.render('/members/shwo', { member })"],
    says: /"\/members\/shwo"/,
  },
  'an unknown route in a controller': {
    change: [controller, 'this.url(members.indexUrl)', 'this.url(members.listUrl)'],
    says: /Property 'listUrl' does not exist/,
  },
  'an unknown route in a view': {
    change: [view('index'), 'routes.members.newUrl', 'routes.members.addUrl'],
    says: /Property 'addUrl' does not exist/,
  },
  'a missing path parameter in a controller': {
    change: [controller, 'this.url(members.indexUrl)', 'this.url(members.showUrl)'],
    says: /Route<"\/members\/:id", "show">/,
  },
  'a misspelt path parameter in a view': {
    change: [view('index'), '{ id: member.id }', '{ key: member.id }'],
    says: /'key' does not exist in type/,
  },
  'an unknown route in the `only` of a filter': {
    change: [controller, '}))\n', "})).beforeAction({ only: ['shwo'] }, () => {})\n"],
    says: /"shwo"/,
  },
  'an action that the class does not have': {
    change: [controller, "r.get('/members/:id', 'show')", "r.get('/members/:id', 'display')"],
    says: /"display"/,
  },
  'a field that the model needs and the permitted parameters lack': {
    change: [controller, 'permit({\n        name:', 'permit({\n        nmae:'],
    says: /Property 'name' is missing/,
  },
  'a property that the view’s value does not have': {
    change: [view('show'), '<h1>${member.name}', '<h1>${member.nmae}'],
    says: /Property 'nmae' does not exist on type/,
  },
  'a key that no message has': {
    change: [view('new'), "<h1>${s.i18n.get('members.new')", "<h1>${s.i18n.get('members.neu')"],
    says: /"members.neu"/,
  },
}

interface Diagnostic {
  readonly file: string
  readonly line: number
  readonly message: string
}

async function check(root: string): Promise<{ exit: number | null; found: Diagnostic[] }> {
  const child = new ExampleProcess(['check', '--json', '--app', root])
  const { code } = await child.ended
  return { exit: code, found: JSON.parse(child.said) as Diagnostic[] }
}

/** The line on which a change begins. */
function lineOf([file, from]: Change): number {
  const text = readFileSync(join('examples/members', file), 'utf8')
  return text.slice(0, text.indexOf(from)).split('\n').length
}

/**
 * Mistakes share a copy, for a check takes seconds; two at one place do not. What holds that each alone is told, at its place
 * and with exit code 1: a copy tells exactly its mistakes, each at its own line, so that none calls forth or hides another;
 * and some copies have a single one.
 */
const groups: string[][] = []
for (const [name, { change }] of Object.entries(mistakes)) {
  const isFree = (group: readonly string[]) =>
    group.every((other) => mistakes[other]!.change[1] !== change[1])
  const group = groups.find(isFree) ?? groups[groups.push([]) - 1]!
  group.push(name)
}

test('some mistakes are alone in their copy', () => {
  expect(groups.filter((group) => group.length === 1).length).toBeGreaterThan(1)
})

describe.concurrent('`fw check` tells', () => {
  test.each(groups.map((group) => [group.join(', '), group] as const))(
    '%s',
    async (_names, group) => {
      const made = group.map((name) => mistakes[name]!)
      const { exit, found } = await check(copy(...made.map(({ change }) => change)))
      expect(exit).toBe(1)
      expect(found).toHaveLength(group.length)
      for (const { change, says } of made) {
        expect(found).toContainEqual(
          expect.objectContaining({
            file: change[0].replace('src/main/webapp/', ''),
            line: lineOf(change),
            message: expect.stringMatching(says) as string,
          }),
        )
      }
    },
  )

  test('nothing where there is no mistake', async () => {
    expect(await check(copy())).toEqual({ exit: 0, found: [] })
  })
})

test('what no compiler sees, the page says when it runs: view, value and type', async () => {
  const root = copy(
    [controller, "this.set('members', await Member.findAll())", "this.set('members', 'nobody')"],
    [controller, "return this.render('/members/new')", "return this.render('/members/index')"],
  )
  const { process: server, url } = await runExample(root)
  try {
    const visitor = new ExampleVisitor(url)
    const wrong = await visitor.get('/members')
    expect(wrong.status).toBe(500)
    expect(wrong.body).toContain(
      "WEB-INF/views/members/index.html.ssp declares the value 'members' as readonly Member[], but it is a string.",
    )
    const missing = await visitor.get('/members/new')
    expect(missing.status).toBe(500)
    expect(missing.body).toContain(
      "WEB-INF/views/members/index.html.ssp needs the value 'members' of type readonly Member[].",
    )
  } finally {
    await server.end()
  }
})

test('a filter of a class that names no route stops the start', async () => {
  const child = new ExampleProcess([
    'routes',
    '--app',
    copy([
      controller,
      'this.protectFromForgery()',
      "this.beforeAction({ only: ['shwo'] }, () => {})",
    ]),
  ])
  expect(await child.ended).toEqual({ code: 1, signal: null })
  expect(child.said).toMatch(/^fw: .*MembersController names the route 'shwo'.*\n$/)
})
