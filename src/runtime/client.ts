/** client: a client typed by the controllers. Runs in browsers, so it imports only types from other modules. */
export { createClient } from './client/create-client.ts'
