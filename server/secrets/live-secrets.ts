import { Redactor } from '../../core/skill/redaction/redactor.ts'
import type { SecretBox } from './secret-box.ts'

/** The secrets this process works with, so that its log shows none of them, whoever lets one in. */
export interface LiveSecrets {
  readonly add: (secret: string) => void
  /** The text without them, in every form that `Redactor` knows. */
  readonly redact: (text: string) => string
}

/** Beyond this, the one whose last use lies furthest back is let go: tokens come without end, and a log line must stay cheap. */
const maxSecrets = 1_000
/** So many at once: what is known of the others is then made anew. */
const letGo = 100

/** @param pinned are never let go */
export function createLiveSecrets(pinned: readonly string[] = []): LiveSecrets {
  const used = new Set<string>()
  let redactor: Redactor | undefined
  return {
    add(secret) {
      const isKnown = used.delete(secret)
      used.add(secret)
      if (isKnown) return
      redactor?.add(secret)
      if (used.size <= maxSecrets + letGo) return
      for (const oldest of [...used].slice(0, letGo)) used.delete(oldest)
      redactor = undefined
    },
    redact(text) {
      redactor ??= new Redactor([...pinned, ...used])
      return redactor.text(text)
    },
  }
}

/** The box, with every secret of a connection made known that passes through it. */
export function observeSecrets(box: SecretBox, live: Pick<LiveSecrets, 'add'>): SecretBox {
  return {
    seal(place, secret) {
      // A text of the store's own, which checks the master key, belongs to no connection and is no secret.
      if (place.connectionUuid !== '') live.add(secret.reveal())
      return box.seal(place, secret)
    },
    open(place, sealed) {
      const secret = box.open(place, sealed)
      if (place.connectionUuid !== '') live.add(secret.reveal())
      return secret
    },
  }
}
