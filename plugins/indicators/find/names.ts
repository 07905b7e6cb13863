import { parseDomain } from './domain-names.ts'
import { parseEmail } from './emails.ts'
import { parseIp } from './ip-addresses.ts'

/** Placeholders that systems write for a missing value. */
const placeholders = new Set(
  'unknown unassigned undefined null none nil n/a na anonymous string true false yes no nobody not_available notavailable localhost - -- --- all any user username host hostname computer device default other'.split(
    ' ',
  ),
)
const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i
const sid = /^S-1-\d/i

/** `ACME/HR.Lee`; short domain names are upper case, unlike paths and service names (`HTTP/web01`). */
const qualifiedAccount =
  /^(?!(?:HOST|HTTP|HTTPS|CIFS|LDAP|DNS|RPC|RPCSS|WSMAN|TERMSRV|MSSQLSVC|SMTP|IMAP|POP|FTP|NFS|GC|TCP|UDP|N|NA|HKLM|HKCU)\/)[A-Z][A-Z0-9_-]{1,14}\/[\p{L}\p{N}_][\p{L}\p{M}\p{N}._@+-]{0,100}$/u

/**
 * An account name as written, an e-mail address in lower case; `undefined` for ids, placeholders and prose.
 */
export function parseUser(text: string): string | undefined {
  const name = text.trim()
  if (name.length < 2 || name.length > 128 || isNoName(name)) return undefined
  const email = parseEmail(name)
  if (email !== undefined) return email.value
  // A machine account, `HW-13$`, is listed as that machine.
  if (name.endsWith('$')) return undefined
  if (name.includes('/')) return qualifiedAccount.test(name) ? name : undefined
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._@+-]*(?:\\[\p{L}\p{M}\p{N}._@+ -]+)?$/u.test(name) &&
    /\p{L}/u.test(name)
    ? name
    : undefined
}

/** A machine's name, lower case. */
export function parseHost(text: string): string | undefined {
  const name = text.trim().toLowerCase()
  if (name.length < 2 || name.length > 253 || isNoName(name) || parseIp(name) !== undefined) return undefined
  const isName = /^[a-z0-9](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/.test(name)
  return isName && /[a-z]/.test(name) ? name : undefined
}

/** The machine whose account this is. */
export function hostOfMachineAccount(text: string): string | undefined {
  const account = /^(?:[\w.-]{1,64}\\)?([\w-]{1,63})\$$/.exec(text.trim())
  return account?.[1] === undefined ? undefined : parseHost(account[1])
}

const isNoName = (name: string): boolean =>
  placeholders.has(name.toLowerCase()) || uuid.test(name) || sid.test(name)

/** A name with a public suffix under a key that denotes a domain; `undefined` otherwise. */
export const parseNamedDomain = (text: string): string | undefined =>
  parseDomain(text.trim().replace(/:\d{1,5}$/, ''))

/**
 * Resource names carry the acting account and ids that look like hashes; product names (CPE) carry versions.
 */
const arn = /(?<![\w-])(?:arn|rrn|cpe):[a-z0-9/.-]{1,20}:[^\s"'<>,;]+/gi
const arnOfUser = /^arn:[a-z-]+:(?:iam|sts)::\d*:(?:user|assumed-role)\/(?:[^\s/]+\/)*([\w+=,.@-]+)$/i

/** Extracts resource names from `text` and returns the users and role sessions in them. */
export function takeResourceNames(text: string): {
  readonly users: readonly string[]
  readonly rest: string
} {
  if (!/(?:rn|cpe):/i.test(text)) return { users: [], rest: text }
  const users: string[] = []
  const rest = text.replace(arn, (name) => {
    const user = arnOfUser.exec(name.slice(0, 512).replace(/[.:)\]]+$/, ''))?.[1]
    // Session names of a machine's role are the machine's id.
    const isMachine = user !== undefined && /^i-[0-9a-f]{8,17}$/.test(user)
    const parsed = user === undefined || isMachine ? undefined : parseUser(user)
    if (parsed !== undefined) users.push(parsed)
    return ' '
  })
  return { users, rest }
}
