/** Errors of the operating system as sentences: which file, why, and what to do. */

const permission =
  'Change the owner or the mode of the file or its folder, or run the command as the owner.'

const reasons: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', 'Make room on it, then repeat the command.'],
  EDQUOT: ['the disk quota of this user is used up', 'Make room, then repeat the command.'],
  EACCES: ['this user has no permission', permission],
  EPERM: ['this user has no permission', permission],
  EROFS: ['its file system is read-only', 'Mount it writable, or use another folder.'],
  EMFILE: ['the process has too many open files', 'Raise the limit with ulimit -n.'],
}

const reading: ReadonlySet<string> = new Set([
  'scandir',
  'read',
  'stat',
  'lstat',
  'readlink',
  'access',
])

/** `undefined` for an error that is no known failure of the operating system. */
export function describeSystemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const [reason, remedy] = reasons[code] ?? []
  if (reason === undefined) return undefined
  const verb = syscall === 'open' ? 'opened' : reading.has(syscall) ? 'read' : 'written'
  return `${path ?? 'The output'} cannot be ${verb}: ${reason} (${code}). ${remedy}`
}
