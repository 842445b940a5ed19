/** The base of all controllers with pages. */
import {
  ConditionalGet,
  ErrorPageFilter,
  FwController,
  mix,
  ParamType,
  TxPerRequestFilter,
} from 'fwjs'
import { CurrentUser } from './current-user.ts'

export class ApplicationController extends mix(
  FwController,
  ErrorPageFilter,
  TxPerRequestFilter,
  ConditionalGet,
  CurrentUser,
) {
  static {
    this.protectFromForgery()
    this.before(function showUser(controller) {
      controller.set('user', controller.user)
    })
  }

  /** The number in the path, or 404. */
  protected idOf(name: string): number {
    return this.params.getAs(name, ParamType.Long) ?? this.haltWithBody(404)
  }

  /** The cursors of a page by key. */
  protected get cursors() {
    return { after: this.params.get('after'), before: this.params.get('before') }
  }
}
