/** testing: tests an application without a socket, on a test database. */
export { runJobs } from '../runtime/jobs.ts'
export { Page, TestClient, Visitor } from './testing/client.ts'
export type { RequestOptions, SessionFixture } from './testing/client.ts'
export { Factory, factory } from './testing/factory.ts'
export { SentMail, sentMails } from './testing/sent-mails.ts'
export { testApp } from './testing/test-app.ts'
export type { TestApp, TestAppOptions } from './testing/test-app.ts'
export { testBrowser, TestBrowser } from './testing/test-browser.ts'
