/** The base class that `fw new` writes, with its filters: `templates/application`. */
import { ErrorPageFilter, FwController, JsonParamsFeature, mix, TxPerRequestFilter } from 'fwjs'

export abstract class ApplicationController extends mix(
  FwController,
  ErrorPageFilter,
  JsonParamsFeature,
  TxPerRequestFilter,
) {
  static {
    this.protectFromForgery()
  }
}
