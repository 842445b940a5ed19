/** testing: drives an application without a socket, on a database of its own. */
export { TestClient, Visitor } from './testing/client.ts'
export type { RequestOptions } from './testing/client.ts'
export { Factory, factory } from './testing/factory.ts'
export { Page } from './testing/page.ts'
export { testApp } from './testing/test-app.ts'
export type { TestApp, TestAppOptions } from './testing/test-app.ts'
