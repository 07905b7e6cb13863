import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import type { Value } from '../../values/values.ts'
import { method, stringArgument, type ExpressionFunction } from '../function.ts'

const hiddenElements = /^(?:script|style|head|title|noscript|template)$/
const lineElements = /^(?:br|p|div|tr|li|ul|ol|h[1-6]|table|blockquote|section|article)$/

/** Other names are rare; a numeric reference can write every character. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    euro: '€',
    pound: '£',
    yen: '¥',
    cent: '¢',
    sect: '§',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    times: '×',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
    ccedil: 'ç',
    ntilde: 'ñ',
  }),
)

/** Replaces character references; unknown ones stay unchanged. */
function decode(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return named.get(String(name)) ?? whole
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
      const isCharacter = code > 0 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : whole
    },
  )
}

const tagStart = /^<(?:!--|(\/?)([a-zA-Z][a-zA-Z\d]{0,20})|[!?/])/

/** The text of HTML without tags, comments, scripts and styles. It is never rendered, and takes linear time. */
function strip(html: string): string {
  const parts: string[] = []
  for (let at = 0; at < html.length;) {
    const start = html.indexOf('<', at)
    parts.push(html.slice(at, start < 0 ? html.length : start))
    if (start < 0) break
    const tag = tagStart.exec(html.slice(start, start + 24))
    const element = tag?.[2]?.toLowerCase() ?? ''
    if (tag) at = endOfTag(html, start, tag[0], tag[1] === '' && hiddenElements.test(element) ? element : '')
    else {
      parts.push('<')
      at = start + 1
    }
    if (lineElements.test(element)) parts.push('\n')
  }
  return parts.join('')
}

/** The position after a tag or a comment, or after the content of a hidden element. */
function endOfTag(html: string, start: number, tag: string, hidden: string): number {
  const close = tag === '<!--' ? '-->' : '>'
  const end = html.indexOf(close, start + tag.length)
  if (end < 0) return html.length
  if (hidden === '') return end + close.length
  const closing = new RegExp(`</${hidden}`, 'gi')
  closing.lastIndex = end
  const found = closing.exec(html)
  if (!found) return html.length
  const last = html.indexOf('>', closing.lastIndex)
  return last < 0 ? html.length : last + 1
}

/** Pays for reading and writing the text. */
function pay(text: string, meter: Meter, span: Span): void {
  meter.rewrite(text.length, span)
  meter.allocateText(text.length * 2, span)
}

function stripHtml(meter: Meter, span: Span, target: Value): Value {
  const source = stringArgument(target, span)
  pay(source, meter, span)
  meter.search(source.length, span)
  const text = decode(strip(source)).replaceAll(/[ \t\r\u00a0]+/g, ' ')
  return text.replaceAll(/ ?\n[ \n]*/g, '\n').trim()
}

function unescapeHtml(meter: Meter, span: Span, target: Value): Value {
  const source = stringArgument(target, span)
  pay(source, meter, span)
  return decode(source)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(meter: Meter, span: Span, target: Value): Value {
  const source = stringArgument(target, span)
  pay(source, meter, span)
  // One character becomes up to six.
  meter.allocate(source.length * 8, span)
  return source.replaceAll(/[&<>"']/g, (sign) => escapes[sign]!)
}

export const htmlFunctions: readonly ExpressionFunction[] = [
  method('stripHtml', ['string -> string'], stripHtml, { price: 4 }),
  method('unescapeHtml', ['string -> string'], unescapeHtml, { price: 2 }),
  method('escapeHtml', ['string -> string'], escapeHtml, { price: 2 }),
]
