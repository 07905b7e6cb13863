import { isSentence, type NamedValue } from './reading.ts'

/**
 * `User: ana`, ` - host_name: "ws-7",`, `**Host:** ws-7`, and `Subject:` alone, which labels the indented
 * lines below.
 */
const keyLine =
  /^([ \t]{0,40})(?:[-*•][ \t]{1,8})?["'*_`]{0,3}([A-Za-z][\w.-]{0,40}(?: [\w.-]{1,40}){0,2})["'*_`]{0,3}[ \t]{0,8}:["'*_`]{0,3}(?:[ \t]{1,40}([^\r\n]{1,300}))?[ \t]{0,40}\r?$/
const maxMembers = 200

/** Categories and events rather than keys: `Login: failed`, `Actor: APT28`, `Users: several`. */
const noKey = /^(?:log[io]n|actor|users|hosts|src|dest)$/i
/** Attributes of a user or machine other than its name. */
const noName = new Set(
  'down up offline online failed failure success successful succeeded deleted disabled enabled blocked locked unlocked created added removed changed reset multiple several various many see below above here redacted active inactive required optional isolated quarantined compromised infected clean affected unavailable'.split(
    ' ',
  ),
)

/** Reads lines of a key, a colon and one word; adjacent lines form one record. */
export function readKeyLines(text: string): readonly (readonly NamedValue[])[] {
  if (!text.includes(': ') && !text.includes(':\t')) return []
  const records: NamedValue[][] = []
  let record: NamedValue[] = []
  let parent = { indent: -1, key: '' }
  const close = () => {
    if (record.length > 0) records.push(record)
    record = []
  }
  for (const line of text.split('\n')) {
    const match = line.length > 500 ? null : keyLine.exec(line)
    if (match === null || record.length >= maxMembers) close()
    if (match === null) continue
    const [, indent = '', key = '', value] = match
    if (indent.length <= parent.indent) parent = { indent: -1, key: '' }
    if (value === undefined) {
      close()
      parent = { indent: indent.length, key }
    } else if (!isSentence(key) && !noKey.test(key)) {
      const word = wordOf(value)
      if (word !== undefined) record.push({ key, parentKey: parent.key, value: word })
    }
  }
  close()
  return records
}

function wordOf(value: string): string | undefined {
  const word = value.trim().replace(/^["'*_`]{1,3}|["'*_`]{0,3},?$/g, '')
  return word === '' || /\s/.test(word) || noName.has(word.toLowerCase()) ? undefined : word
}
