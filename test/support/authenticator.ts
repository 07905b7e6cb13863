import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

interface Options {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id?: string }
  readonly user?: { readonly id: string }
}

/** What a test changes about an answer. */
interface Change {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly isVerified?: boolean
  readonly userHandle?: string
  /** Counter of the answer. Default: one more than the last. */
  readonly counter?: number
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

/** CBOR (RFC 8949) of a head, byte strings, texts and small integers. */
function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n])
  return n < 256
    ? Buffer.from([(major << 5) | 24, n])
    : Buffer.from([(major << 5) | 25, Math.floor(n / 256), n % 256])
}
const integer = (n: number): Buffer => (n < 0 ? head(1, -1 - n) : head(0, n))
const bytesOf = (bytes: Uint8Array): Buffer => Buffer.concat([head(2, bytes.length), bytes])
const textOf = (text: string): Buffer => Buffer.concat([head(3, text.length), Buffer.from(text)])
const mapOf = (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()])

/** A software authenticator with one passkey (ES256, discoverable, user verification), for one origin. */
export class TestAuthenticator {
  readonly id = randomBytes(16)
  counter = 0
  readonly #origin: string
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync(
    'ec',
    { namedCurve: 'P-256' },
  )
  #userHandle = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers `navigator.credentials.create()`. */
  create(options: Options, change: Change = {}) {
    this.#userHandle = options.user?.id ?? ''
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const publicKey = mapOf(
      [integer(1), integer(2)],
      [integer(3), integer(-7)],
      [integer(-1), integer(1)],
      [integer(-2), bytesOf(Buffer.from(x, 'base64url'))],
      [integer(-3), bytesOf(Buffer.from(y, 'base64url'))],
    )
    const credential = Buffer.concat([randomBytes(16), Buffer.from([0, this.id.length]), this.id, publicKey])
    const data = this.#data(change.rpId ?? options.rp?.id ?? '', change, credential)
    const attestationObject = mapOf(
      [textOf('fmt'), textOf('none')],
      [textOf('attStmt'), mapOf()],
      [textOf('authData'), bytesOf(data)],
    )
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options, change),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    })
  }

  /** Answers `navigator.credentials.get()`. */
  get(options: Options, change: Change = {}) {
    const clientDataJSON = this.#clientData('webauthn.get', options, change)
    const data = this.#data(change.rpId ?? options.rpId ?? '', change)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#answer({
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
      userHandle: change.userHandle ?? this.#userHandle,
    })
  }

  #answer<Response extends object>(response: Response) {
    const id = base64url(this.id)
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(type: string, options: Options, { origin, challenge }: Change): string {
    const data = { type, challenge: challenge ?? options.challenge, origin: origin ?? this.#origin }
    return base64url(JSON.stringify({ ...data, crossOrigin: false }))
  }

  /** Flags: user present, user verified, backup eligible and backed up, credential included. */
  #data(rpId: string, { isVerified = true, counter }: Change, credential?: Uint8Array): Buffer {
    this.counter = counter ?? this.counter + 1
    const flags = 0x01 | (isVerified ? 0x04 : 0) | 0x18 | (credential === undefined ? 0 : 0x40)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential ?? Buffer.alloc(0)])
  }
}
