/** The public interface `fwjs/accounts`: signed tokens, passwords and limits of attempts, for applications with accounts. */
export {
  accountLimits,
  accountLink,
  attemptLimiter,
  attemptMigrationText,
  deviceName,
  hashPassword,
  isBreachedPassword,
  passkeyCeremonies,
  randomToken,
  rememberedDevices,
  sealText,
  signToken,
  sweepAttempts,
  unsealText,
  verifyPassword,
  verifyToken,
} from './runtime/accounts.ts'
