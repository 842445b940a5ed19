/**
 * Both kinds of clients of examples/journal. The types of this file need the generated sources of the journal, so that
 * its own tsconfig.json checks it.
 */
import type { controllers } from '../../../examples/journal/src/main/controller/controllers.ts'
import { createClient } from '../../../src/client.ts'
import * as generated from './api.ts'
import type { NewClient } from './operations.ts'

const bearer = (token?: string) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }

const ifMatch = (version: string | undefined) =>
  version === undefined ? {} : { headers: { 'if-match': version } }

/** The client that knows the application by its types. */
export const typed: NewClient = (baseUrl, token) => {
  const api = createClient<typeof controllers>({ baseUrl, ...bearer(token) })
  return {
    articles: (query) => api.get('/api/articles.json', { query }),
    article: (id) => api.get('/api/articles/:id.json', { path: { id } }),
    comments: (articleId) =>
      api.get('/api/articles/:articleId/comments.json', { path: { articleId } }),
    comment: (articleId, body) =>
      api.post('/api/articles/:articleId/comments.json', { path: { articleId }, body: { body } }),
    tags: () => api.get('/api/tags.json'),
    drafts: () => api.get('/api/desk/articles.json'),
    draft: (id) => api.get('/api/desk/articles/:id.json', { path: { id } }),
    write: (body) => api.post('/api/desk/articles.json', { body }),
    change: (id, body, version) =>
      api.patch('/api/desk/articles/:id.json', { path: { id }, body, ...ifMatch(version) }),
    replace: (id, body) => api.put('/api/desk/articles/:id.json', { path: { id }, body }),
    remove: (id) => api.delete('/api/desk/articles/:id.json', { path: { id } }),
  }
}

/** The client that `fw client` generated. */
export const written: NewClient = (baseUrl, token) => {
  const client = generated.createClient({ baseUrl, ...bearer(token) })
  return {
    articles: (query) => generated.apiArticlesIndexApi(client, { query }),
    article: (id) => generated.apiArticlesShowApi(client, { path: { id } }),
    comments: (articleId) => generated.apiArticlesCommentsIndexApi(client, { path: { articleId } }),
    comment: (articleId, body) =>
      generated.apiArticlesCommentsCreateApi(client, { path: { articleId }, body: { body } }),
    tags: () => generated.apiTagsIndexApi(client),
    drafts: () => generated.apiDeskArticlesIndexApi(client),
    draft: (id) => generated.apiDeskArticlesShowApi(client, { path: { id } }),
    write: (body) => generated.apiDeskArticlesCreateApi(client, { body }),
    change: (id, body, version) =>
      generated.apiDeskArticlesUpdatePatchApi(client, { path: { id }, body, ...ifMatch(version) }),
    replace: (id, body) => generated.apiDeskArticlesUpdatePutApi(client, { path: { id }, body }),
    remove: (id) => generated.apiDeskArticlesDestroyApi(client, { path: { id } }),
  }
}
