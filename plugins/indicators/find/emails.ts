import { parseDomain } from './domain-names.ts'

export interface FoundEmail {
  /** Lower case. */
  readonly value: string
  /** Its domain, if public. */
  readonly domain: string
}

/** SSH algorithm names look like addresses: `zlib@openssh.com`. */
const algorithmAuthorities = new Set(['openssh.com', 'libssh.org', 'lysator.liu.se'])

/** Extracts the e-mail addresses of `text` and replaces each by a space. */
export function takeEmails(text: string): { readonly emails: readonly FoundEmail[]; readonly rest: string } {
  if (!text.includes('@')) return { emails: [], rest: text }
  const emails: FoundEmail[] = []
  const rest = text.replace(/[\p{L}\p{M}\p{N}._%+@-]+/gu, (word) => {
    const email = word.includes('@') ? parseEmail(word) : undefined
    if (email === undefined) return word
    emails.push(email)
    return ' '
  })
  return { emails, rest }
}

/** Reads the whole of `text` as one address with a domain under a public suffix. */
export function parseEmail(text: string): FoundEmail | undefined {
  if (text.length > 320) return undefined
  const word = text.replace(/^[.-]+|[.-]+$/g, '')
  const at = word.indexOf('@')
  const local = word.slice(0, at)
  if (at < 1 || local.length > 64 || word.includes('@', at + 1) || local.endsWith('.')) return undefined
  const domain = parseDomain(word.slice(at + 1))
  if (domain !== undefined && algorithmAuthorities.has(domain)) return undefined
  return domain === undefined || !/[\p{L}\p{N}]/u.test(local)
    ? undefined
    : { value: `${local.toLowerCase()}@${domain}`, domain }
}
