import { createHash } from 'node:crypto'
import type { NewAlert } from '../domain/alert.ts'
import type { Connection } from '../domain/connection.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import { SkillError, type InboundAlert, type InboundResult } from '../plugin/index.ts'
import type { OnceKey } from '../ports/alert-store.ts'

/** The intake of alerts, with its limits for each organization. */
export interface AlertIntake {
  /** The code of a provider, ignoring case; undefined if there is none. */
  provider(code: string): Promise<string | undefined>
  /** Resolves when the alert is on disk. Rejects like the creation of an alert by the API. */
  store(alert: NewAlert, once: OnceKey | undefined): Promise<unknown>
}

const maxAlerts = 1_000
const maxContent = 1_048_576
const maxContents = 8_000_000
const maxType = 200
/** Alerts of one request that are stored at the same time. */
const atOnce = 32
const defaultKeepMs = 24 * 3_600_000
export const maxKeepMs = 7 * 24 * 3_600_000

/** An alert whose provider does not exist: an operator has to create it. */
export class ProviderMissing extends UnavailableError {}

/**
 * Stores the alerts of a webhook request; those that an earlier request stored already are left out. Resolves when all are on disk.
 *
 * @throws SkillError `alerts_invalid` before anything is stored, {@link ProviderMissing} likewise, and what the intake throws
 */
export async function storeAlerts(
  intake: AlertIntake,
  connection: Connection,
  route: string,
  { alerts = [], dedupeKey, dedupeMs = defaultKeepMs }: InboundResult,
): Promise<void> {
  if (alerts.length === 0) return
  requireWithinLimits(alerts)
  const providers = await providersOf(intake, alerts)
  const keepMs = Math.min(dedupeMs, maxKeepMs)
  const waiting = alerts.entries()
  const storeNext = async (): Promise<void> => {
    for (const [index, given] of waiting) {
      const alert = toAlert(given, connection, providers.get(given.provider) ?? '')
      const own = given.dedupeKey ?? (dedupeKey === undefined ? undefined : `${dedupeKey} ${index}`)
      const once = own === undefined ? undefined : { key: hashOf(`${route} ${own}`), keepMs }
      await intake.store(alert, once).catch(ignoreChanged)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, storeNext))
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Keys are chosen by the other system and may be long. */
const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** Vendors send an event again with other details, such as the number of the attempt. */
export function ignoreChanged(error: unknown): void {
  if (!(error instanceof ConflictError) || error.code !== 'idempotency_key_reused') throw error
}

function toAlert(
  { type, content, createdAtSource }: InboundAlert,
  { uuid, organizationUuid }: Connection,
  provider: string,
): NewAlert {
  return {
    // What cannot be stored is replaced: one strange alert must not hold up the others.
    content: content.toWellFormed(),
    provider,
    organizationUuid,
    type: type === undefined ? null : oneLine(type),
    createdAtSource: createdAtSource === undefined ? null : BigInt(createdAtSource),
    createdBy: uuid,
  }
}

/** Null if nothing is left. */
function oneLine(type: string): string | null {
  const line = type
    .slice(0, 4 * maxType)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return Array.from(line).slice(0, maxType).join('').trim() || null
}

function requireWithinLimits(alerts: readonly InboundAlert[]): void {
  const refuse = (message: string): never => {
    throw new SkillError('alerts_invalid', message, {
      hint: 'nothing was stored; report it to the plugin’s author',
    })
  }
  if (alerts.length > maxAlerts)
    refuse(`${alerts.length} alerts in one request; at most ${maxAlerts} are allowed`)
  let total = 0
  for (const { content, provider, type, createdAtSource = 0 } of alerts) {
    if (
      typeof content !== 'string' ||
      typeof provider !== 'string' ||
      (type !== undefined && typeof type !== 'string')
    )
      refuse('`content`, `provider` and `type` of an alert must be texts')
    if (!Number.isSafeInteger(createdAtSource)) refuse('`createdAtSource` of an alert must be a whole number')
    if (content.length > maxContent)
      refuse(`the content of an alert has ${content.length} characters; at most ${maxContent} are allowed`)
    total += content.length
  }
  if (total > maxContents) refuse(`the alerts have ${total} characters; at most ${maxContents} are allowed`)
}

async function providersOf(
  intake: AlertIntake,
  alerts: readonly InboundAlert[],
): Promise<ReadonlyMap<string, string>> {
  const codes = new Map<string, string>()
  for (const { provider } of alerts) {
    if (codes.has(provider)) continue
    const known = await intake.provider(provider)
    if (known === undefined)
      throw new ProviderMissing(
        'webhook_provider_unknown',
        `there is no provider '${provider.slice(0, 64)}'`,
        {
          hint: 'create the provider as an administrator, then send the request again',
          retryAfterMs: 60_000,
        },
      )
    codes.set(provider, known)
  }
  return codes
}
