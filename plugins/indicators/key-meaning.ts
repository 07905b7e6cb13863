/** The meaning of a field, derived from its name. */
export interface KeyMeaning {
  /** Machine data (tokens, cookies, message ids, vocabularies): nothing is extracted from it. */
  readonly ignored: boolean
  /** An identifier: no hashes and no bare names, and users only as e-mail addresses. */
  readonly id: boolean
  /** A version or a list of products: four numbers with dots are no address. */
  readonly version: boolean
  /** Keys of names, types, paths or services: a value that looks like a bare domain is not a domain. */
  readonly label: boolean
  readonly hash: 'file' | 'other' | undefined
  /** Prose or an indicator field: a lone MD5 in it is a hash, not an id. */
  readonly prose: boolean
  readonly domain: boolean
  readonly host: 'machine' | 'either' | undefined
  readonly user: 'account' | 'address' | undefined
  /** External parties: the domain of their e-mail address is of interest. */
  readonly sender: boolean
  readonly recipient: boolean
}

/** Splits `userPrincipalName`, `user_principal_name` and `User Principal-Name` alike. */
export function keyWords(key: string): string[] {
  return key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

const oneOf = (list: string): ReadonlySet<string> => new Set(list.split(' '))

const ignoredLast = oneOf(
  'mac macaddress token nonce etag cookie cookies xmlns scope scopes password secret signature jti key keys mime',
)
const ignoredWhole =
  /^(?:internet)?messageid$|^odata|^schema$|^xmlns|schemalocation|contenttype$|mimetype$|^(?:public|private|ssh)key$|^userkey$/
const idLast = oneOf(
  'id ids uuid uuids guid guids uid sid cid aid arn rrn serial udid session trace transaction qualifier slug nameid',
)
const idCompound =
  /(?:user|agent|alert|rule|site|group|account|admin|client|event|object|organization|tenant|record|session|request|threat|device|host|process|message|correlation|activity|target|member|customer|source|row|job)(?:id|ids|uuid|guid)$/
const versionWord = oneOf('version versions ver build release firmware oid distro ua browser sdk revision')
const labelLast = oneOf(
  'name names type types service services source producer method action actions permission permissions operation category class path paths file files filename process image module rule product vendor role roles resource cluster kind topic extension extensions package schema dataset logger engine function api signer provider mask code label labels by event events mitre tactic technique field fields driver task title tags os platform',
)
const namedThing = /(?:domain|dns|query|host|server|fqdn|sni|common|computer|machine)s?names?$/
const domainLast = oneOf('domain domains fqdn sni query hostname')
/** Hashes of parts of files, behaviour or handshakes: one value covers many files. */
const fingerprint =
  /imphash|hassh|ssdeep|tlsh|authentihash|authenticodehash|telfhash|symhash|permhash|importhash|richhash|iconhash|headerhash|fuzzyhash/
const fingerprintWord = /^(?:ja3s?|ja4[a-z]{0,4}|vhash|dhash|phash|pehash|mmh3|simhash)$/
const fileHash = /md5|sha1|sha256|sha512|sha2|hash|checksum|digest|thumbprint/
const otherHash = oneOf(
  'incident event alert config configstate state token dt policy cd cdhash commit git head user session password passwd jwt key message',
)
const proseWord = oneOf(
  'description message text summary title comment comments note notes details reason indicator indicators ioc iocs observable observables body content command line cmdline subject raw query',
)
const machineName =
  /^(?:.*(?:computer|device|machine|agent|workstation|endpoint|netbios|instance)(?:name|hostname|dnsname|fqdn)|computer|computers|machine|machines|workstation|hostidentifier|devicehost|dvc|dvchost|devicehostname|privatednsname|publicdnsname)$/
const eitherName =
  /^(?:.*(?:hostname|hostnames)|host|hosts|(?:src|dst|dest|source|destination|affected|target|remote|local|victim|attacker|service|requesting|responding)hosts?|shost|dhost|(?:.*server)name|fqdn|dest|src)$/
const requestHost = /(?:request|http|http_?s?|header|url|uri|referr?er|sni)(?:host|hostname|hostheader)$/
const accountName =
  /^(?:.*(?:user|usr|login|logon|admin|samaccount)names?|.*(?:process|target|subject|user|request)accountname|.*user|users|.*userprincipalname|upn|.*principalemail|.*useremail|login|actor|mailboxaddress)$/
const addressedAccount = /(?:user|admin|account|upn|login|principal|actor)(?:id|ids|key)?$/
const senderWord = oneOf(
  'from sender senders return reply replyto returnpath mailfrom fromaddress forward forwardto forwarding',
)
const recipientWord = oneOf(
  'to cc bcc recipient recipients rcpt rcptto toaddresses toaddress mailto destination mailbox',
)

/** `imphash`, `ja3_hash`, `tls.client.ja3`, `hasshServer`: a fingerprint, not the hash of a file. */
export const isFingerprintName = (name: string): boolean => isFingerprint(keyWords(name))

const isFingerprint = (words: readonly string[]): boolean =>
  fingerprint.test(words.join('')) ||
  words.some((word) => fingerprintWord.test(word)) ||
  /^fingerprints?$/.test(words.at(-1) ?? '')

/** Bounded, because field names are untrusted input. */
const known = new Map<string, KeyMeaning>()
const maxKnown = 5000

export function meaningOf(key: string): KeyMeaning {
  let meaning = known.get(key)
  if (meaning === undefined) {
    meaning = readKey(keyWords(key))
    if (key.length < 100 && known.size < maxKnown) known.set(key, meaning)
  }
  return meaning
}

function readKey(words: readonly string[]): KeyMeaning {
  const last = words.at(-1) ?? ''
  const whole = words.join('')
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word))
  const agent = whole.includes('useragent')
  const id = idLast.has(last) || idCompound.test(whole)
  const named = namedThing.test(whole)
  return {
    ignored: ignoredWhole.test(whole) || (ignoredLast.has(last) && !whole.endsWith('registrykey')),
    id,
    version: agent || has(versionWord) || whole.endsWith('version'),
    label: agent || id || (!named && (labelLast.has(last) || /(?:name|names|type|path)$/.test(last))),
    hash: hashMeaning(words),
    prose: proseWord.has(last) || /(?:description|message|commandline|summary)$/.test(last),
    domain: (domainLast.has(last) || named || requestHost.test(whole)) && !machineName.test(whole),
    host: requestHost.test(whole)
      ? undefined
      : machineName.test(whole)
        ? 'machine'
        : eitherName.test(whole)
          ? 'either'
          : undefined,
    user: accountName.test(whole) ? 'account' : addressedAccount.test(whole) ? 'address' : undefined,
    sender: has(senderWord),
    recipient: has(recipientWord),
  }
}

function hashMeaning(words: readonly string[]): KeyMeaning['hash'] {
  if (isFingerprint(words) || words.at(-1) === 'sha') return 'other'
  if (!fileHash.test(words.join(''))) return undefined
  return words.some((word) => otherHash.has(word)) ? 'other' : 'file'
}
