import { matchesKeys } from './imap-search.ts'
import { commandEnd, inSet, parseCommand, type ImapWord } from './imap-syntax.ts'
import type { MailAccount, Peer } from './account.ts'
import { headerOf, type EmulatedMailbox, type StoredMessage } from './mailboxes.ts'

/** One session of the emulated IMAP server: the part of RFC 3501, 4315 and 6851 that clients of a mailbox use. */
export function serveImap(peer: Peer, account: MailAccount): void {
  const session = new ImapSession(peer, account)
  let buffer: Buffer = Buffer.alloc(0)
  let granted = 0
  peer.socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const end = commandEnd(buffer, granted)
      if (end === 'literal') {
        granted = buffer.length
        peer.write('+ go ahead\r\n')
      }
      if (typeof end === 'string') return
      const command = buffer.subarray(0, end)
      buffer = buffer.subarray(end)
      granted = 0
      session.take(command)
    }
  })
  if (peer.begins('greeting')) peer.write('* OK sandbox ready\r\n')
}

class ImapSession {
  readonly #peer: Peer
  readonly #account: MailAccount
  #mailbox: EmulatedMailbox | undefined
  #isReadOnly = false
  #isSignedIn = false
  /** A sign-in that waits for its second line. */
  #signingIn: { readonly tag: string; readonly method: string } | undefined

  constructor(peer: Peer, account: MailAccount) {
    this.#peer = peer
    this.#account = account
  }

  take(bytes: Buffer): void {
    if (this.#signingIn !== undefined) {
      const { tag, method } = this.#signingIn
      this.#signingIn = undefined
      return this.#authenticate(tag, method, bytes.toString().trim())
    }
    const [tag = '*', first = '', ...rest] = parseCommand(bytes)
    const isUid = String(first).toUpperCase() === 'UID'
    const name = String(isUid ? rest.shift() : first).toUpperCase()
    if (!this.#peer.begins(name, String(tag))) return
    try {
      this.#run(String(tag), name, rest)
    } catch (error) {
      this.#peer.write(`${String(tag)} BAD ${(error as Error).message}\r\n`)
    }
  }

  #run(tag: string, name: string, words: readonly ImapWord[]): void {
    const ok = (text = 'done'): void => this.#peer.write(`${tag} OK ${text}\r\n`)
    const no = (text: string): void => this.#peer.write(`${tag} NO ${text}\r\n`)
    const say = (text: string): void => this.#peer.write(`* ${text}\r\n`)
    const [first = ''] = words.map(String)
    if (name === 'CAPABILITY') return (say(`CAPABILITY ${this.#account.capabilities}`), ok())
    if (name === 'LOGOUT') return (say('BYE see you'), ok(), void this.#peer.socket.end())
    if (name === 'NOOP') return ok()
    if (name === 'ID') return (say('ID ("name" "sandbox")'), ok())
    if (name === 'LOGIN') return this.#signIn(tag, this.#account.accepts(first, String(words[1])))
    if (name === 'AUTHENTICATE')
      return this.#authenticate(tag, first, words[1] === undefined ? undefined : String(words[1]))
    if (!this.#isSignedIn) return no('[AUTHENTICATIONFAILED] sign in first')
    if (name === 'NAMESPACE') return (say('NAMESPACE (("" "/")) NIL NIL'), ok())
    if (name === 'LIST' || name === 'LSUB') return (this.#list(name, words.map(String), say), ok())
    if (name === 'SELECT' || name === 'EXAMINE') return this.#select(tag, first, name === 'EXAMINE', say)
    if (name === 'CLOSE' || name === 'UNSELECT') return ((this.#mailbox = undefined), ok())
    const mailbox = this.#mailbox
    if (mailbox === undefined) return no('no mailbox is selected')
    if (name === 'SEARCH') {
      const found = mailbox.messages.filter((one) => matchesKeys(one, words, mailbox.uidNext - 1))
      return (say(`SEARCH${found.map(({ uid }) => ` ${uid}`).join('')}`), ok())
    }
    const chosen = mailbox.messages.filter(({ uid }) => inSet(first, uid, mailbox.uidNext - 1))
    if (name === 'FETCH')
      return (this.#fetch(mailbox, chosen, words.slice(1).flat() as readonly string[]), ok())
    if (this.#isReadOnly) return no('[READ-ONLY] the mailbox is only read')
    if (name === 'STORE') return (store(chosen, words), ok())
    if (name === 'EXPUNGE')
      return (this.#remove(mailbox, (one) => one.flags.has('\\Deleted') && chosen.includes(one)), ok())
    if (name === 'MOVE') return this.#move(tag, mailbox, chosen, String(words[1]))
    this.#peer.write(`${tag} BAD the sandbox does not know ${name}\r\n`)
  }

  #authenticate(tag: string, method: string, initial: string | undefined): void {
    if (initial === undefined || initial === '') {
      this.#signingIn = { tag, method }
      return this.#peer.write('+ \r\n')
    }
    this.#signIn(tag, this.#account.acceptsSasl(method, initial))
  }

  #signIn(tag: string, isAccepted: boolean): void {
    this.#isSignedIn = isAccepted
    this.#peer.write(
      isAccepted
        ? `${tag} OK [CAPABILITY ${this.#account.capabilities}] welcome\r\n`
        : `${tag} NO [AUTHENTICATIONFAILED] invalid credentials\r\n`,
    )
  }

  #list(name: string, words: readonly string[], say: (text: string) => void): void {
    // An empty pattern asks for the delimiter.
    if (words[1] === '') return say(`${name} (\\Noselect) "/" ""`)
    for (const { path, specialUse } of this.#account.mailboxes.all)
      say(`${name} (${specialUse ?? '\\HasNoChildren'}) "/" "${path}"`)
  }

  #select(tag: string, path: string, isReadOnly: boolean, say: (text: string) => void): void {
    const mailbox = this.#account.mailboxes.find(path)
    if (mailbox === undefined) return this.#peer.write(`${tag} NO [NONEXISTENT] no such mailbox\r\n`)
    this.#mailbox = mailbox
    this.#isReadOnly = isReadOnly
    say('FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)')
    say(`OK [PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\*)] flags`)
    say(`${mailbox.messages.length} EXISTS`)
    say(`OK [UIDVALIDITY ${mailbox.uidValidity}] valid`)
    say(`OK [UIDNEXT ${mailbox.uidNext}] next`)
    this.#peer.write(`${tag} OK [${isReadOnly ? 'READ-ONLY' : 'READ-WRITE'}] selected\r\n`)
  }

  #fetch(mailbox: EmulatedMailbox, chosen: readonly StoredMessage[], items: readonly string[]): void {
    for (const message of chosen) {
      const parts: (string | Buffer)[] = [
        `* ${mailbox.messages.indexOf(message) + 1} FETCH (UID ${message.uid}`,
      ]
      for (const item of items) parts.push(...fetched(message, item.toUpperCase()))
      parts.push(')\r\n')
      for (const part of parts) this.#peer.write(part)
    }
  }

  #remove(mailbox: EmulatedMailbox, isRemoved: (message: StoredMessage) => boolean): void {
    for (const message of mailbox.messages.filter(isRemoved)) {
      this.#peer.write(`* ${mailbox.messages.indexOf(message) + 1} EXPUNGE\r\n`)
      mailbox.messages = mailbox.messages.filter((one) => one !== message)
    }
  }

  #move(tag: string, from: EmulatedMailbox, chosen: readonly StoredMessage[], path: string): void {
    const to = this.#account.mailboxes.find(path)
    if (to === undefined) return this.#peer.write(`${tag} NO [TRYCREATE] no such mailbox\r\n`)
    const uids = chosen.map((one) =>
      this.#account.mailboxes.add(path, one.source, one.receivedAt, [...one.flags]),
    )
    const old = chosen.map(({ uid }) => uid).join(',')
    this.#peer.write(`* OK [COPYUID ${to.uidValidity} ${old} ${uids.join(',')}] moved\r\n`)
    this.#remove(from, (one) => chosen.includes(one))
    this.#peer.write(`${tag} OK done\r\n`)
  }
}

function store(chosen: readonly StoredMessage[], [, action = '', given = []]: readonly ImapWord[]): void {
  for (const { flags } of chosen)
    for (const flag of [given].flat().map(String))
      if (String(action).startsWith('-')) flags.delete(flag)
      else flags.add(flag)
}

/** A data item, as ` NAME value`. */
function fetched({ source, flags, receivedAt }: StoredMessage, item: string): readonly (string | Buffer)[] {
  if (item === 'FLAGS') return [` FLAGS (${[...flags].join(' ')})`]
  if (item === 'RFC822.SIZE') return [` RFC822.SIZE ${source.length}`]
  if (item === 'INTERNALDATE') return [` INTERNALDATE "${imapDate(receivedAt)}"`]
  const [, section] = /^BODY(?:\.PEEK)?\[(.*?)\]/.exec(item) ?? []
  if (section === undefined) return []
  const bytes = section === '' ? source : headers(source, section)
  return [` BODY[${section}] {${bytes.length}}\r\n`, bytes]
}

function headers(source: Buffer, section: string): Buffer {
  const [, names] = /^HEADER\.FIELDS \((.*)\)$/.exec(section) ?? []
  if (names === undefined) return headerOf(source)
  const wanted = names.toLowerCase().split(' ')
  const fields = headerOf(source)
    .toString('latin1')
    .split(/\r\n(?![ \t])/)
    .filter((line) => wanted.includes(line.split(':', 1)[0]?.toLowerCase() ?? ''))
  return Buffer.from([...fields, '', ''].join('\r\n'), 'latin1')
}

function imapDate(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] =
    /^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/.exec(date.toUTCString()) ?? []
  return `${day}-${month}-${year} ${time} +0000`
}
