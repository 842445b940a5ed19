/** The public interface `fwjs/testing`: tests an application without a socket, on a separate database. */
export {
  factory,
  insertRows,
  Page,
  runJobs,
  sentMails,
  testApp,
  testBrowser,
  TestBrowser,
  Visitor,
} from './tools/testing.ts'
export type {
  Factory,
  RequestOptions,
  RowValues,
  SessionFixture,
  TestApp,
  TestAppOptions,
} from './tools/testing.ts'
