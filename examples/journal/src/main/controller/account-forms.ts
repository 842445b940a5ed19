/** The forms that several pages of accounts have. */
import { email, maxLength, minMaxLength, paramKey, ParamType, required } from 'fwjs'
import { User } from '#model/user'
import type { ApplicationController } from './application-controller.ts'

export const emailForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { email: ParamType.Email },
      paramKey('email').is(required, email),
    )
    .withPrefix('account')

/** The last form of a registration. */
export const accountForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { ...User.pick('name'), password: ParamType.String },
      paramKey('name').is(required, maxLength(80)),
      paramKey('password').is(required, minMaxLength(15, 200)),
    )
    .withPrefix('account')

/** NIST SP 800-63B-4 requires 15 characters where a password is the only factor, and no rules of composition. */
export const passwordForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { password: ParamType.String, currentPassword: ParamType.optional(ParamType.String) },
      paramKey('password').is(required, minMaxLength(15, 200)),
    )
    .withPrefix('account')
