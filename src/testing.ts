/** The public interface `fwjs/testing`: tests an application without a socket, on a separate database. */
export {
  factory,
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
  SessionFixture,
  TestApp,
  TestAppOptions,
} from './tools/testing.ts'
