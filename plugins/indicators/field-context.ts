import { isFingerprintName, meaningOf, keyWords, type KeyMeaning } from './key-meaning.ts'

/** An untrusted JSON object: read with {@link own} only. */
export type Members = Readonly<Record<string, unknown>>

/** Location of a text: its key, the key of the enclosing object, and that object. */
export interface Field {
  readonly key: string
  readonly parentKey: string
  readonly members: Members | undefined
  /** Below a `_links` key or beside a `rel` key. */
  readonly inLinks: boolean
  /** In a mail: the recipients' domains. */
  readonly recipientDomains?: ReadonlySet<string> | undefined
}

/** Clues to the meaning of a text from its location. */
export interface TextContext {
  readonly meaning: KeyMeaning
  /** The text is a user name according to its parent key: `actor.email`, `user.name`. */
  readonly user: 'account' | 'address' | undefined
  /** Likewise a machine: `host.name`. */
  readonly host: 'machine' | 'either' | undefined
  /** Likewise the sender of a message: `from.address`. */
  readonly sender: boolean
  /** A link into the console of the product that sent the alert. */
  readonly consoleLink: boolean
  /** A mail header that names the relays the mail passed. */
  readonly mailHeader: boolean
  /** In a mail: the recipients' domains. */
  readonly recipientDomains: ReadonlySet<string> | undefined
}

const person =
  /(?:user|users|useraccount|actor|actors|person|principal|member|employee|by|for|admin|invitee)$/
const machine = /(?:host|machine|computer|device|endpoint|workstation)$/
const outsideParty = /^(?:from|sender|source|returnpath|replyto)$/
const accountNamed = new Set(['name', 'login', 'alternateid', 'username', 'accountname'])
const addressed = new Set(['email', 'emailaddress', 'mail', 'id', 'address'])
/** Next to one of these keys, a `name` with capitals or spaces is a display name. */
const betterThanName = ['login', 'email', 'email_address', 'username', 'userName', 'alternateId', 'upn']
/** Next to one of these keys, `accountName` is a person's account, not a cloud account. */
const besideAccountName = [
  'AccountSid',
  'accountSid',
  'AccountDomain',
  'accountDomain',
  'Account Domain',
  'AccountUpn',
  'domainName',
]

const consoleWord = new Set(
  'self portal console results tool alert incident detection case ticket investigation report falcon dashboard view permalink html api event finding issue help docs documentation'.split(
    ' ',
  ),
)
const linkWord = new Set(['link', 'links', 'url', 'href', 'uri', 'permalink'])

/** Derives the meaning of a text from its key, parent and siblings. */
export function contextOf(field: Field): TextContext {
  const { key, parentKey, members, inLinks } = field
  const meaning = isFingerprint(field) ? { ...meaningOf(key), hash: 'other' as const } : meaningOf(key)
  const words = keyWords(key)
  const whole = words.join('')
  const parent = keyWords(parentKey).join('')
  const type = textOf(members, 'type') ?? textOf(members, 'Type') ?? textOf(members, 'entityType') ?? ''
  // A role or group has a name too, but is no account.
  const isNobody = /(?:role|group|team|app\w*)$/i.test(type) && type !== 'AssumedRole'
  return {
    meaning,
    user: isNobody ? undefined : (meaning.user ?? userBySurroundings(whole, parent, type, members)),
    host:
      meaning.host ??
      (whole === 'name' && (machine.test(parent) || machine.test(type.toLowerCase()))
        ? 'machine'
        : undefined),
    sender: meaning.sender || (addressed.has(whole) && outsideParty.test(parent)),
    consoleLink:
      isConsoleLink(words, inLinks) || (whole === 'link' && textOf(members, 'value') !== undefined),
    mailHeader: parentKey === 'headers' && field.recipientDomains !== undefined,
    recipientDomains: field.recipientDomains,
  }
}

/** `{ ja3: { hash: '…' } }`, `{ algorithm: 'imphash', value: '…' }`. */
const isFingerprint = ({ key, parentKey, members }: Field): boolean =>
  /^(?:hash|hashes|value|md5|digest|fingerprint)$/i.test(key) &&
  (isFingerprintName(parentKey) ||
    ['type', 'algorithm', 'hash_type', 'hashType', 'kind'].some((name) =>
      isFingerprintName(textOf(members, name) ?? ''),
    ))

function userBySurroundings(
  whole: string,
  parent: string,
  type: string,
  members: Members | undefined,
): TextContext['user'] {
  if (whole === 'accountname' && besideAccountName.some((name) => textOf(members, name) !== undefined))
    return 'account'
  if (!person.test(parent) && !/^(?:user|account)$/i.test(type)) return undefined
  if (accountNamed.has(whole)) {
    const isDisplayName =
      whole === 'name' &&
      (/(?:by|for)$/.test(parent) || betterThanName.some((name) => textOf(members, name) !== undefined)) &&
      !/^[a-z0-9._-]+$/.test(textOf(members, 'name') ?? '')
    return isDisplayName ? 'address' : 'account'
  }
  return addressed.has(whole) ? 'address' : undefined
}

const isConsoleLink = (words: readonly string[], inLinks: boolean): boolean =>
  linkWord.has(words.at(-1) ?? '') && (inLinks || words.some((word) => consoleWord.has(word)))

/** An own member that is a string. */
export function textOf(members: Members | undefined, name: string): string | undefined {
  const value = members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined
  return typeof value === 'string' ? value : undefined
}

const nameMembers = ['name', 'Name', 'key', 'Key']
const valueMember = /^(?:value|values|valuestring|stringvalue|textvalue)$/i

/** The effective key of a member: in `{ name: 'ClientIP', value: '…' }` the value's key is `ClientIP`. */
export function keyOfMember(members: Members, key: string): string {
  if (!valueMember.test(key)) return key
  const name = nameMembers.map((member) => textOf(members, member)).find((text) => text !== undefined)
  return name !== undefined && /^[\w .-]{1,64}$/.test(name) ? name : key
}
