/** `CEF:0|vendor|product|version|id|name|severity|extension`. */
const cef =
  /CEF:\s*\d+\|((?:\\.|[^|\\])*)\|((?:\\.|[^|\\])*)\|(?:\\.|[^|\\])*\|((?:\\.|[^|\\])*)\|((?:\\.|[^|\\])*)\|([^|]{1,20})\|/y
/** `LEEF:1.0|vendor|product|version|event id|attributes`; 2.0 names the delimiter of the attributes before them. */
const leef =
  /LEEF:\s*(?:1[\d.]*\|([^|]*)\|([^|]*)\|[^|]*\|([^|]*)\||2[\d.]*\|([^|]*)\|([^|]*)\|[^|]*\|([^|]*)\|(?:([^|]?|0?x[\da-f]{1,4})\|)?)/iy
/** The name of a field in the extension of CEF. Values may have spaces; their equals signs are escaped. */
const cefName = /(?:^|\s)([\w.[\]-]+)=/g
/** Names of the fields that are read. */
const read = /^(?:src|dst|suser|duser|usrName|shost|dhost|fileHash|rt|sev)$/

/** Maximum number of characters read. */
const maxLine = 16_384

/** The header and the common fields of a CEF or LEEF line, also behind a prefix of syslog; undefined for other texts. */
export function readLine(text: string): Readonly<Record<string, string>> | undefined {
  const line = text.slice(0, maxLine)
  const inCef = readHeader(cef, 'CEF:', line)
  if (inCef !== undefined) {
    const [vendor, product, id, name, severity] = inCef.columns
    return { format: 'cef', ...clean({ vendor, product, id, name, severity }), ...cefPairs(inCef.rest) }
  }
  const inLeef = readHeader(leef, 'LEEF:', line)
  if (inLeef === undefined) return undefined
  const [vendor, product, id, delimiter] = inLeef.columns.filter((column) => column !== undefined)
  return { format: 'leef', ...clean({ vendor, product, id }), ...leefPairs(inLeef.rest, delimiter) }
}

/** Only the first format marker is tried: a hostile line may have thousands. */
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

type Pair = readonly [name: string, value: string]

function cefPairs(text: string): Readonly<Record<string, string>> {
  const names = [...text.matchAll(cefName)]
  return firstOfEach(
    names.map((found, index): Pair => {
      const value = text.slice(found.index + found[0].length, names[index + 1]?.index)
      return [found[1]!, value.trim().replaceAll(/\\([\\=|])/g, '$1')]
    }),
  )
}

/** @param delimiter a character or its code such as `x09`; default: tab */
function leefPairs(text: string, delimiter = ''): Readonly<Record<string, string>> {
  const code = /^0?x([\da-f]+)$/i.exec(delimiter)?.[1]
  const between = code === undefined ? delimiter || '\t' : String.fromCharCode(Number.parseInt(code, 16))
  return firstOfEach(
    text.split(between).map((part): Pair => {
      const end = Math.max(part.indexOf('='), 0)
      return [part.slice(0, end).trim(), part.slice(end + 1).trim()]
    }),
  )
}

/** Later fields of the same name are likely text of an attacker. */
const firstOfEach = (pairs: readonly Pair[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.filter(([name, value]) => value !== '' && read.test(name)).toReversed())
