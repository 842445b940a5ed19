/** Normalises a page: decodes character references and removes spaces between tags. */

const references: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

export function decode(page: string): string {
  return (
    page
      .replace(/>\s+/g, '>')
      .replace(/\s+</g, '<')
      .replace(/^<!doctype html>/i, '')
      // React adds a head.
      .replace('<head></head>', '')
      .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name: string) => {
        if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
        if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex as string, 16))
        return references[name] ?? whole
      })
  )
}
