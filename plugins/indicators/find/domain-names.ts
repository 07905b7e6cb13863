import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Reads the whole of `text` as a DNS name under a public suffix (ICANN's part of the list; also `.onion`, and
 * `.example` for documentation). Lower case, internationalised names in punycode; `undefined` if it is no
 * such name.
 */
export function parseDomain(text: string): string | undefined {
  if (text.length > 253 || !text.includes('.')) return undefined
  const name = toAscii(text.endsWith('.') ? text.slice(0, -1) : text)
  if (name.length > 253 || !name.split('.').every((part) => label.test(part))) return undefined
  const { domain, isIcann, publicSuffix } = parse(name, {
    extractHostname: false,
    validateHostname: false,
    detectIp: false,
  })
  if (domain === null || domain.includes('_')) return undefined
  return isIcann === true || publicSuffix === 'example' ? name : undefined
}

/** `domainToASCII` rejects ASCII names with `_`, so these skip it. */
const toAscii = (text: string): string =>
  /^[\w.-]+$/.test(text) ? text.toLowerCase() : domainToASCII(text.toLowerCase())

/** Suffixes that are more often file extensions: a bare name of two labels with one of them is a file. */
const fileSuffixes = new Set(['zip', 'mov', 'sh', 'py', 'rs', 'md', 'ps', 'so', 'cab', 'pm', 'bz'])
/** Extensions before the last one: `invoice.pdf.zip`, `libcrypto.1.so`. */
const fileInfix = /\.(?:pdf|docx?|xlsx?|pptx?|tar|min|exe|html?|txt|jpe?g|png|\d+)\.[a-z]+$/
/** Field names in log lines (`host.name`, `user.id`) whose last part is also a top-level domain. */
const fieldName =
  /^(?:[a-z_]+\.)*(?:user|host|process|event|file|client|server|source|destination|browser|os|app|device|agent|rule|alert|account|service|object|target|actor|parent|request|response|http|dns|url|network|data|threat)\.(?:name|id|email|group|host|link|page|date|network|domains|as|hash|ip|app|mobile|security|cloud)$/
/** Brands that look like domain names when capitalized. */
const brands = new Set(['ASP.NET', 'ADO.NET', 'VB.NET'])
/** One label in front of a cloud API's domain is the name of a service, unless it hosts customer content. */
const cloudApi = /^(?!storage\.|firebasestorage\.|s3[.-])[a-z0-9-]+\.(?:googleapis|amazonaws)\.com$/

/** A cloud provider's API, which audit logs use to name services; not an indicator. */
export const isCloudApi = (name: string): boolean => cloudApi.test(name)

const scriptWithoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u

/** Bare names in running text; not files, paths, fields, method names or cloud services. */
export function findDomains(text: string): string[] {
  const found: string[] = []
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}_.-]+/gu)) {
    const { index } = match
    const word = match[0]
    if (word.length > 300 || !word.includes('.')) continue
    const before = text.slice(Math.max(0, index - 3), index)
    const after = text.slice(index + word.length, index + word.length + 20)
    // `a@b`, `$x.name`, `{{ user.id }}`, `f.call(x)`, `key.name=`: not machine names.
    if (/[@$%]$|\{\{ ?$|\$\{$/.test(before) || /^[=@]/.test(after) || isInPath(before)) continue
    if (after.startsWith('(') && isCall(word, after.slice(1))) continue
    for (const part of scriptWithoutSpaces.test(word) && /[a-z]/i.test(word) ? splitScripts(word) : [word]) {
      const name = readBareName(part.replace(/^[.-]+|[.-]+$/g, ''))
      if (name !== undefined) found.push(name)
    }
  }
  return found
}

/** Top-level domains that are also method names: `button.click(`, `list.map(`. */
const methods = new Set(
  'add as at bar be box by call cat center channel click data date day do docs dot download email events fail files fit fly foo format free global group here host id in int is it like link map me menu my name network new news next no now open page parts ping place play plus post properties read run safe save search select shell show space stop store stream style support talk team to total try type version video vote watch win work zip zone'.split(
    ' ',
  ),
)
const logger = /(?:^|[._])(?:log|logger|logging|console)\.info$/i

/** `os.system(x)` is code, `evil.example(203.0.113.7)` and `evil.example(恶意)` are not. */
function isCall(word: string, inside: string): boolean {
  if (inside.startsWith(')')) return true
  if (/^\s?(?:\[?(?:\d{1,3}\.){3}\d|\[?[0-9a-f]{1,4}:[0-9a-f:]|IPs?\b|https?:|hxxp|\P{ASCII})/iu.test(inside))
    return false
  return methods.has(word.slice(word.lastIndexOf('.') + 1).toLowerCase()) || logger.test(word)
}

/** Inside a path, but not at the start of `//host/share` or `\\host\share`. */
const isInPath = (before: string): boolean =>
  /[/\\]$/.test(before) && !/^(?:|.*[\s"'(=:])(?:\/\/|\\\\)$/s.test(before)

/** In text without spaces: the whole run is a name (`例え.jp`), or its ASCII part is. */
function splitScripts(word: string): string[] {
  if (parseDomain(word) !== undefined && !/[a-z0-9]\P{ASCII}|\P{ASCII}[a-z0-9]/iu.test(word)) return [word]
  return word.match(/[a-z0-9_.-]+/gi) ?? []
}

function readBareName(word: string): string | undefined {
  const lastDot = word.lastIndexOf('.')
  const suffix = word.slice(lastDot + 1)
  if (lastDot < 1 || /\d/.test(suffix.replace(/^xn--.*/i, '')) || brands.has(word)) return undefined
  // `Exploit.PDF-JS.MF`, `Socket.IO`, `end.The`: an upper-case suffix needs an upper-case name.
  if (suffix !== suffix.toLowerCase() && word !== word.toUpperCase()) return undefined
  const name = parseDomain(word)
  if (name === undefined || isCloudApi(name) || fieldName.test(name)) return undefined
  return isFile(word, name) ? undefined : name
}

function isFile(word: string, name: string): boolean {
  const suffix = name.slice(name.lastIndexOf('.') + 1)
  // Mac applications: `Terminal.app`.
  if (suffix === 'app') return /[A-Z]/.test(word)
  return fileSuffixes.has(suffix) && (name.indexOf('.') === name.lastIndexOf('.') || fileInfix.test(name))
}
