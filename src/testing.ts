/** The public interface `fwjs/testing`: tests of an application without a socket, on a database of their own. */
export { factory, Page, testApp, testBrowser, TestBrowser, Visitor } from './tools/testing.ts'
export type {
  Factory,
  RequestOptions,
  SessionFixture,
  TestApp,
  TestAppOptions,
} from './tools/testing.ts'
