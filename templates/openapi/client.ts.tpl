{{header}}
{{schemas}}
{{sender}}
/** What `createClient` returns: the first argument of each function below. */
export type Client = Send

/** `const client = createClient({ baseUrl: 'https://example.com' })` */
export const createClient = (options: ClientOptions = {}): Client => createSend(options)

{{functions}}