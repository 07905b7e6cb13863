/** Allowed types of a query parameter. */
export type KqlValue = string | number | boolean | readonly (string | number | boolean)[]

/**
 * Prepends the parameters to the query as `let` statements. A parameter is always a literal, so text from an
 * alert cannot become part of the query.
 *
 * @example withParameters('DeviceInfo | where DeviceName == name', { name: 'a"b' }) // let name =
 * "a\"b";\nDeviceInfo …
 */
export function withParameters(query: string, parameters: Readonly<Record<string, KqlValue>>): string {
  const lets = Object.entries(parameters).map(([name, value]) => `let ${name} = ${kqlLiteral(value)};\n`)
  return lets.join('') + query
}

/** https://learn.microsoft.com/en-us/kusto/query/scalar-data-types/: string, long, real, bool and dynamic. */
export function kqlLiteral(value: KqlValue): string {
  if (typeof value === 'object') return `dynamic([${value.map(jsonLiteral).join(', ')}])`
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return Number.isSafeInteger(value) ? `long(${value})` : `real(${value})`
}

/** `dynamic(…)` takes JSON. */
const jsonLiteral = (value: string | number | boolean): string =>
  typeof value === 'string' ? quoted(value) : String(value)

/** Characters that could end the string or the line, and invisible ones. */
const unsafe = /["\\\p{C}\p{Zl}\p{Zp}]/gu

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A double-quoted string, escaped in a way that KQL and JSON both read. */
function quoted(text: string): string {
  return `"${text.toWellFormed().replace(unsafe, (char) => short[char] ?? unicodeEscape(char))}"`
}

/** Per UTF-16 unit; some characters have two. */
const unicodeEscape = (char: string): string =>
  Array.from({ length: char.length }, (_, index) => {
    return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
