import { findDomains } from './domain-names.ts'
import { takeEmails, type FoundEmail } from './emails.ts'
import type { TextContext } from '../field-context.ts'
import { reportAssignedNames, reportKeyLines, reportNames } from './find-names.ts'
import { findHashes, findVulnerabilities } from './hashes.ts'
import { findIps, type IpAddress } from './ip-addresses.ts'
import type { KeyMeaning } from '../key-meaning.ts'
import { takeResourceNames } from './names.ts'
import type { Report } from '../observables.ts'
import { refang } from './refang.ts'
import { takeUrls } from './urls.ts'

/**
 * Called for each indicator found. An IP address includes its scope, because private addresses are
 * reported only on request.
 */
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
    for (const name of findDomains(text)) if (!isOwnRelay(name, context)) report('domain', name)
  }
  if (mayHoldHashes(meaning, text)) for (const hash of findHashes(text)) report('hash', hash)
  for (const id of findVulnerabilities(text)) report('vulnerability', id)
  if (text.includes('=')) reportAssignedNames(text, report)
  reportKeyLines(text, report)
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

/** A sender's domain is of interest; those of users and recipients are mostly internal. */
function reportEmails(
  emails: readonly FoundEmail[],
  inProse: boolean,
  context: TextContext,
  report: Report,
): void {
  const outside = context.sender || (inProse && !context.meaning.recipient && context.user === undefined)
  for (const { value, domain } of emails) {
    report('email', value)
    if (outside && (context.sender || context.recipientDomains?.has(domain) !== true))
      report('domain', domain)
  }
}

/** There is prose around the addresses, so the text is more than a list or a labelled address. */
const isProse = (text: string, withoutEmails: string): boolean =>
  /\s/.test(text.trim()) && /\p{L}{2}/u.test(withoutEmails)

function mayHoldHashes(meaning: KeyMeaning, text: string): boolean {
  if (meaning.hash !== undefined) return meaning.hash === 'file' && !meaning.id
  if (meaning.id) return false
  // 32 digits alone under a key that does not mention hashes are more likely an id.
  return meaning.prose || /\s/.test(text.trim()) || !/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.test(text)
}

/** Headers of every mail name the recipient's own mail servers. */
const isOwnRelay = (name: string, { mailHeader, recipientDomains = new Set() }: TextContext): boolean =>
  mailHeader &&
  recipientDomains.size > 0 &&
  name.split('.').some((_, index, labels) => recipientDomains.has(labels.slice(index).join('.')))
