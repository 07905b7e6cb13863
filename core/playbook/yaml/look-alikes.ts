import { compileExpression, type Fact, type Type } from '../../expression/index.ts'
import type { Span } from '../language/source-text.ts'

interface LookAlike extends Span {
  /** The probable intention. */
  readonly meant: string
}

/** Interpolation in other languages, around a name. */
const bracketed =
  /(?<!\$)(\$\{|\$\(|%\{|#\{|\{\{)[ \t]{0,8}([A-Za-z_]\w{0,63})((?:\.|\[)[^{}()\n]{0,200}?)?[ \t]{0,8}(\}\}|\}|\))/g
const closings: Readonly<Record<string, string>> = { '${': '}', '$(': ')', '%{': '}', '#{': '}', '{{': '}}' }
/** A text that consists of a path. */
const path = /^\s*([A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}|\[\d{1,4}\]){1,20})\s*$/

/**
 * Finds parts of a text that look like intended expressions: a visible name in the brackets of another
 * language, or a whole text that is a valid path.
 */
export function findLookAlikes(
  text: string,
  names: Readonly<Record<string, Type>>,
  given: readonly Fact[],
  isWhole: boolean,
): readonly LookAlike[] {
  const found: LookAlike[] = []
  for (const match of text.matchAll(bracketed)) {
    const [whole, opening = '', name = '', rest = '', closing = ''] = match
    if (closings[opening] !== closing || !Object.hasOwn(names, name)) continue
    found.push({
      start: match.index,
      end: match.index + whole.length,
      meant: `\${{ ${name}${rest.trimEnd()} }}`,
    })
  }
  const expression = (isWhole ? path.exec(text)?.[1] : undefined) ?? ''
  if (expression === '' || !Object.hasOwn(names, /^\w+/.exec(expression)?.[0] ?? '')) return found
  const { problems } = compileExpression(expression, names, { given })
  const isReadable = problems.every(({ code }) => code === 'optional_field' || code === 'nullable')
  if (isReadable)
    found.push({
      start: text.indexOf(expression),
      end: text.trimEnd().length,
      meant: `\${{ ${expression} }}`,
    })
  return found
}
