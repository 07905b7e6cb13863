import { Redactor } from '../../core/skill/redaction/redactor.ts'
import type { SecretBox } from './secret-box.ts'

/** The secrets in use by this process, which its log must not show. */
export interface LiveSecrets {
  readonly add: (secret: string) => void
  /** Redacts them in every form that `Redactor` knows. */
  readonly redact: (text: string) => string
}

/**
 * With more secrets, the least recently used is dropped: the number of tokens is unlimited, and log lines
 * must stay cheap.
 */
const maxSecrets = 1_000
/** Dropped at once, because each drop rebuilds the index. */
const letGo = 100

/** @param pinned are never dropped */
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

/** A box that registers every secret of a connection that passes through it. */
export function observeSecrets(box: SecretBox, live: Pick<LiveSecrets, 'add'>): SecretBox {
  return {
    seal(place, secret) {
      // The store's text that checks the master key belongs to no connection and is not secret.
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
