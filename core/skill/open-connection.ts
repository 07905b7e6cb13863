import { ConnectionError } from '../errors/errors.ts'
import { TocsinError, type ConnectionDefinition } from '../plugin/index.ts'
import type { OpenConnection } from '../ports.ts'
import { parseBase } from './address.ts'
import { isHeaderValue } from './headers.ts'
import type { Target } from './http-client.ts'
import { Redactor, type OnSecret } from './redactor.ts'
import { openSettings } from './settings.ts'

/** A connection ready to be called. */
export interface ReadyConnection {
  readonly settings: Readonly<Record<string, unknown>>
  readonly target: Target
  readonly redactor: Redactor
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
    const target = createTarget(definition, open.connection.name, settings)
    for (const value of Object.values(target.headers)) redactCredential(value, secrets, redactor)
    return { settings, target, redactor }
  } catch (error) {
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}

function createTarget(
  definition: ConnectionDefinition,
  connection: string,
  settings: Readonly<Record<string, unknown>>,
): Target {
  const base = parseBase(definition.baseUrl(settings))
  if (base === undefined) {
    throw new ConnectionError(
      'connection_invalid',
      `the base address of connection '${connection}' is not an http(s) address`,
      { hint: 'give an origin and a path, without credentials, query or fragment' },
    )
  }
  const headers = lowerCase(definition.headers?.(settings) ?? {})
  for (const [name, value] of Object.entries(headers)) {
    if (isHeaderValue(value)) continue
    throw new ConnectionError(
      'connection_invalid',
      `the credentials of connection '${connection}' cannot be sent in the header '${name}'`,
      { hint: 'enter them again: a line break or another unusual character came with them' },
    )
  }
  const otherOrigins = (definition.otherOrigins?.(settings) ?? []).map((text) => new URL(text).origin)
  return { connection, base, otherOrigins, headers, hints: definition.errors ?? {} }
}

/** The header's text is a secret too when it was made from one, as with `Basic` and a password. */
function redactCredential(header: string, secrets: readonly string[], redactor: Redactor): void {
  const credential = header.replace(/^[A-Za-z]+\s+/, '')
  const decoded = Buffer.from(credential, 'base64').toString()
  if (secrets.some((secret) => secret !== '' && (header.includes(secret) || decoded.includes(secret)))) {
    redactor.add(credential)
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
