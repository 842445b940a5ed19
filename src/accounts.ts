/** The public interface `fwjs/accounts`: logins, signed tokens, passwords and limits of attempts, for applications with accounts. */
export {
  accountLimits,
  accountLink,
  accountLogins,
  accountTokens,
  attemptLimiter,
  attemptMigrationText,
  deviceName,
  hashPassword,
  isBreachedPassword,
  randomToken,
  sealText,
  signToken,
  sweepAttempts,
  unsealText,
  verifyPassword,
  verifyToken,
} from './runtime/accounts.ts'
