/** client: a client typed by the controllers. Runs in browsers, so it imports only types from other modules. */
export type { Client } from './client/client-types.ts'
export { createClient } from './client/create-client.ts'
export type { ClientOptions } from './client/send-request.ts'
