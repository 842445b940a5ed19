/** openapi: the application as an OpenAPI document, a page to try its routes, and a typed client. */
export { describeApplication } from './openapi/describe-application.ts'
export type { OpenApiDocument } from './openapi/document.ts'
export { generateClient } from './openapi/generate-client.ts'
export { OpenApiPages } from './openapi/openapi-pages.ts'
export { shareComponents } from './openapi/share-components.ts'
