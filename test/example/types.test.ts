/** Mistakes in copies of the example, which `fw check` reports at their file and line. */
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
const newInput = "this.render('/members/new')"
const show = "this.render('/members/show', { member })"

const copies: string[] = []
afterAll(() => Promise.all(copies.map(removeExample)))

function copy(...changes: readonly Change[]): string {
  const root = copyExample(...changes)
  copies.push(root)
  return root
}

interface Mistake {
  readonly change: Change
  readonly message: RegExp
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'a value that the view needs and does not get': {
    change: [controller, show, "this.render('/members/show', {})"],
    message: /Property 'member' is missing in type '\{\}'/,
  },
  'a misspelt value': {
    change: [controller, show, "this.render('/members/show', { membre: member })"],
    message: /'membre' does not exist in type 'Values'. Did you mean to write 'member'\?/,
  },
  'a value of the wrong type': {
    change: [controller, show, "this.render('/members/show', { member: member.name })"],
    message: /Type 'string' is not assignable to type/,
  },
  'an unknown view': {
    change: [controller, show, "this.render('/members/shwo', { member })"],
    message: /'\/members\/shwo': did you mean '\/members\/show'\?/,
  },
  'an unknown route in a controller': {
    change: [controller, 'this.url(members.indexUrl)', 'this.url(members.listUrl)'],
    message: /Property 'listUrl' does not exist/,
  },
  'an unknown route in a view': {
    change: [view('index'), 'routes.members.newUrl', 'routes.members.addUrl'],
    message: /Property 'addUrl' does not exist/,
  },
  'an unknown route in a base controller': {
    change: [
      'src/main/controller/application-controller.ts',
      'TxPerRequestFilter) {}',
      'TxPerRequestFilter) { requireLogin() { return this.redirect(this.url(this.routes.members.loginUrl)) } }',
    ],
    message: /Property 'loginUrl' does not exist/,
  },
  'a missing path parameter in a controller': {
    change: [controller, 'this.url(members.indexUrl)', 'this.url(members.showUrl)'],
    message: /Route<"\/members\/:id", "show", "GET", "show">/,
  },
  'a misspelt path parameter in a view': {
    change: [view('_list'), '{ id: member.id }', '{ key: member.id }'],
    message: /'key' does not exist in type/,
  },
  'an unknown route in the `only` of a filter': {
    change: [controller, '}))\n', "})).beforeAction({ only: ['shwo'] }, () => {})\n"],
    message: /"shwo"/,
  },
  'an action that the class does not have': {
    change: [controller, "r.get('/members/:id', 'show')", "r.get('/members/:id', 'display')"],
    message: /There is no action 'display'/,
  },
  'a field that the model needs and the permitted parameters lack': {
    change: [controller, 'permit({\n        name:', 'permit({\n        nmae:'],
    message: /Property 'name' is missing/,
  },
  'a value for a view that declares none': {
    change: [controller, newInput, "this.render('/members/new', { title: 1 })"],
    message: /Type 'number' is not assignable to type '"The view declares no values/,
  },
  'a value that no layout declares': {
    change: [view('new'), "set('title',", "set('titel',"],
    message: /There is no 'titel': did you mean 'title'\?/,
  },
  'a value of the wrong type for the layout': {
    change: [view('show'), "set('title', member.name)", "set('title', member.id)"],
    message: /Type 'number' is not assignable|Argument of type 'number'/,
  },
  'a block that no layout declares': {
    change: [view('quick'), '#set (head)', '#set (haed)'],
    message: /There is no 'haed': did you mean 'head'\?/,
  },
  'a property that the view’s value does not have': {
    change: [view('show'), '<h1>${member.name}', '<h1>${member.nmae}'],
    message: /Property 'nmae' does not exist/,
  },
  'a key that no message has': {
    change: [view('new'), "<h1>${s.i18n.get('members.new')", "<h1>${s.i18n.get('members.neu')"],
    message: /'members\.neu': did you mean 'members\.new'\?/,
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
  return { exit: code, found: JSON.parse(child.output) as Diagnostic[] }
}

/** The line of a change. */
function lineOf([file, from]: Change): number {
  const text = readFileSync(join('examples/members', file), 'utf8')
  return text.slice(0, text.indexOf(from)).split('\n').length
}

/**
 * Mistakes share a copy, because a check takes seconds; two mistakes at one location do not. Each mistake is still
 * verified separately: a check must report exactly the mistakes of its copy, each at its line. Some copies have a
 * single mistake.
 */
const groups: string[][] = []
for (const [name, { change }] of Object.entries(mistakes)) {
  const isFree = (group: readonly string[]) =>
    group.every((other) => mistakes[other]!.change[1] !== change[1])
  const group = groups.find(isFree) ?? groups[groups.push([]) - 1]!
  group.push(name)
}

test('some copies have a single mistake', () => {
  expect(groups.filter((group) => group.length === 1).length).toBeGreaterThan(1)
})

describe.concurrent('`fw check` reports', () => {
  test.each(groups.map((group) => [group.join(', '), group] as const))(
    '%s',
    async (_names, group) => {
      const expected = group.map((name) => mistakes[name]!)
      const { exit, found } = await check(copy(...expected.map(({ change }) => change)))
      expect(exit).toBe(1)
      expect(found).toHaveLength(group.length)
      for (const { change, message } of expected) {
        expect(found).toContainEqual(
          expect.objectContaining({
            file: change[0],
            line: lineOf(change),
            message: expect.stringMatching(message) as string,
          }),
        )
      }
    },
  )

  test('nothing without a mistake', async () => {
    expect(await check(copy())).toEqual({ exit: 0, found: [] })
  })

  test('nothing for a base controller that links to a route of its subclass', async () => {
    const base = copy([
      'src/main/controller/application-controller.ts',
      'TxPerRequestFilter) {}',
      'TxPerRequestFilter) {\n  requireLogin() { return this.redirect(this.url(this.routes.members.indexUrl)) }\n}',
    ])
    expect(await check(base)).toEqual({ exit: 0, found: [] })
  })
})

test('a wrong value that the compiler cannot detect is an error at run time, with view, value and type', async () => {
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

test('an unknown route name in a filter of a class fails the startup', async () => {
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
  expect(child.output).toMatch(/^fw: .*MembersController names the route 'shwo'.*\n$/)
})
