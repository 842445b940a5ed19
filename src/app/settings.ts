/** The settings of an application, read and checked once at the start. */
import { defineSettings, type SettingsOf } from '../config.ts'

/** @spec Configuration values */
export const applicationSettings = defineSettings({
  contextPath: {
    kind: 'string',
    default: '',
    doc: 'The path below which the whole application lives, such as /shop.',
  },
  secretKeyBase: {
    kind: 'strings',
    doc: 'At least 32 random bytes; several, the newest first, while keys are rotated.',
    required: (env) => env.isProduction(),
  },
  limits: {
    body: {
      kind: 'size',
      default: 1024 * 1024,
      min: 1024,
      doc: 'The largest form, JSON or text body.',
    },
  },
  csrf: {
    trustedOrigins: {
      kind: 'strings',
      default: [],
      doc: 'Origins beside the own that may send unsafe requests.',
    },
  },
  redirect: {
    allowedHosts: {
      kind: 'strings',
      default: [],
      doc: 'Hosts beside the own that redirects may lead to.',
    },
  },
  i18n: {
    defaultLocale: { kind: 'string', default: 'en', doc: 'The language of messages.yml.' },
  },
})

export type ApplicationSettings = SettingsOf<typeof applicationSettings>
