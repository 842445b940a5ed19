/** The base class of all controllers with pages. */
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
  }

  /** Returns the number in the path parameter `name`. Responds with 404 if it is not a number. */
  protected idOf(name: string): number {
    return this.params.getAs(name, ParamType.Long) ?? this.haltWithBody(404)
  }

  /** The cursors of the requested page, for lists that are paged by key. */
  protected get cursors() {
    return { after: this.params.get('after'), before: this.params.get('before') }
  }
}
