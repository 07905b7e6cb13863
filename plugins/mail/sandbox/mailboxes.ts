/** A stored message. */
export interface StoredMessage {
  readonly uid: number
  readonly source: Buffer
  readonly receivedAt: Date
  readonly flags: Set<string>
}

/** A mailbox of the emulated account. */
export interface EmulatedMailbox {
  readonly path: string
  readonly specialUse: string | undefined
  uidValidity: number
  uidNext: number
  messages: StoredMessage[]
}

/** The account, with the messages that a test or a person wants to see. */
export class Mailboxes {
  readonly all: readonly EmulatedMailbox[]

  constructor() {
    const names: readonly (readonly [string, string | undefined])[] = [
      ['INBOX', undefined],
      ['Handled', undefined],
      ['Papierkorb', '\\Trash'],
      ['Gesendet', '\\Sent'],
      ['Spam', '\\Junk'],
    ]
    this.all = names.map(([path, specialUse], index) => ({
      path,
      specialUse,
      uidValidity: 1_767_225_600 + index,
      uidNext: 1,
      messages: [],
    }))
  }

  find(path: string): EmulatedMailbox | undefined {
    return this.all.find((one) => one.path === path || (/^inbox$/i.test(path) && one.path === 'INBOX'))
  }

  /** @returns the UID */
  add(path: string, source: string | Buffer, receivedAt: Date, flags: readonly string[] = []): number {
    const mailbox = this.find(path)
    if (mailbox === undefined) throw new Error(`there is no mailbox ${path}`)
    const uid = mailbox.uidNext++
    mailbox.messages.push({ uid, source: Buffer.from(source), receivedAt, flags: new Set(flags) })
    return uid
  }
}

/** The part of a message before its first empty line, with that. */
export function headerOf(source: Buffer): Buffer {
  const end = source.indexOf('\r\n\r\n')
  return end === -1 ? source : source.subarray(0, end + 4)
}

/** Value of the first header of this name, unfolded; empty if there is none. */
export function headerField(source: Buffer, name: string): string {
  const lines = headerOf(source)
    .toString('latin1')
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n')
  const prefix = `${name.toLowerCase()}:`
  return (
    lines
      .find((line) => line.toLowerCase().startsWith(prefix))
      ?.slice(prefix.length)
      .trim() ?? ''
  )
}
