/** The forms that several pages of accounts have. */
import { email, minMaxLength, paramKey, ParamType, required } from 'fwjs'
import type { ApplicationController } from './application-controller.ts'

export const emailForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { email: ParamType.Email },
      paramKey('email').is(required, email),
    )
    .withPrefix('account')

/** A new password, and the current one if the page asks for it. NIST SP 800-63B-4 requires 15 characters for a password alone. */
export const passwordForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { password: ParamType.String, currentPassword: ParamType.optional(ParamType.String) },
      paramKey('password').is(required, minMaxLength(15, 200)),
    )
    .withPrefix('account')
