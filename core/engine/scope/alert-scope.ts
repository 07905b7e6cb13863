import type { Alert } from '../../domain/alert.ts'
import type { RunTrigger } from '../../domain/run.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Severity } from '../../plugin/index.ts'
import { parseJson } from '../../common/json.ts'

/** The `alert` of expressions. */
export interface AlertScope {
  readonly id: string
  readonly uuid: string
  readonly type: string | null
  readonly provider: string
  readonly content: string
  readonly title: string | null
  readonly severity: Severity | null
  /** Epoch milliseconds. */
  readonly occurred_at: number | null
  readonly source_id: string | null
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly created_at_source: number | bigint | null
  /** The content parsed as JSON; null if it is not JSON or nested too deep. */
  readonly data: unknown
}

/** Characters in the contents of alerts whose scopes are kept: parsed content can be twenty times as large. */
const maxKeptCharacters = 1_048_576
const maxSmall = 16_384
const maxKept = 500

/** Scopes of the last alerts, oldest first. */
const kept = new Map<Alert, AlertScope>()
let keptCharacters = 0

/**
 * Parses the content when `data` is first read, and a small alert only once for all its readers: conditions,
 * grouping, the concurrency key and the run.
 */
export function alertScope(alert: Alert): AlertScope {
  const known = kept.get(alert)
  if (known !== undefined) return known
  const scope = newScope(alert)
  keep(alert, scope)
  return scope
}

function keep(alert: Alert, scope: AlertScope): void {
  if (alert.content.length > maxSmall) return
  kept.set(alert, scope)
  keptCharacters += alert.content.length
  for (const oldest of kept.keys()) {
    if (keptCharacters <= maxKeptCharacters && kept.size <= maxKept) return
    kept.delete(oldest)
    keptCharacters -= oldest.content.length
  }
}

function newScope(alert: Alert): AlertScope {
  let parsed: { readonly data: unknown } | undefined
  return {
    id: alert.id,
    uuid: alert.uuid,
    type: alert.type,
    provider: alert.provider,
    content: alert.content,
    title: alert.title,
    severity: alert.severity,
    occurred_at: alert.occurredAt,
    source_id: alert.sourceId,
    created_at: alert.createdAt,
    created_at_source: sourceTime(alert.createdAtSource),
    get data() {
      parsed ??= { data: parseContent(alert.content) }
      return parsed.data
    },
  }
}

/** The `event` of a wait for an alert: without its content, which is in the data. */
export function eventScope(alert: Alert): Omit<AlertScope, 'content'> {
  const { content: _, ...scope } = alertScope(alert)
  return scope
}

export function organizationScope(organization: Organization): { code: string; name: string } {
  return { code: organization.code, name: organization.name }
}

/** The `trigger` of expressions. Without an event, its kind is one of `otherKinds`. */
export const triggerScope = (
  trigger: RunTrigger | undefined,
  hasAlert: boolean,
): Readonly<Record<string, unknown>> => trigger ?? { kind: hasAlert ? 'alert' : 'other' }

function parseContent(content: string): unknown {
  try {
    return parseJson(content)
  } catch {
    return null
  }
}

function sourceTime(value: bigint | null): number | bigint | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
