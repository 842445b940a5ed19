/** The second factor of an account: codes of an app that shares a secret, and recovery codes for its loss. */
import { createHash } from 'node:crypto'
import { model, ParamType, permitValues } from 'fwjs'
import { sealText, unsealText } from 'fwjs/accounts'
import { Secret, TOTP } from 'otpauth'
import type { {{User}} } from '#model/{{file}}'

export const SecondFactor = model(
  'second_factors',
  {
    {{userId}}: ParamType.Long,
    sealedSecret: ParamType.String,
    lastStep: ParamType.Long,
    createdAt: ParamType.DateTime,
  },
  { primaryKey: '{{userId}}', hidden: ['sealedSecret'] },
)

export const RecoveryCode = model(
  'recovery_codes',
  { id: ParamType.Long, {{userId}}: ParamType.Long, codeHash: ParamType.String },
  { hidden: ['codeHash'] },
)

const recoveryCount = 10

export const createSecret = (): string => new Secret({ size: 20 }).base32

/** The codes of a secret. `issuer` is the name of the site, which the app shows beside the address. */
export const createTotp = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({ secret: Secret.fromBase32(secret), label, issuer })

/** Returns the time step of 30 seconds to which a code belongs. Accepts the steps before and after too, because clocks differ. */
function findStep(secret: string, code: string): number | undefined {
  const totp = createTotp(secret)
  const delta = totp.validate({ token: code.replace(/\s/g, ''), window: 1 })
  return delta === null ? undefined : totp.counter() + delta
}

/** Adds the second factor if `code` is one of the secret. Returns the recovery codes, of which the database stores only hashes. */
export async function addSecondFactor({ id }: {{User}}, secret: string, code: string) {
  const lastStep = findStep(secret, code)
  if (lastStep === undefined) return undefined
  const values = { {{userId}}: id, sealedSecret: sealText('totp', secret), lastStep }
  await SecondFactor.create(permitValues(values, '{{userId}}', 'sealedSecret', 'lastStep'))
  return replaceRecoveryCodes(id)
}

/** Returns new codes of 80 random bits. The database stores only their hashes. */
async function replaceRecoveryCodes({{userId}}: number): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCount }, createRecoveryCode)
  await RecoveryCode.where({ {{userId}} }).deleteAll()
  const rows = codes.map((code) => ({ {{userId}}, codeHash: hashCode(code) }))
  await RecoveryCode.createAll(rows.map((row) => permitValues(row, '{{userId}}', 'codeHash')))
  return codes
}

const createRecoveryCode = (): string =>
  new Secret({ size: 10 }).base32.replace(/.{4}(?=.)/g, '$&-')

function hashCode(code: string): string {
  const plain = code.toUpperCase().replace(/[^A-Z2-7]/g, '')
  return createHash('sha256').update(plain).digest('hex')
}

export async function removeSecondFactor({ id }: {{User}}): Promise<void> {
  await SecondFactor.deleteById(id)
  await RecoveryCode.where({ {{userId}}: id }).deleteAll()
}

export const hasSecondFactor = ({ id }: {{User}}): Promise<boolean> =>
  SecondFactor.where({ {{userId}}: id }).exists()

/** Accepts a code of the app that is newer than the last one, or a recovery code; each works once. */
export async function useCode({{userId}}: number, code: string): Promise<boolean> {
  const factor = await SecondFactor.findById({{userId}})
  const secret = factor && unsealText('totp', factor.sealedSecret)
  const step = secret === undefined ? undefined : findStep(secret, code)
  if (step === undefined) {
    const codes = RecoveryCode.where({ {{userId}}, codeHash: hashCode(code) })
    return (await codes.deleteAll()) === 1
  }
  const older = SecondFactor.where({ {{userId}} }).where('lastStep', '<', step)
  return (await older.updateAll(permitValues({ lastStep: step }, 'lastStep'))) === 1
}
