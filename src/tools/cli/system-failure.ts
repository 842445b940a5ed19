/** Describes errors of the operating system in sentences: the file, the reason and the remedy. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

const reasons: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', 'Make room on it, then repeat the command.'],
  EDQUOT: ['the disk quota of this user is used up', 'Make room, then repeat the command.'],
  EROFS: ['its file system is read-only', 'Mount it writable, or use another folder.'],
  EMFILE: ['the process has too many open files', 'Raise the limit with ulimit -n.'],
}

const reading = /^(?:scandir|read|l?stat|readlink|access)$/

/** Describes an error of the operating system; returns `undefined` for any other error. */
export function describeSystemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM'))
    return describePermission(path, code, syscall)
  const [reason, remedy] = reasons[code] ?? []
  if (reason === undefined) return undefined
  const verb = syscall === 'open' ? 'opened' : reading.test(syscall) ? 'read' : 'written'
  return `${path ?? 'The output'} cannot be ${verb}: ${reason} (${code}). ${remedy}`
}

/** Calls that need permission for the folder, not for the file. */
const folderCalls = /^(?:unlink|rename|link|symlink|rmdir)$/

function describePermission(path: string, code: string, syscall: string): string {
  const target = existsSync(path) && !folderCalls.test(syscall) ? path : dirname(path)
  const kind = target === path ? 'this file' : `the folder ${target}`
  const verb = reading.test(syscall) ? 'read' : target === path ? 'opened' : 'created or changed'
  return `${path} cannot be ${verb}: ${currentUser()} has no permission for ${kind} (${code}). Change the owner or the mode of ${kind}, or run the command as another user.`
}

function currentUser(): string {
  try {
    return `the user ${userInfo().username}`
  } catch {
    // The system has no name for the user's number, as in some containers.
    return 'this user'
  }
}
