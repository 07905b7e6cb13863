import QuickLRU from 'quick-lru'
import { ConnectionError, TocsinError, type Secret } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { ReadSecretOptions, SecretSource } from '../../ports/secret-source.ts'
import { parseReference, referenceForms, type SecretReference } from './secret-reference.ts'

/** Gives connections the values of their references. */
export interface SecretResolver {
  /**
   * The connection with all secrets: the same object as long as neither the connection nor a value changes. Rejects like
   * `SecretSource.read`.
   */
  resolve(open: OpenConnection, options: ReadSecretOptions): Promise<OpenConnection>
  /** Asks the sources again after the other system refused the connection's secrets; undefined: they have the same values. */
  renew(refused: OpenConnection, signal: AbortSignal): Promise<OpenConnection | undefined>
  /** The values of references by field. Rejects like `SecretSource.read`. */
  values(
    organizationUuid: string,
    references: Readonly<Record<string, SecretReference>>,
    options: ReadSecretOptions,
  ): Promise<Readonly<Record<string, Secret>>>
}

/** Connections whose latest values are known. */
const maxConnections = 10_000
/** Replaced values that are still redacted. */
const maxFormer = 4

interface Resolved {
  readonly stored: OpenConnection
  readonly open: OpenConnection
}

export function createSecretResolver(source: SecretSource): SecretResolver {
  const latest = new QuickLRU<string, Resolved>({ maxSize: maxConnections })
  const storedOf = new WeakMap<OpenConnection, OpenConnection>()

  const values: SecretResolver['values'] = async (organizationUuid, references, options) => {
    const read = async ([field, reference]: readonly [string, SecretReference]) =>
      [field, await source.read(organizationUuid, reference, options)] as const
    return Object.fromEntries(await Promise.all(Object.entries(references).map(read)))
  }

  async function resolve(stored: OpenConnection, options: ReadSecretOptions): Promise<OpenConnection> {
    const { connection } = stored
    const references = parsed(stored)
    if (Object.keys(references).length === 0) return stored
    const read = await values(connection.organizationUuid, references, options).catch((error: unknown) => {
      throw ofConnection(error, connection.name)
    })
    const secrets = { ...stored.secrets, ...read }
    const last = latest.get(connection.uuid)
    if (last?.stored === stored && isSame(last.open.secrets, secrets)) return last.open
    const open = { connection, secrets, formerSecrets: formerOf(last?.open, secrets) }
    latest.set(connection.uuid, { stored, open })
    storedOf.set(open, stored)
    return open
  }

  return {
    values,
    resolve,
    async renew(refused, signal) {
      const stored = storedOf.get(refused)
      if (stored === undefined) return undefined
      const open = await resolve(stored, { signal, isRefused: true })
      return isSame(open.secrets, refused.secrets) ? undefined : open
    },
  }
}

/** Without sources: connections with references cannot be used. */
export const noSecretSources: SecretSource = {
  read: (_organization, { text }) =>
    Promise.reject(
      new ConnectionError('secret_unresolved', `cannot read ${text}: no source of secrets is configured`, {
        effect: 'none',
      }),
    ),
}

function parsed({ connection }: OpenConnection): Readonly<Record<string, SecretReference>> {
  return Object.fromEntries(
    Object.entries(connection.secretReferences).map(([field, text]) => {
      const reference = parseReference(text)
      if (reference !== undefined) return [field, reference]
      const message = `connection '${connection.name}': the reference of '${field}' is invalid`
      throw new ConnectionError('secret_unresolved', message, {
        hint: `use ${referenceForms}`,
        effect: 'none',
      })
    }),
  )
}

/** Names the connection. Keeps the class, which decides who acts next. */
function ofConnection(error: unknown, name: string): unknown {
  if (error instanceof TocsinError) error.message = `connection '${name}': ${error.message}`
  return error
}

type Secrets = OpenConnection['secrets']

function isSame(before: Secrets, after: Secrets): boolean {
  const fields = Object.keys(after)
  return (
    fields.length === Object.keys(before).length &&
    fields.every((field) => before[field]?.reveal() === after[field]?.reveal())
  )
}

/** Earlier values, the newest first: the other system may still mention them. */
function formerOf(last: OpenConnection | undefined, secrets: Secrets): readonly string[] {
  const current = new Set(Object.values(secrets).map((secret) => secret.reveal()))
  const earlier = Object.values(last?.secrets ?? {}).map((secret) => secret.reveal())
  return [...new Set([...earlier, ...(last?.formerSecrets ?? [])])]
    .filter((text) => !current.has(text))
    .slice(0, maxFormer)
}
