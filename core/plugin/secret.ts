const hidden = new WeakMap<Secret, string>()

/**
 * A value that must not be shown. Printing, logging, interpolating or serialising it gives `[redacted]`; only
 * {@link Secret.reveal} gives the text, so that each place which does can be found by its name.
 *
 * @example
 * headers: (settings) => ({ authorization: `Bearer ${settings.api_token.reveal()}` })
 */
export class Secret {
  constructor(text: string) {
    hidden.set(this, text)
  }

  /** The text itself. Hand it to the other system only; never to a log, an error or an output. */
  reveal(): string {
    return hidden.get(this) ?? ''
  }

  toString(): string {
    return '[redacted]'
  }

  toJSON(): string {
    return '[redacted]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]'
  }
}
