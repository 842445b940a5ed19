/** Finds what the Content-Security-Policy of production blocks in templates, which browsers report only in their console. */
import { resolve } from 'node:path'
import { applicationSettings, policyDirectives } from '../../runtime/app.ts'
import { ConfigurationError, previewConfiguration, readSettings } from '../../runtime/config.ts'
import { projectPaths, type ProjectPaths, type ViewProject } from '../../runtime/view.ts'
import { type CompiledTemplate, maximumStyles } from '../emit.ts'
import type { PlacedUse } from '../escaping.ts'
import { lineStarts, positionIn, sourceFrame } from '../read.ts'
import { projectPath, type ViewDiagnostic } from './diagnostics.ts'

type Directives = ReadonlyMap<string, string>

/** Returns a warning for each attribute that the policy of production blocks. */
export function policyWarnings(
  templates: readonly CompiledTemplate[],
  project: ViewProject,
): readonly ViewDiagnostic[] {
  const paths = projectPaths(project)
  const directives = readPolicy(paths.root)
  // Mails have no Content-Security-Policy.
  const pages = templates.filter(({ isMail }) => !isMail)
  return pages.flatMap((template) => [
    ...template.policyUses.flatMap((use) => {
      const problem = problemOf(use, directives)
      return problem === undefined ? [] : warning(template, use.pos, problem, paths)
    }),
    ...tooManyStyles(template, directives, paths),
  ])
}

/** Reads the policy of production; that of the defaults if the settings have mistakes, which the start reports. */
function readPolicy(root: string): Directives {
  const { security, redirect } = applicationSettings
  try {
    const configuration = previewConfiguration({ root, env: 'production' })
    const settings = readSettings(configuration, { security, redirect })
    const redirectHosts = settings.redirect.allowedHosts
    return policyDirectives(settings.security.contentSecurityPolicy, { redirectHosts })
  } catch (error) {
    if (error instanceof ConfigurationError) return policyDirectives(new Map())
    throw error
  }
}

function warning(
  { source, file }: CompiledTemplate,
  pos: number,
  message: string,
  paths: ProjectPaths,
): ViewDiagnostic {
  const position = positionIn(lineStarts(source), pos)
  return {
    file: projectPath(resolve(paths.webInf, file), paths),
    ...position,
    code: 'view.blocked',
    message,
    frame: sourceFrame(source, position),
    severity: 'warning',
  }
}

const blocks = 'the Content-Security-Policy blocks'
const setting = 'in security.contentSecurityPolicy'

function problemOf(use: PlacedUse, directives: Directives): string | undefined {
  const sources = sourcesOf(directives, use.directive)
  if (sources === undefined) return undefined
  const isInline = sources.includes("'unsafe-inline'")
  const isOpen = isInline || sources.includes("'unsafe-hashes'")
  switch (use.kind) {
    case 'style':
      return isOpen ? undefined : styleProblem(use, directives)
    case 'handler':
      if (isOpen) return undefined
      return `${blocks} the handler '${use.attribute}': add the listener in a script, or set script-src-attr: "'unsafe-inline'" ${setting}`
    case 'script URL':
      if (isInline) return undefined
      return `${blocks} the script URL in '${use.attribute}': use a <button> and a listener in a script`
    case 'evaluated code':
      if (sources.includes("'unsafe-eval'")) return undefined
      return `${blocks} '${use.attribute}', which htmx evaluates as code: add the listener in a script, or add 'unsafe-eval' to script-src ${setting}`
    case 'address':
      if (sources.some((source) => permits(source, use.value))) return undefined
      return `${blocks} ${use.value}: add it to ${use.directive.replace('-elem', '')} ${setting}`
  }
}

function styleProblem({ values }: PlacedUse, directives: Directives): string | undefined {
  if (directives.has('style-src-attr'))
    return `${blocks} this style attribute, because of style-src-attr ${setting}: remove that directive, or use a class`
  if (values !== undefined) return undefined
  return `${blocks} this style attribute, because its text is not known before: choose between texts of the template, use a class or a <style> element, or set style-src-attr: "'unsafe-inline'" ${setting}`
}

function tooManyStyles(
  template: CompiledTemplate,
  directives: Directives,
  paths: ProjectPaths,
): readonly ViewDiagnostic[] {
  const count = template.styles.length
  const sources = sourcesOf(directives, 'style-src-attr')
  if (template.kind === 'partial' || count <= maximumStyles) return []
  if (sources === undefined || sources.includes("'unsafe-inline'")) return []
  const message = `this page has ${count} different style attributes, and the Content-Security-Policy permits ${maximumStyles} of them: move them to a style sheet`
  return [warning(template, 0, message, paths)]
}

/** The directives that stand in for an absent one, other than `default-src`. */
const fallbacks: Readonly<Record<string, string>> = {
  'style-src-attr': 'style-src',
  'style-src-elem': 'style-src',
  'script-src-attr': 'script-src',
  'script-src-elem': 'script-src',
  'frame-src': 'child-src',
}

/** Returns the sources of a directive or of those that stand in for it; `undefined` if none exists, which permits all. */
function sourcesOf(directives: Directives, name: string): readonly string[] | undefined {
  const inherits = !/^(?:form-action|base-uri)$/.test(name)
  const found =
    directives.get(name) ??
    directives.get(fallbacks[name] ?? '') ??
    (inherits ? directives.get('default-src') : undefined)
  return found?.split(' ')
}

/** True if a source of a directive permits an origin such as `https://cdn.example`, or `data:`. Ignores its path. */
function permits(source: string, origin: string): boolean {
  const [, scheme = '', host = ''] = /^(?:([a-z][\w+.-]*:)(?:\/\/|$))?([^/]*)/i.exec(source)!
  const [ownScheme, ownHost = ''] = origin.split('//') as [string, string?]
  if (ownHost === '') return source === ownScheme
  if (scheme !== '' && host === '') return scheme === ownScheme || scheme === 'http:'
  if (scheme !== '' && scheme !== ownScheme && !(scheme === 'http:' && ownScheme === 'https:'))
    return false
  const [name = '', port = ''] = host.split(':')
  const [ownName = '', ownPort = ''] = ownHost.split(':')
  if (port !== '*' && port !== ownPort && !(port === '' && /^(?:80|443)$/.test(ownPort)))
    return false
  return (
    name === '*' || name === ownName || (name.startsWith('*.') && ownName.endsWith(name.slice(1)))
  )
}
