/**
 * Packs the extension of VS Code. Run `npm run package:vscode [-- FILE]`; the default file is build/fw-ssp.vsix. A .vsix is a zip archive
 * with the extension and two descriptions.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'editors/vscode')
const target = resolve(process.argv[2] ?? join(root, 'build/fw-ssp.vsix'))
const files = [
  'package.json',
  'README.md',
  'language-configuration.json',
  'syntaxes/ssp.tmLanguage.json',
]

interface Manifest {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly version: string
  readonly publisher: string
  readonly engines: { readonly vscode: string }
  readonly categories: readonly string[]
}

/** Bundles the extension with its client of the Language Server Protocol; VS Code provides the module `vscode`. */
async function bundleExtension(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: join(folder, 'extension.mts'),
    external: ['vscode'],
    platform: 'node',
  })
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

function describe(manifest: Manifest): string {
  const { name, displayName, description, version, publisher, engines, categories } = manifest
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space="preserve">${description}</Description>
    <Categories>${categories.join(',')}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
`
}

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
`

const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
const archive: Record<string, Uint8Array> = {
  '[Content_Types].xml': strToU8(contentTypes),
  'extension.vsixmanifest': strToU8(describe(manifest)),
  'extension/out/extension.js': strToU8(await bundleExtension()),
}
for (const file of files) archive[`extension/${file}`] = readFileSync(join(folder, file))
mkdirSync(dirname(target), { recursive: true })
// A fixed time makes two archives of the same files equal.
writeFileSync(target, zipSync(archive, { mtime: '2026-01-01' }))
