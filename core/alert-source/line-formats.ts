/** `CEF:0|vendor|product|version|id|name|severity|extension`. */
const cef =
  /CEF:\s*\d+\|((?:\\.|[^|\\])*)\|((?:\\.|[^|\\])*)\|(?:\\.|[^|\\])*\|((?:\\.|[^|\\])*)\|((?:\\.|[^|\\])*)\|([^|]{1,20})\|/y
/** `LEEF:1.0|vendor|product|version|event id|attributes`. */
const leef = /LEEF:\s*[\d.]+\|([^|]*)\|([^|]*)\|[^|]*\|([^|]*)\|/y
/** `src=198.51.100.23` in the extension. */
const pair = /(?:^|[\s^])(src|dst|suser|duser|usrName|shost|dhost|fileHash|request|rt|sev)=([^\s^]+)/g

/** Characters that are read. */
const maxLine = 16_384

/** The header and the common fields of a CEF or LEEF line, also behind a prefix of syslog; undefined for other texts. */
export function readLine(text: string): Readonly<Record<string, string>> | undefined {
  const line = text.slice(0, maxLine)
  const inCef = readHeader(cef, 'CEF:', line)
  if (inCef !== undefined) {
    const [vendor, product, id, name, severity] = inCef.columns
    return { format: 'cef', ...clean({ vendor, product, id, name, severity }), ...pairsIn(inCef.rest) }
  }
  const inLeef = readHeader(leef, 'LEEF:', line)
  if (inLeef === undefined) return undefined
  const [vendor, product, id] = inLeef.columns
  return { format: 'leef', ...clean({ vendor, product, id }), ...pairsIn(inLeef.rest) }
}

/** Only the first mark counts: a hostile line has thousands. */
function readHeader(header: RegExp, mark: string, line: string) {
  const start = line.indexOf(mark)
  if (start === -1) return undefined
  header.lastIndex = start
  const found = header.exec(line) ?? undefined
  return found && { columns: found.slice(1), rest: line.slice(start + found[0].length) }
}

function clean(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, value.replaceAll(/\\([\\|])/g, '$1')]))
}

const pairsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(pair)].map(([, name = '', value = '']) => [name, value]))
