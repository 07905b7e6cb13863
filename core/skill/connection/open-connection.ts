import { TocsinError, type ConnectionDefinition } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import { Redactor, type OnSecret } from '../redaction/redactor.ts'
import { openSettings } from './settings.ts'
import { createTarget, type Target } from './target.ts'

/** A connection ready to be called. */
export interface ReadyConnection {
  readonly settings: Readonly<Record<string, unknown>>
  readonly target: Target
  readonly redactor: Redactor
}

const opened = new WeakMap<OpenConnection, ReadyConnection>()

/** The same for the same connection, which a store gives as long as nothing of it changes. See `openConnection`. */
export function openOnce(
  definition: ConnectionDefinition,
  open: OpenConnection,
  onSecret?: OnSecret,
): ReadyConnection {
  const ready = opened.get(open) ?? openConnection(definition, open, onSecret)
  opened.set(open, ready)
  return ready
}

/** @throws ConnectionError `connection_invalid`; nothing that is thrown shows a secret */
export function openConnection(
  definition: ConnectionDefinition,
  open: OpenConnection,
  onSecret?: OnSecret,
): ReadyConnection {
  const { settings, secrets } = openSettings(definition, open)
  const redactor = new Redactor(secrets, onSecret)
  try {
    const target = createTarget(definition, open.connection, settings)
    return { settings, target, redactor }
  } catch (error) {
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}
