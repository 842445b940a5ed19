/** The list of all tags: `/api/tags.json`. */
import { apiResource, FwApiResource } from 'fwjs'
import { Tag } from '#model/tag'
import { TagView } from '#model/views'
import { ApiController } from './api-controller.ts'

class ApiTagsController extends FwApiResource(ApiController, {
  model: Tag,
  resourcesName: 'tags',
  resourceName: 'tag',
  resourcesBasePathPrefix: '/api',
  createFormStrongParameters: Tag.pick('name'),
  pageByKey: { sort: ['name'], search: ['name'] },
  output: TagView,
}) {}

export const apiTags = apiResource(ApiTagsController, { only: ['indexApi'] }).describe({
  tag: 'Tags',
})
