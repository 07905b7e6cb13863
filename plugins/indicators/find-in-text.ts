import { findDomains } from './domain-names.ts'
import { takeEmails, type FoundEmail } from './emails.ts'
import { findHashes, findVulnerabilities } from './hashes.ts'
import { findIps, type IpAddress } from './ip-addresses.ts'
import { meaningOf, type KeyMeaning } from './key-meaning.ts'
import { hostOfMachineAccount, parseHost, parseNamedDomain, parseUser, takeResourceNames } from './names.ts'
import type { Report } from './observables.ts'
import { refang } from './refang.ts'
import { takeUrls } from './urls.ts'

/** Where a text stands, as far as it says what the text is. */
export interface TextContext {
  readonly meaning: KeyMeaning
  /** The text names a user although its own key does not say so: `actor.email`, `user.name`. */
  readonly user: 'account' | 'address' | undefined
  /** Likewise for a machine: `host.name`. */
  readonly host: 'machine' | 'either' | undefined
  /** Likewise for the sender of a message: `from.address`. */
  readonly sender: boolean
  /** A link into the console of the product that sent the alert. */
  readonly consoleLink: boolean
}

/** Addresses are reported with their scope, since the options decide about private ones. */
export interface Reports {
  readonly report: Report
  readonly ip: (ip: IpAddress) => void
  /** `at` is the address in the URL. */
  readonly url: (url: string, at: IpAddress | undefined) => void
}

/** Finds every observable of one text. Linear in its length. */
export function findInText(written: string, context: TextContext, reports: Reports): void {
  const { meaning } = context
  if (meaning.ignored || written.length < 2) return
  const { report } = reports
  reportNames(written, context, report)
  const resources = takeResourceNames(refang(written))
  for (const user of resources.users) report('user', user)
  const rest = reportUrls(resources.rest, context, reports)
  const { emails, rest: text } = takeEmails(rest)
  reportEmails(emails, isProse(rest, text), context, report)
  if (!meaning.version) findIps(text).forEach(reports.ip)
  if (!meaning.label && !context.consoleLink && context.host !== 'machine') {
    for (const name of findDomains(text)) report('domain', name)
  }
  if (mayHoldHashes(meaning, text)) for (const hash of findHashes(text)) report('hash', hash)
  for (const id of findVulnerabilities(text)) report('vulnerability', id)
  if (text.includes('=')) reportAssignedNames(text, report)
}

/** Users and machines come from fields that say so, never from prose. */
function reportNames(text: string, context: TextContext, report: Report): void {
  const { meaning } = context
  if (text.length > 512) return
  if (context.user !== undefined) {
    const user = parseUser(text)
    if (user !== undefined && (context.user === 'account' || user.includes('@'))) report('user', user)
    const machine = hostOfMachineAccount(text)
    if (machine !== undefined) report('host', machine)
  }
  if (context.host !== undefined) {
    const host = parseHost(text)
    if (host !== undefined) report('host', host)
  }
  if (meaning.domain || context.host === 'either') {
    const domain = parseNamedDomain(refang(text))
    if (domain !== undefined) report('domain', domain)
  }
}

function reportUrls(text: string, context: TextContext, reports: Reports): string {
  const { urls, rest } = takeUrls(text)
  if (context.consoleLink) return rest
  for (const { url, domain, ip } of urls) {
    if (url !== undefined) reports.url(url, ip)
    if (domain !== undefined) reports.report('domain', domain)
    if (ip !== undefined) reports.ip(ip)
  }
  return rest
}

/** The domain of a sender says something; that of a user or recipient is mostly one's own. */
function reportEmails(
  emails: readonly FoundEmail[],
  inProse: boolean,
  context: TextContext,
  report: Report,
): void {
  const outside = context.sender || (inProse && !context.meaning.recipient && context.user === undefined)
  for (const { value, domain } of emails) {
    report('email', value)
    if (outside) report('domain', domain)
  }
}

/** Words stand around the addresses, apart from them: not just a list, or an address with a prefix. */
const isProse = (text: string, withoutEmails: string): boolean =>
  /\s/.test(text.trim()) && /\p{L}{2}/u.test(withoutEmails)

function mayHoldHashes(meaning: KeyMeaning, text: string): boolean {
  if (meaning.hash !== undefined) return meaning.hash === 'file' && !meaning.id
  if (meaning.id) return false
  // Alone under a key that does not speak of hashes, 32 digits are rather an id.
  return meaning.prose || /\s/.test(text.trim()) || !/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.test(text)
}

/** `suser=ana shost=ws-7`: a log line has keys too. */
function reportAssignedNames(text: string, report: Report): void {
  const assignment = /(?<![\w.-])([A-Za-z][\w.]{1,40})=(?:"([^"\n]{1,128})"|([^\s,;|"&]{1,128}))/g
  for (const [, key = '', quoted, bare = ''] of text.matchAll(assignment)) {
    const { user, host, id } = meaningOf(key)
    const value = quoted ?? bare
    const name = user === 'account' && !id ? parseUser(value) : undefined
    if (name !== undefined) report('user', name)
    const machine = host === undefined || key === 'src' || key === 'dest' ? undefined : parseHost(value)
    if (machine !== undefined) report('host', machine)
  }
}
