/** Reads hostile HTML without a parser: it is never rendered, and every function takes linear time. */

/** Longer tags have no attribute that is read. */
const maxTag = 8_192
const hiddenElements = /^(script|style|head|title|noscript|template)$/

/** The text of a page and the addresses in its attributes, in order. */
export function readHtml(
  html: string,
  maxLinks: number,
): { readonly text: string; readonly links: readonly string[] } {
  const parts: string[] = []
  const links: string[] = []
  let hidden: string | undefined
  let at = 0
  while (at < html.length) {
    const start = html.indexOf('<', at)
    if (hidden === undefined) parts.push(html.slice(at, start === -1 ? html.length : start))
    if (start === -1) break
    const isComment = html.startsWith('<!--', start)
    const end = html.indexOf(isComment ? '-->' : '>', start)
    if (end === -1) break
    at = end + (isComment ? 3 : 1)
    if (isComment) continue
    const tag = html.slice(start, Math.min(end, start + maxTag))
    const [, slash = '', name = ''] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})/.exec(tag) ?? []
    const element = name.toLowerCase()
    if (slash === '/' && element === hidden) hidden = undefined
    if (slash === '' && hidden === undefined && hiddenElements.test(element)) hidden = element
    if (/^(br|p|div|tr|li|h[1-6]|table)$/.test(element)) parts.push('\n')
    if (links.length < maxLinks) links.push(...addressesIn(tag).slice(0, maxLinks - links.length))
  }
  const text = decodeEntities(parts.join(''))
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/\n[ \n]+/g, '\n')
  return { text: text.trim(), links }
}

function addressesIn(tag: string): readonly string[] {
  const found = tag.matchAll(
    /[\s"'/](?:href|src|action|background|formaction)\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'>]+)/gi,
  )
  return [...found]
    .map(([, value = '']) =>
      decodeEntities(value.replaceAll(/^["']|["']$/g, '')).replaceAll(/[\s\p{Cc}]/gu, ''),
    )
    .filter((address) => /^(https?|ftp|mailto):/i.test(address))
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}
