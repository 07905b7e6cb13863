import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Alert } from '../domain/alert.ts'
import type { Organization } from '../domain/organization.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { choosePlaybook, isForType } from '../investigation/choose-playbook.ts'
import { isFor } from '../playbook/check/owner.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { AlertStore } from '../ports/alert-store.ts'
import { correlationOf } from './correlation-of.ts'
import { CorrelationSimulation, type CorrelationOutcome } from './simulate.ts'

export interface PreviewRequest {
  /** Epoch milliseconds. */
  readonly since: number
  readonly organization: Organization
  /** All live playbooks; a draft replaces the live one of its name. */
  readonly playbooks: readonly Playbook[]
  /** Aborts between two pages. */
  readonly signal: AbortSignal
  /** Default {@link maxPreviewed}. */
  readonly maxAlerts?: number | undefined
}

export interface PreviewOutcome extends CorrelationOutcome {
  /** Arrival of the first alert left out because of the limit; null if none was left out. */
  readonly endedAt: number | null
  /** Expressions that failed, and for how many alerts; each is logged once for real alerts. */
  readonly failures: number
}

export const maxPreviewed = 50_000
const sliceMs = 10
const page = { limit: 200, contentBytes: 4 * 1_048_576 } as const

/** Applies the correlation rules to past alerts. Reads page by page and writes nothing. */
export async function previewCorrelation(
  alerts: Pick<AlertStore, 'list'>,
  { since, organization, playbooks: all, signal, maxAlerts = maxPreviewed }: PreviewRequest,
): Promise<PreviewOutcome> {
  const simulation = new CorrelationSimulation()
  const playbooks = all.filter((playbook) => isFor(playbook, organization.code))
  const ruled = playbooks.filter(({ alertTrigger }) => alertTrigger?.correlate !== undefined)
  let left = maxAlerts
  let failures = 0
  let cursor: string | undefined
  let from = performance.now()
  const outcome = (endedAt: number | null) => ({ ...simulation.outcome(), endedAt, failures })
  do {
    signal.throwIfAborted()
    const request = { ...page, sort: 'created_at', cursor } as const
    const filter = { organization: organization.code, createdAfter: since, ...typeOf(ruled) }
    const { data, nextCursor } = await alerts.list([organization.uuid], filter, request)
    for (const listed of data) {
      if (performance.now() - from > sliceMs) {
        await yieldToOthers()
        from = performance.now()
      }
      if (listed.groupedWith !== null || listed.type === null) continue
      if (left-- === 0) return outcome(listed.createdAt)
      const alert = { ...listed, content: listed.content ?? '' }
      const playbook = ruled.some(({ alertTrigger }) => isForType(alertTrigger!, alert.type))
        ? playbookOf(alert, organization, playbooks)
        : undefined
      const none = { keys: [], skipped: [] }
      const keys = playbook ? correlationOf(playbook, alert, organization, () => failures++) : none
      simulation.add(alert, keys)
    }
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  return outcome(null)
}

/** If only one type has rules, other alerts need not be read. */
function typeOf(ruled: readonly Playbook[]): { readonly type?: string } {
  const all = ruled.map(({ alertTrigger }) => alertTrigger?.types)
  const types = new Set(all.flatMap((each) => each ?? []))
  const [type] = types
  return all.includes(undefined) || types.size !== 1 || type === undefined ? {} : { type }
}

function playbookOf(alert: Alert, organization: Organization, playbooks: readonly Playbook[]) {
  const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
  const { type, provider } = alert
  const key = { type: type ?? '', provider, organization: organization.code }
  return choosePlaybook(playbooks, key, scope, () => {}).playbook
}
