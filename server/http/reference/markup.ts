import { escapeXml } from '../../../core/graph/xml.ts'

/** HTML that is made already: everything else is text. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Markup | undefined | readonly Part[]

/** A template of HTML in which what is put in is text, unless it is `Markup`; lists stand one after another, undefined is nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, at) => text + written(parts[at])).join(''))
}

function written(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  return typeof part === 'object' ? part.map(written).join('') : escapeXml(String(part))
}

/** A sentence in which `code` stands between backticks. */
export function prose(text: string): Markup {
  const parts = text.split('`')
  const isCode = (at: number): boolean => at % 2 === 1 && at < parts.length - 1
  return markup`${parts.map((part, at) => (isCode(at) ? markup`<code>${part}</code>` : part))}`
}
