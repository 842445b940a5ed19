/** Mails without the packages that send them and inline their styles. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceFlags, visibleEnvironment } from '../../../test/support/environment.ts'
import { temporaryFolder } from '../../../test/support/serve.ts'

test('an error names the package to install, and HTML without styles needs none', () => {
  const repository = join(import.meta.dirname, '../../..')
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(repository, 'src'), join(folder, 'src'))
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (name !== 'nodemailer' && name !== '@css-inline')
      symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  const code = `
    import { inlineStyles } from './src/runtime/mail/inline-styles.ts'
    import { checkMailPackage } from './src/runtime/mail/smtp-transport.ts'
    const log = ({ code, message }) => console.log(code, message)
    try { checkMailPackage() } catch (error) { log(error) }
    await inlineStyles('<style>p { color: red }</style><p>Hello</p>').catch(log)
    console.log(await inlineStyles('<p>Hello</p>'))`
  const { stdout } = spawnSync(
    process.execPath,
    [...sourceFlags, '--preserve-symlinks', '--input-type=module', '--eval', code],
    { cwd: folder, encoding: 'utf8', env: visibleEnvironment() },
  )
  expect(stdout).toBe(
    `mail.package-missing mail.url needs the package nodemailer: npm install nodemailer
mail.package-missing Mails with a <style> element need the package @css-inline/css-inline-wasm: npm install @css-inline/css-inline-wasm
<p>Hello</p>
`,
  )
})
