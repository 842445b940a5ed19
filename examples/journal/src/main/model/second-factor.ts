/** The second factor of an account: codes of an app that shares a secret, and recovery codes for its loss. */
import { model, ParamType } from 'fwjs'

export const SecondFactor = model(
  'second_factors',
  {
    userId: ParamType.Long,
    sealedSecret: ParamType.String,
    lastStep: ParamType.Long,
    createdAt: ParamType.DateTime,
  },
  { primaryKey: 'userId', hidden: ['sealedSecret'] },
)

export const RecoveryCode = model(
  'recovery_codes',
  { id: ParamType.Long, userId: ParamType.Long, codeHash: ParamType.String },
  { hidden: ['codeHash'] },
)
