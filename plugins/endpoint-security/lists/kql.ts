/** What a parameter of a query may be. */
export type KqlValue = string | number | boolean | readonly (string | number | boolean)[]

/**
 * The query with its parameters in front, as `let` statements. A parameter is a literal whatever it holds, so text from an
 * alert cannot become part of the query.
 *
 * @example withParameters('DeviceInfo | where DeviceName == name', { name: 'a"b' }) // let name = "a\"b";\nDeviceInfo …
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

/** Inside `dynamic(…)` stands JSON. */
const jsonLiteral = (value: string | number | boolean): string =>
  typeof value === 'string' ? quoted(value) : String(value)

/** Everything that could end the text or the line, and what cannot be seen. */
const unsafe = /["\\\p{C}\p{Zl}\p{Zp}]/gu

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** Between double quotes, escaped as KQL and JSON both read it. */
function quoted(text: string): string {
  return `"${text.toWellFormed().replace(unsafe, (char) => short[char] ?? unicodeEscape(char))}"`
}

/** By UTF-16 unit, of which some characters have two. */
const unicodeEscape = (char: string): string =>
  Array.from({ length: char.length }, (_, index) => {
    return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
