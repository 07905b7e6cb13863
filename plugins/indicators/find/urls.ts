import { isCloudApi, parseDomain } from './domain-names.ts'
import { parseIp, type IpAddress } from './ip-addresses.ts'

export interface FoundUrl {
  /**
   * Normalised as in browsers; absent for schemes other than http, https and ftp, which yield only their
   * host.
   */
  readonly url: string | undefined
  readonly domain: string | undefined
  readonly ip: IpAddress | undefined
}

/** Reputation services cut longer URLs, so these yield only their host. */
const maxUrlLength = 8192
const maxEmbedded = 10
const listed = new Set(['http:', 'https:', 'ftp:', 'ftps:'])
const schemes = 'https?|ftps?|sftp|ldaps?|rmi|iiop|dns|wss?|ssh|smb|tcp|udp|tls|telnet|rdp|vnc|git|socks[45]'
// Characters that cannot be in a URL in running text: quotes, markup brackets and full-width punctuation.
const urlPattern = new RegExp(
  `(?<![a-z0-9])(?:${schemes})://[^\\s"'<>\`\\\\|^{}\\u3000-\\u303F\\uFF00-\\uFF0F\\uFF1A-\\uFF20]+`,
  'gi',
)
/** `http://a,http://b` are two URLs; `http://a/?u=http://b` is one URL that contains another. */
const glued = /(?<![=/?&#%\w.-])(?=(?:https?|ftps?):\/\/)/gi
/** XML namespaces that look like URLs. */
const vocabularies = new Set([
  'www.w3.org',
  'schemas.xmlsoap.org',
  'schemas.microsoft.com',
  'schemas.openxmlformats.org',
])

/** Extracts the URLs of `text` and replaces each by a space. Linear in the length of the text. */
export function takeUrls(text: string): { readonly urls: readonly FoundUrl[]; readonly rest: string } {
  if (!text.includes('://')) return { urls: [], rest: text }
  const spaced = text.replace(glued, ' ')
  const urls: FoundUrl[] = []
  const rest: string[] = []
  let end = 0
  for (const match of spaced.matchAll(urlPattern)) {
    const written = trimUrl(match[0])
    rest.push(spaced.slice(end, match.index))
    end = match.index + written.length
    urls.push(...readUrl(written, true))
  }
  rest.push(spaced.slice(end))
  return { urls, rest: rest.join(' ') }
}

const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[' }

/** Ends a URL at the first unmatched closing bracket and drops trailing punctuation of the sentence. */
function trimUrl(url: string): string {
  const open: Record<string, number> = { '(': 0, '[': 0 }
  let end = 0
  for (; end < url.length; end++) {
    const char = url[end] ?? ''
    if (char === '(' || char === '[') open[char] = (open[char] ?? 0) + 1
    const opening = closing[char]
    if (opening === undefined) continue
    const depth = open[opening] ?? 0
    if (depth === 0) break
    open[opening] = depth - 1
  }
  while (end > 0 && '.,;:!?*_~(['.includes(url[end - 1] ?? '')) end--
  return url.slice(0, end)
}

function readUrl(written: string, followEmbedded: boolean): FoundUrl[] {
  const isLong = written.length > maxUrlLength
  const text = isLong ? (/^[^/]+\/\/[^/?#]{1,300}/.exec(written)?.[0] ?? '') : written
  const url = URL.canParse(text) ? new URL(text) : undefined
  const ip = url && parseIp(url.hostname)
  const host = url?.hostname.toLowerCase() ?? ''
  if (url === undefined || host === '' || vocabularies.has(host)) return []
  // Findings go to other systems, so passwords are removed.
  url.password = ''
  const isName = host.includes('.') || ip !== undefined
  if (!isName || isCloudApi(host)) return []
  const found: FoundUrl = {
    url: listed.has(url.protocol) && !isLong ? url.href : undefined,
    domain: ip === undefined ? parseDomain(host) : undefined,
    ip,
  }
  return followEmbedded && !isLong ? [found, ...readEmbedded(url)] : [found]
}

/** The target of a redirector or mail gateway: a parameter that is a URL, or a URL at the end of the path. */
function readEmbedded(url: URL): FoundUrl[] {
  const inQuery = [...url.searchParams.values()]
  const inPath = /(?<=\/)https?:\/\/?[^/].*$/i.exec(url.pathname)?.[0]
  return [...inQuery, inPath ?? '']
    .filter((value) => /^https?:\/\/[^\s"'<>]+$/i.test(value))
    .slice(0, maxEmbedded)
    .flatMap((value) => readUrl(value, false))
}
