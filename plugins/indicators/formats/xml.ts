import { nothingRead, type NamedValue, type FormatReading } from './reading.ts'

/** `<user>`, `</user>`, `<Data Name='User'>`; longer tags are not elements of an event. */
const tag = /<(\/?)([A-Za-z_][\w.:-]{0,63})(\s[^<>]{0,2000})?>/g
const maxOpen = 64

/** Elements of web pages and mails, whose names do not describe their text. */
const html = new Set(
  'a abbr address article aside b blockquote body br button caption center cite code dd del details div dl dt em font footer form h1 h2 h3 h4 h5 h6 head header hr html i img input ins kbd label legend li link main mark meta nav ol option p pre q s samp script section select small span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr tt u ul var'.split(
    ' ',
  ),
)

interface OpenElement {
  readonly tag: string
  readonly key: string
  readonly parentKey: string
  /** Start of its text. */
  readonly start: number
}

/**
 * Reads elements that hold only text as members of an object: `<user>ana</user>`, `<Data
 * Name="User">ana</Data>`. HTML elements and everything else stay in the rest. Works in one pass.
 */
export function readXml(text: string): FormatReading {
  if (!text.includes('</')) return nothingRead(text)
  const values: NamedValue[] = []
  const rest: string[] = []
  const open: OpenElement[] = []
  let leaf: OpenElement | undefined
  let end = 0
  for (const match of text.matchAll(tag)) {
    const [whole, slash, name = '', attributes = ''] = match
    const after = match.index + whole.length
    if (slash === '/') {
      const closed = open.pop()
      if (leaf !== undefined && leaf === closed && leaf.tag === name) {
        values.push({
          key: leaf.key,
          parentKey: leaf.parentKey,
          value: textOfElement(text.slice(leaf.start, match.index)),
        })
        rest.push(text.slice(end, leaf.start), ' ')
        end = match.index
      }
      leaf = undefined
      continue
    }
    const own = name.slice(name.lastIndexOf(':') + 1)
    const isHtml = html.has(own.toLowerCase())
    const named = isHtml ? undefined : attribute(attributes)
    if (attributes.endsWith('/')) {
      if (named !== undefined) values.push({ key: 'name', parentKey: own, value: named })
      continue
    }
    const element = { tag: name, key: named ?? own, parentKey: open.at(-1)?.key ?? '', start: after }
    if (open.length >= maxOpen) open.shift()
    open.push(element)
    leaf = isHtml ? undefined : element
  }
  rest.push(text.slice(end))
  return values.length === 0 ? nothingRead(text) : { records: [values], rest: rest.join('') }
}

/** `Name` in `<Data Name="User">`, if short enough to be a name. */
const attribute = (attributes: string): string | undefined =>
  /\s(?:name|key)\s?=\s?(?:"([^"]{1,64})"|'([^']{1,64})')/i.exec(attributes)?.slice(1).find(Boolean)

function textOfElement(text: string): string {
  const trimmed = text.trim()
  const isLiteral = trimmed.startsWith('<![CDATA[') && trimmed.endsWith(']]>')
  return isLiteral ? trimmed.slice(9, -3) : decodeEntities(text)
}

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** Decodes the entities of XML and character references. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(String(name).toLowerCase()) ?? whole
    const code = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}
