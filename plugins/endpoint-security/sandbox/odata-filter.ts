import { valueAt } from 'tocsin/plugin'

type Test = (record: unknown) => boolean
type Literal = string | number | { readonly time: number }

/** A syntax error in a `$filter`. */
export class FilterError extends Error {}

/**
 * The subset of OData that the plugin writes: `eq`, `ne`, `gt`, `ge`, `lt`, `le`, `and`, `or`, parentheses
 * and
 * `field/any(item: item eq …)`.
 *
 * @throws FilterError
 */
export function parseFilter(text: string, fields: readonly string[]): Test {
  const tokens = tokensOf(text)
  let at = 0
  const next = (): string => tokens[at++] ?? ''
  const expect = (token: string): void => {
    const found = next()
    if (found !== token) throw new FilterError(`'${token}' expected, found '${found}'`)
  }
  const either = (): Test => chain('or', both, (tests) => (record) => tests.some((test) => test(record)))
  const both = (): Test => chain('and', single, (tests) => (record) => tests.every((test) => test(record)))
  const chain = (word: string, inner: () => Test, join: (tests: readonly Test[]) => Test): Test => {
    const tests = [inner()]
    while (tokens[at] === word) {
      at++
      tests.push(inner())
    }
    return join(tests)
  }
  const single = (): Test => {
    if (tokens[at] !== '(') return comparison()
    at++
    const test = either()
    expect(')')
    return test
  }
  const comparison = (): Test => {
    const [field = '', macro] = next().split('/')
    if (!fields.includes(field)) throw new FilterError(`Could not find a property named '${field}'`)
    if (macro === undefined) return compare(field, next(), literal(next()))
    for (const token of ['(', 'item:', 'item', 'eq']) expect(token)
    const wanted = literal(next())
    expect(')')
    return (record) => {
      const list = valueAt(record, field)
      return Array.isArray(list) && list.includes(wanted)
    }
  }
  const test = either()
  if (at < tokens.length) throw new FilterError(`Syntax error at '${tokens[at]}'`)
  return test
}

function tokensOf(text: string): readonly string[] {
  const tokens = text.match(/'(?:[^']|'')*'|[()]|[^\s()']+/g) ?? []
  if (tokens.join('').replaceAll(/\s/g, '') !== text.replaceAll(/\s/g, ''))
    throw new FilterError('Syntax error')
  return tokens
}

function literal(token: string): Literal {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'")
  if (/^-?\d+(\.\d+)?$/.test(token)) return Number(token)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(token) ? Date.parse(token) : Number.NaN
  if (Number.isNaN(time)) throw new FilterError(`Unrecognized literal '${token}'`)
  return { time }
}

function compare(field: string, operator: string, wanted: Literal): Test {
  const order = orders[operator]
  if (order === undefined) throw new FilterError(`Unknown operator '${operator}'`)
  return (record) => {
    const value = valueAt(record, field)
    if (typeof wanted === 'object') {
      return typeof value === 'string' && order(Math.sign(Date.parse(value) - wanted.time))
    }
    if (typeof value !== typeof wanted) return false
    const known = value as string | number
    return order(known < wanted ? -1 : known > wanted ? 1 : 0)
  }
}

const orders: Readonly<Record<string, (sign: number) => boolean>> = {
  eq: (sign) => sign === 0,
  ne: (sign) => sign !== 0,
  gt: (sign) => sign > 0,
  ge: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  le: (sign) => sign <= 0,
}
