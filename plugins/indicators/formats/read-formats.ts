import { readCsv } from './csv.ts'
import { readLeef } from './leef.ts'
import { readMail } from './mail.ts'
import type { Reading } from './reading.ts'
import { readXml } from './xml.ts'

/** Reads a text that is a mail or a table as a whole; `undefined` for any other. */
export const readWholeFormat = (text: string): Reading | undefined => readMail(text) ?? readCsv(text)

/** Reads the LEEF lines and XML elements in a text. */
export function readPartFormats(text: string): Reading {
  const leef = readLeef(text)
  const xml = readXml(leef.rest)
  return { records: [...leef.records, ...xml.records], rest: xml.rest }
}
