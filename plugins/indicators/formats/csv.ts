import { meaningOf } from '../key-meaning.ts'
import { isSentence, type NamedValue, type FormatReading } from './reading.ts'

const delimiters = [',', ';', '\t', '|']
const maxColumns = 500

/**
 * Reads a table with a header row (RFC 4180, any of four delimiters), one record per row. Only if a header
 * names users, machines, domains or hashes: any other table can be read as plain text. `undefined` if rows
 * differ in length, since the text is then more likely prose.
 */
export function readCsv(text: string): FormatReading | undefined {
  const firstLine = /^\uFEFF?([^\r\n]{3,8000})\r?\n/.exec(text)?.[1]
  if (firstLine === undefined) return undefined
  for (const delimiter of delimiters) {
    const keys = readHeadings(firstLine, delimiter)
    const rows = keys && readRows(text, delimiter, keys.length)
    if (keys === undefined || rows === undefined || rows.length < 2) continue
    const records = rows.slice(1).map((row) => row.map((value, column) => named(keys[column], value)))
    return { records, rest: '' }
  }
  return undefined
}

const named = (key: string | undefined, value: string): NamedValue => ({
  key: key ?? '',
  parentKey: '',
  value,
})

function readHeadings(line: string, delimiter: string): readonly string[] | undefined {
  const cells = line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  // Two words and a comma are more often prose than a table.
  const least = line.includes(', ') ? 3 : 2
  if (cells.length < least || cells.length > maxColumns || !cells.every(isHeading)) return undefined
  return cells.some(isTelling) ? cells : undefined
}

const isHeading = (cell: string): boolean =>
  /^[@_]{0,2}[A-Za-z][\w./()@-]{0,60}(?: [\w./()@-]{1,30}){0,3}$/.test(cell) &&
  !cell.endsWith('.') &&
  !isSentence(cell)

function isTelling(heading: string): boolean {
  const { user, host, domain, hash } = meaningOf(heading)
  return user !== undefined || host !== undefined || domain || hash !== undefined
}

const cellPattern = (delimiter: string) => {
  const d = delimiter === '|' ? '\\|' : delimiter
  return new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${d}\r\n][^${d}\r\n]*)?)(${d}|\r?\n|$)`, 'y')
}

/** All rows; undefined unless every row has `columns` cells. Trailing blank lines are dropped. */
function readRows(text: string, delimiter: string, columns: number): readonly string[][] | undefined {
  const pattern = cellPattern(delimiter)
  const rows: string[][] = []
  const end = text.trimEnd().length
  const start = text.startsWith('\uFEFF') ? 1 : 0
  let row: string[] = []
  for (let at = start; at < end; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return undefined
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (row.length > columns) return undefined
    if (match[3] === delimiter && pattern.lastIndex < end) continue
    if (match[3] === delimiter) row.push('')
    if (row.length !== columns) return undefined
    rows.push(row)
    row = []
  }
  return rows
}
