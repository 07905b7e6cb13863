/** The request of a curl command in the documentation. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/**
 * Parses the curl commands of a shell block, so that they can be tested without curl. Throws for unsupported
 * options.
 */
export function readCurl(
  script: string,
  variables: Readonly<Record<string, string>>,
): readonly CurlRequest[] {
  const lines = script.replaceAll('\\\n', ' ').split('\n')
  return lines
    .filter((line) => line.startsWith('curl '))
    .map((line) => toRequest(splitWords(line, variables).slice(1)))
}

function toRequest(words: readonly string[]): CurlRequest {
  const rest = [...words]
  const headers: Record<string, string> = {}
  let method: string | undefined
  let url = ''
  let body: string | undefined
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-s' || word === '-sN') continue
    else if (word === '-X') method = rest.shift()
    else if (word === '-d' || word === '--data-binary') body = rest.shift()
    else if (word === '-H') {
      const [name = '', ...value] = (rest.shift() ?? '').split(': ')
      headers[name.toLowerCase()] = value.join(': ')
    } else if (word.startsWith('http')) url = word
    else throw new Error(`unknown in a curl example: ${word}`)
  }
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body }
}

/** Splits words like a shell: single quotes are literal, double quotes expand variables. */
function splitWords(line: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const words = line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|[^\s'"]+/g)
  return [...words].map(
    ([whole, single, double]) =>
      single ??
      (double?.replaceAll('\\"', '"') ?? whole).replaceAll(/\$(\w+)/g, (_, name: string) =>
        value(variables, name),
      ),
  )
}

function value(variables: Readonly<Record<string, string>>, name: string): string {
  const found = variables[name]
  if (found === undefined) throw new Error(`the example uses $${name}, which is not set`)
  return found
}
