/** Visitor: a browser's cookies and redirects. */
import { expect, test } from 'vitest'
import { Visitor } from './client.ts'

/** A server that redirects `/0` to `/1` and so on, up to `/<length>`. */
function redirects(length: number) {
  const paths: string[] = []
  const visitor = new Visitor(async ({ url }) => {
    const { pathname } = new URL(url)
    paths.push(pathname)
    const at = Number(pathname.slice(1))
    return at < length
      ? new Response('', { status: 302, headers: { location: `/${at + 1}` } })
      : new Response('end')
  })
  return { visitor, paths }
}

test.each([
  [10, 'end', 200],
  [11, '', 302],
])('of %i redirects ten are followed', async (length, body, status) => {
  const { visitor, paths } = redirects(length)
  expect(await visitor.follow(await visitor.get('/0'))).toMatchObject({ body, status })
  expect(paths).toHaveLength(11)
})

test('a multipart request takes fields and files as an object', async () => {
  const visitor = new Visitor(async (request) => {
    const form = await request.formData()
    const photo = form.get('photo') as File
    return new Response(`${String(form.get('title'))} ${photo.name} ${await photo.text()}`)
  })
  const photo = new File(['pixels'], 'a.png')
  const page = await visitor.post('/', { multipart: { title: 'Ann', photo } })
  expect(page.body).toBe('Ann a.png pixels')
})
