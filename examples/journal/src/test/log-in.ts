/** Logs visitors in, for the tests of accounts. */
import type { Visitor } from 'fwjs/testing'
import { createSampleAccount, samplePassword } from '#test/factory/account'

interface App {
  session(): Visitor
}

/** A visitor who has the forgery token of a page. */
export async function visitorAt(app: App, path: string): Promise<Visitor> {
  const visitor = app.session()
  await visitor.get(path)
  return visitor
}

/** Sends the form of the login, and loads the page to which it leads, whose forms have a new token. */
export async function logIn(app: App, form: Record<string, string>) {
  const visitor = await visitorAt(app, '/login')
  const response = await visitor.post('/login', { form: { password: samplePassword, ...form } })
  const page = await visitor.follow(response)
  return { visitor, response, page }
}

/** Creates an account, and logs a visitor in to it. */
export async function createVisitor(app: App, form: Record<string, string> = {}) {
  const user = await createSampleAccount()
  return { user, ...(await logIn(app, { email: user.email, ...form })) }
}
