/** Creates the applications that benchmarks measure, in temporary folders. */
import { fw, generate, linkSources, newFolder } from '../test/generate/folder.ts'

/** Creates an application as `fw new` does, and runs `fw g` with each of the lines. Returns its folder. */
export function createApplication(...generators: readonly string[]): string {
  const root = newFolder()
  linkSources(root)
  for (const line of generators) generate(root, line)
  return root
}

/** Runs `fw build` and `fw db:migrate`. @throws Error with the output of a command that fails */
export async function buildAndMigrate(
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  for (const command of ['build', 'db:migrate']) {
    const { code, said } = await fw({ cwd: root, env }, command)
    if (code !== 0) throw new Error(`fw ${command} failed:\n${said}`)
  }
}
