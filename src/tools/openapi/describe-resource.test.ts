/** The description of a resource's routes, by its options and its overridden actions. */
import { expect, test } from 'vitest'
import { FwApiController, FwController } from '../../runtime/controller.ts'
import { model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { describeResource } from './describe-resource.ts'
import { FwApiResource, FwResource } from '../../runtime/resource.ts'

const options = {
  model: model('members', { id: ParamType.Long, name: ParamType.String }),
  resourcesName: 'members',
  resourceName: 'member',
  createFormStrongParameters: { name: ParamType.String },
} as const

test('whose an action is no name of a class tells: a minifier may have changed it, an application chosen it', () => {
  const Trait = FwResource(FwController, options)
  Object.defineProperty(Trait, 'name', { value: 'a' })
  class MembersController extends Trait {}
  const Own = class FwResource extends FwApiResource(FwApiController, options) {
    override showResource() {
      return Promise.resolve('something else')
    }
  }
  const statuses = (controller: typeof MembersController | typeof Own, action: string) =>
    Object.keys(describeResource(controller, { action, method: 'GET' })!.responses!)
  expect(statuses(MembersController, 'newResource')).toContain('200')
  expect(statuses(MembersController, 'showResource')).toContain('200')
  expect(statuses(Own, 'showResources')).toContain('200')
  expect(statuses(Own, 'showResource')).toEqual([])
})

test('writes respond with the record, a browser is redirected by a status that repeats no write', () => {
  class Members extends FwResource(FwController, options) {}
  class Own extends FwApiResource(FwApiController, options) {
    override findResource(id: number) {
      return super.findResource(id)
    }
  }
  const success = (controller: typeof Members | typeof Own, action: string, method: string) =>
    Object.keys(describeResource(controller, { action, method })!.responses!).filter(
      (status) => status < '400',
    )
  expect(success(Members, 'createResource', 'POST')).toEqual(['201', '302'])
  expect(success(Members, 'updateResource', 'POST')).toEqual(['200', '302'])
  expect(success(Members, 'updateResource', 'PUT')).toEqual(['200', '303'])
  expect(success(Members, 'destroyResource', 'DELETE')).toEqual(['204', '303'])
  // A client may write a record that this hook no longer finds.
  expect(success(Own, 'updateResource', 'PATCH')).toEqual(['200', '204'])
  const { responses } = describeResource(Own, { action: 'createResource', method: 'POST' })!
  expect(responses![201]).toMatchObject({ content: { 'application/json': expect.anything() } })
})

test('where versions must be named, whoever sends another method than a form must name one', () => {
  class MembersController extends FwResource(FwController, { ...options, requireIfMatch: true }) {}
  const ifMatch = (method: string, format?: string) =>
    describeResource(MembersController, { action: 'updateResource', method, format })!.headers![
      'If-Match'
    ]
  expect(['PUT', 'PATCH', 'POST'].map((method) => ifMatch(method))).toEqual([
    ParamType.String,
    ParamType.String,
    ParamType.NullableString,
  ])
  expect(ifMatch('POST', 'json')).toBe(ParamType.String)
})
