import { inSet, type ImapWord } from './imap-syntax.ts'
import { headerOf, headerField, type StoredMessage } from './mailboxes.ts'

/** Whether a message meets all keys of a search. */
export function matchesKeys(message: StoredMessage, keys: readonly ImapWord[], last: number): boolean {
  const rest = [...keys]
  const next = (): string => String(rest.shift() ?? '').toLowerCase()
  const has = (text: string, part: string): boolean => text.toLowerCase().includes(part)
  const one = (): boolean => {
    const key = rest.shift()
    if (Array.isArray(key)) return matchesKeys(message, key as readonly ImapWord[], last)
    const { source, flags, receivedAt, uid } = message
    switch (String(key).toUpperCase()) {
      case 'CHARSET':
        rest.shift()
        return true
      case 'ALL':
        return true
      case 'SEEN':
        return flags.has('\\Seen')
      case 'UNSEEN':
        return !flags.has('\\Seen')
      case 'FROM':
        return has(headerField(source, 'from'), next())
      case 'TO':
        return has(headerField(source, 'to'), next())
      case 'SUBJECT':
        return has(headerField(source, 'subject'), next())
      case 'HEADER':
        return has(headerField(source, next()), next())
      case 'TEXT':
        return has(source.toString(), next())
      case 'BODY':
        return has(source.subarray(headerOf(source).length).toString(), next())
      case 'SINCE':
        return receivedAt.getTime() >= Date.parse(`${next()} UTC`)
      case 'UID':
        return inSet(next(), uid, last)
      case 'NOT':
        return !one()
      default:
        throw new Error(`the sandbox does not know the search key ${String(key)}`)
    }
  }
  let all = true
  while (rest.length > 0) all = one() && all
  return all
}
