import { escapeXml } from '../../../core/graph/xml.ts'

/** Finished HTML; everything else is escaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Markup | undefined | readonly Part[]

/** An HTML template that escapes its values, except `Markup`; lists are joined, undefined is empty. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, at) => text + written(parts[at])).join(''))
}

function written(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  return typeof part === 'object' ? part.map(written).join('') : escapeXml(String(part))
}

/** A sentence with `code` in backticks. */
export function prose(text: string): Markup {
  const parts = text.split('`')
  const isCode = (at: number): boolean => at % 2 === 1 && at < parts.length - 1
  return markup`${parts.map((part, at) => (isCode(at) ? markup`<code>${part}</code>` : part))}`
}
