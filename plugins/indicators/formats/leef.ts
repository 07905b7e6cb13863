import { nothingRead, type NamedValue, type FormatReading } from './reading.ts'

const header1 = /LEEF:1\.0(?:\|[^|\n]{0,200}){4}\|/
const header2 = /LEEF:2\.0(?:\|[^|\n]{0,200}){4}\|([^|\n]{0,6})\|/

/**
 * Reads the attributes of LEEF lines (1.0: separated by tabs; 2.0: by the header's delimiter); keeps other
 * lines as text.
 */
export function readLeef(text: string): FormatReading {
  if (!text.includes('LEEF:')) return nothingRead(text)
  const records: NamedValue[][] = []
  const rest: string[] = []
  for (const line of text.split('\n')) {
    const header = header1.exec(line) ?? header2.exec(line)
    const start = header === null ? 0 : header.index + header[0].length
    const attributes = header === null ? '' : line.slice(start)
    const delimiter = delimiterOf(header?.[1] ?? '', attributes)
    if (header === null || !attributes.includes(delimiter)) {
      rest.push(line)
      continue
    }
    rest.push(line.slice(0, start))
    records.push(attributes.split(delimiter).flatMap(readAttribute))
  }
  return { records, rest: rest.join('\n') }
}

/** A character or its code (`x5E`, `0x09`); a tab by default, also when a log wrote it as `\t`. */
function delimiterOf(written: string, attributes: string): string {
  const code = /^0?x([0-9a-f]{1,4})$/i.exec(written)?.[1]
  const delimiter = code === undefined ? written || '\t' : String.fromCharCode(parseInt(code, 16))
  return delimiter === '\t' && !attributes.includes('\t') ? '\\t' : delimiter
}

function readAttribute(attribute: string): NamedValue[] {
  const equals = attribute.indexOf('=')
  const key = attribute.slice(0, Math.max(0, equals)).trim()
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(key)) {
    return attribute.trim() === '' ? [] : [{ key: 'message', parentKey: '', value: attribute }]
  }
  return [{ key, parentKey: '', value: attribute.slice(equals + 1) }]
}
