/** Checks before the measurement that a subject answers as the others do. */
import { created, greeting, hostile, pages, type Dialect, type Page } from './pages.ts'
import { Visitor, type Answer } from './visitor.ts'

const pageNamed = (name: string): Page => pages.find((page) => page.name === name)!
const number = (id: number): string => `Member ${String(id).padStart(4, '0')}`
/** Each engine writes a quote as another character reference. */
const unescapeQuotes = (html: string): string =>
  html.replace(/&#0*34;|&#x22;|&quot;/gi, '"').replace(/&#0*39;|&#x27;|&apos;/gi, "'")

function expect(condition: boolean, what: string, { head, body }: Answer): void {
  if (!condition) throw new Error(`${what} is missing in this answer:\n${head}\n\n${body}`)
}

export async function compareAnswers(
  port: number,
  dialect: Dialect,
  countRows: () => Promise<number>,
): Promise<void> {
  // The visitor's row is the hostile one.
  const visitor = new Visitor(port, dialect, hostile.id - 1)
  await visitor.connect()
  const create = pageNamed('create')
  await visitor.enter(create, pageNamed('form'))
  const open = async (name: string): Promise<Answer> => {
    const answer = await visitor.open(pageNamed(name))
    expect(answer.status === pageNamed(name).status, 'the status', answer)
    return answer
  }
  const hello = await open('hello')
  expect(hello.body === greeting, greeting, hello)

  const list = await open('list')
  for (let id = 1; id <= 20; id++)
    expect(list.body.includes(number(id)), `the name ${number(id)}`, list)
  expect(!list.body.includes(number(21)), 'the end after 20 names', list)
  expect(/1,?00\d members/.test(list.body), 'the number of members', list)
  expect(list.body.includes('Feb 21, 1950'), 'the birthday', list)

  const show = await open('show')
  const escaped = `Member 0003 &lt;b&gt;"&amp;'`
  for (const answer of [list, show]) {
    expect(unescapeQuotes(answer.body).includes(escaped), 'the escaped name', answer)
    expect(!answer.body.includes('<b>'), 'the escape', answer)
    expect(answer.body.includes('</header>'), 'the layout', answer)
    expect(/^x-content-type-options: nosniff/im.test(answer.head), 'a security header', answer)
  }
  const invalid = await open('invalid')
  for (const text of ['Name is required', 'Birthday must be a date value', 'value="2020-02-30"'])
    expect(invalid.body.includes(text), text, invalid)

  const jsonList = await open('json list')
  const items = JSON.parse(jsonList.body) as { id: number; name: string; birthday: string }[]
  expect(items.length === 20 && items[2]!.name === hostile.name, 'the list as JSON', jsonList)
  expect(/^x-total-count: 100\d/im.test(jsonList.head), 'the total', jsonList)
  const jsonShow = await open('json show')
  const item = JSON.parse(jsonShow.body) as (typeof items)[number]
  expect(item.id === 3 && item.birthday.startsWith('1950-02-21'), 'the member as JSON', jsonShow)
  const missing = await open('not found')
  expect(missing.body.includes('There is no page at this address.'), 'the text', missing)

  const landed = await visitor.open(create)
  const flashes = landed.body.split(created).length - 1
  expect(flashes === 1 && landed.body.includes('Zoe &lt;new&gt;'), 'one flash', landed)
  const again = await visitor.open(pageNamed('show'))
  expect(!again.body.includes(created), 'the end of the flash', again)

  const before = await countRows()
  const refused = await visitor.send(visitor.requestFor(create, 'wrong'))
  expect(refused.status === dialect.refused, `the refusal ${dialect.refused}`, refused)
  if ((await countRows()) !== before) throw new Error('a form without its token was accepted')
  visitor.leave()
}
