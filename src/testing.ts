/** testing: drives an application without a socket, on a database of its own. */
export { TestClient, Visitor } from './testing/client.ts'
export type { RequestOptions } from './testing/client.ts'
export { Factory, factory } from './testing/factory.ts'
export type { GivenSession } from './testing/given-session.ts'
export { Page } from './testing/page.ts'
export { testApp } from './testing/test-app.ts'
export type { TestApp, TestAppOptions } from './testing/test-app.ts'
export { testBrowser, TestBrowser } from './testing/test-browser.ts'
