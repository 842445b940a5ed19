/** Resolves the path of an `<%@include … %>` to the file of the partial. */
import { posix } from 'node:path'
import type { IncludeNode } from './nodes.ts'
import type { TemplateName } from '../../runtime/view.ts'
import type { TemplateSource } from './template-source.ts'

/**
 * Returns the file of an included partial. A path with a leading slash is relative to `views/`; any other path is
 * relative to the folder of the including template.
 */
export function includedFile(
  source: TemplateSource,
  node: IncludeNode,
  name: TemplateName,
): string {
  const absolute = node.path.startsWith('/')
  const path = absolute
    ? posix.join('views', node.path)
    : posix.join(posix.dirname(source.file), node.path)
  const root = path.split('/')[0]
  if (root !== 'views' && root !== 'layouts') {
    throw source.error(
      node.pathPos,
      `the partial '${node.path}' lies outside WEB-INF/views and WEB-INF/layouts`,
    )
  }
  if (path.endsWith(`.${name.format}.ssp`) || (root === 'layouts' && path.endsWith('.ssp')))
    return path
  if (path.endsWith('.ssp')) {
    throw source.error(
      node.pathPos,
      `a ${name.format} template cannot include '${node.path}', for it is escaped for another format`,
    )
  }
  return root === 'layouts' ? `${path}.ssp` : `${path}.${name.format}.ssp`
}
