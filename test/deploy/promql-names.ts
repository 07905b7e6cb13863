/** A selector of an expression: a metric with the label matchers behind it. */
export interface Selector {
  readonly metric: string
  readonly matchers: readonly Matcher[]
}

interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

export interface PromqlNames {
  readonly selectors: readonly Selector[]
  /** Labels by which series are grouped or matched. */
  readonly labels: readonly string[]
}

// prettier-ignore
const words = new Set([
  'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'and', 'or', 'unless', 'offset', 'bool',
])
const grouping = /\b(by|without|on|ignoring|group_left|group_right) *\(([^)]*)\)/g
/** Ranges, offsets and numbers outside quotes. */
const notNames = /\[[^\]]*\]|\boffset +\w+|\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b(?=[^"]*(?:"[^"]*"[^"]*)*$)/g
const matcher = /^ *([a-zA-Z_]\w*) *(=~|!~|!=|=) *"([^"]*)" *$/

/**
 * The metrics and labels that a PromQL expression names. It knows what our rules and dashboards use; promtool checks the syntax.
 *
 * @throws Error for label matchers that it cannot read
 */
export function namesOf(expression: string): PromqlNames {
  const labels = [...expression.matchAll(grouping)].flatMap(([, , list = '']) =>
    list.split(',').map((label) => label.trim()),
  )
  const rest = expression.replace(grouping, ' ').replace(notNames, ' ')
  const selectors = [...rest.matchAll(/([a-zA-Z_:][\w:]*)(?: *\{([^}]*)\})?( *\()?/g)]
    .filter(([, name = '', , call]) => call === undefined && !words.has(name))
    .map(([, metric = '', inside = '']) => ({ metric, matchers: matchersOf(inside) }))
  return { selectors, labels }
}

function matchersOf(inside: string): readonly Matcher[] {
  return inside
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, label, operator, value] = matcher.exec(part) ?? []
      if (label === undefined || operator === undefined || value === undefined)
        throw new Error(`unreadable label matcher: ${part}`)
      return { label, operator, value }
    })
}
