/** The base of all controllers with pages. */
import { ErrorPageFilter, FwController, JsonParamsFeature, mix, TxPerRequestFilter } from 'fwjs'

export class ApplicationController extends mix(
  FwController,
  ErrorPageFilter,
  JsonParamsFeature,
  TxPerRequestFilter,
) {
  static {
    this.protectFromForgery()
  }
}
