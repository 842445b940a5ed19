/**
 * Writes the types of the public interface to `api/*.api.md`: `npm run api`. With `--check`, only reports which files
 * are out of date. Reads the built package in dist/.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as extractor from '@microsoft/api-extractor'
import { publicEntryPoints } from './entry-points.ts'

const { CompilerState, Extractor, ExtractorConfig } = extractor
const root = join(import.meta.dirname, '..')
const typesOf = (entry: string) => join(root, `dist/${entry}.d.ts`)
const temporary = mkdtempSync(join(tmpdir(), 'fw-api-'))

function configure(entry: string) {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: typesOf(entry),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'esnext',
            module: 'nodenext',
            lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: publicEntryPoints.map(typesOf),
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${entry}.api.md`,
        reportFolder: join(root, 'api'),
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: extractor.ExtractorLogLevel.None } },
      },
    },
  })
}

function report(write: boolean): string[] {
  const configs = publicEntryPoints.map((entry) => ({ entry, config: configure(entry) }))
  const compilerState = CompilerState.create(configs[0]!.config)
  const outdated: string[] = []
  for (const { entry, config } of configs) {
    const result = Extractor.invoke(config, {
      compilerState,
      localBuild: write,
      messageCallback: (message) => {
        message.handled = true
      },
    })
    if (result.apiReportChanged) outdated.push(entry)
  }
  return outdated
}

if (!existsSync(typesOf('index'))) throw new Error('Run `npm run build` first: dist/ is missing.')
mkdirSync(join(root, 'api'), { recursive: true })
const write = !process.argv.includes('--check')
const outdated = report(write)
rmSync(temporary, { recursive: true, force: true })
if (outdated.length > 0)
  console.log(`${write ? 'Written' : 'Out of date'}: ${outdated.join(', ')} (api/*.api.md).`)
if (outdated.length > 0 && !write) {
  console.log('Run `npm run build && npm run api`, and review the difference.')
  process.exitCode = 1
}
