/** The parts of accounts, which options leave out, and the values of their templates. */
import type { TemplateValues } from './fill-template.ts'
import { mailPackages } from './mailer-plan.ts'
import type { GeneratorOptions } from './project.ts'
import type { Name } from './resource-names.ts'

/** A part of accounts. */
export interface Feature {
  /** The folder of its templates; its migration and messages are in it too. */
  readonly templates: string
  /** The table after which its migration is named; absent for a part without tables. */
  readonly table?: string
  /** The names of its controllers in files. */
  readonly controllers?: readonly string[]
  readonly packages?: Readonly<Record<string, string>>
  /** The code that it adds to the files of the others, by placeholder. */
  readonly code?: TemplateValues
  /** Its link on the page of the account, and the message of that link. */
  readonly link?: readonly [route: string, message: string]
}

const pages: Feature = {
  templates: 'authentication',
  table: 'logins',
  controllers: ['account', 'mailed-links', 'security', 'sessions'],
  packages: mailPackages,
  code: {
    linkColumn: 'link_used_at timestamptz,',
    linkField: 'linkUsedAt: ParamType.optional(ParamType.DateTime),',
  },
}

const totp: Feature = {
  templates: 'authentication-totp',
  table: 'second_factors',
  controllers: ['codes', 'second-factor'],
  packages: { otpauth: '9.5.2', uqr: '0.1.3' },
  link: ['secondFactor.showUrl', 'secondFactor.title'],
}

const passkeys: Feature = {
  templates: 'authentication-passkeys',
  table: 'passkeys',
  controllers: ['passkeys', 'passkey-logins'],
  packages: { '@simplewebauthn/server': '14.0.3' },
  code: {
    passkeyForm: "<%@include '/passkeys/_log_in' {} %>",
    // Browsers offer passkeys in such an input.
    emailAutocomplete: 'username webauthn',
  },
  link: ['passkeys.indexUrl', 'passkey.title'],
}

const apiTokens: Feature = {
  templates: 'authentication-api-tokens',
  table: 'api_tokens',
  controllers: ['tokens'],
}

const apiTokenPages: Feature = {
  templates: 'authentication-api-token-pages',
  controllers: ['api-tokens'],
  code: {
    roomText: 'An account has at most 50.',
    more: 'refuse',
  },
  link: ['apiTokens.indexUrl', 'apiToken.title'],
}

/** Accounts of an application without pages: a login by password gives a token. */
const api: Feature = {
  templates: 'authentication-api',
  controllers: ['login'],
  code: {
    roomText: 'Of more than 50, the newest stay.',
    more: 'replace',
  },
}

/** The model, and what all accounts have: an address and a password. */
const accountOf = (table: string | undefined): Feature => ({
  templates: 'authentication-account',
  ...(table === undefined ? {} : { table }),
})

/**
 * Returns the parts of accounts that an application gets. `hasPages` is false for one that `fw new --api` created. `table` is absent
 * if the table of the accounts exists.
 */
export function chooseFeatures(
  table: string | undefined,
  hasPages: boolean,
  options: GeneratorOptions,
): readonly Feature[] {
  const account = accountOf(table)
  if (!hasPages) return [account, apiTokens, api]
  return [
    account,
    pages,
    ...(options.totp === false ? [] : [totp]),
    ...(options.passkeys === false ? [] : [passkeys]),
    ...(options.apiTokens === false ? [] : [apiTokens, apiTokenPages]),
  ]
}

export const hasApiTokens = (features: readonly Feature[]): boolean => features.includes(apiTokens)

/** Returns the values of all templates: names, and the code of chosen parts in the files of others. */
export function templateValues(
  { camel, pascal, snake, kebab, words }: Name,
  table: string,
  features: readonly Feature[],
): TemplateValues {
  return {
    User: pascal,
    user: camel,
    table,
    tableSql: table,
    file: kebab,
    words,
    userId: `${camel}Id`,
    user_id: `${snake}_id`,
    linkColumn: '',
    linkField: '',
    ...beginLogin(camel, features.includes(totp)),
    passkeyForm: '',
    emailAutocomplete: 'username',
    links: features.flatMap((feature) => formatLink(feature)).join('\n'),
    ...Object.assign({}, ...features.map(({ code }) => code)),
  }
}

/** Returns the code that logs an account in: with a second factor, the login may wait for its code. */
function beginLogin(user: string, hasCodes: boolean): TemplateValues {
  const steps = [
    `logins.begin(controller.ctx, ${user}, remember)`,
    `limits.accept(controller.ctx, ${user}.email)`,
  ]
  if (!hasCodes) {
    const begin = `await Promise.all([\n  ${steps.join(',\n  ')},\n])`
    return { importFactor: '', factorOption: '', orToTheCode: '', beginLogin: begin }
  }
  return {
    importFactor: "import { RecoveryCode, SecondFactor } from '#model/second-factor'",
    factorOption: 'secondFactors: { factors: SecondFactor, codes: RecoveryCode },',
    orToTheCode: ', or to the code of the second factor',
    beginLogin: `const [isComplete] = await Promise.all([
  ${steps.join(',\n  ')},
])
if (!isComplete) return controller.redirect303(controller.url(controller.routes.codes.newUrl))`,
  }
}

const formatLink = ({ link: [route, message] = ['', ''] }: Feature): readonly string[] =>
  route === ''
    ? []
    : [`<li><a href="\${s.url(routes.${route})}">\${s.i18n.get('${message}')}</a></li>`]
