import { expect } from 'chai'
import type { Alert, NewAlert } from '../../core/domain/alert.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Run } from '../../core/domain/run.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OrganizationScope } from '../../core/ports/common.ts'
import type { Stores } from '../../core/ports/stores.ts'

export interface OpenedStores {
  readonly stores: Stores
  /** Opens the same data once more, as another process does that leaves the work to the first one. */
  another(): Promise<Stores>
  /** Resolves when listeners know of the changes of all writes so far; absent: they know when a write resolves. */
  readonly changesTold?: () => Promise<void>
  /** Closes the stores and deletes their data. */
  dispose(): Promise<void>
}

/** Creates empty stores of an adapter on this clock. */
export type MakeStores = (clock: Pick<Clock, 'now'>) => Promise<OpenedStores>

/** Stores with two organizations (`Acme`, `Globex`) and a provider (`SIEM`) in them. */
export interface Subject {
  readonly stores: Stores
  readonly another: OpenedStores['another']
  readonly changesTold: () => Promise<void>
  readonly clock: { nowMs: number }
  readonly acme: Organization
  readonly globex: Organization
}

/** Reset before every test of a contract. */
export type GetSubject = () => Subject

export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const unknownUuid = '00000000-0000-4000-8000-000000000000'

export function newAlert(organization: Organization, changes: Partial<NewAlert> = {}): NewAlert {
  return {
    content: '{"severity":"high"}',
    provider: 'SIEM',
    organizationUuid: organization.uuid,
    type: 'phishing',
    createdAtSource: null,
    createdBy: unknownUuid,
    ...changes,
  }
}

export async function queuedRun(
  { stores, acme }: Subject,
  alert: Alert | null,
  retry?: boolean,
): Promise<Run> {
  return stores.runs.queue({
    organizationUuid: acme.uuid,
    playbookName: 'phishing-triage',
    playbookHash: 'a'.repeat(64),
    alertUuid: alert?.uuid ?? null,
    retry,
  })
}

export async function startedRun(subject: Subject, alert: Alert | null, retry?: boolean): Promise<Run> {
  const run = await queuedRun(subject, alert, retry)
  return (
    (await subject.stores.runs.start(run.uuid, { title: 'Phishing' })) ?? expect.fail('its turn has not come')
  )
}

export const completed = { status: 'completed', output: { risk: 7 }, error: null } as const
export const failed = {
  status: 'failed',
  output: null,
  error: { code: 'timeout', message: 'too slow' },
} as const

/** All of a short timeline, oldest first. */
export async function timelineOf(stores: Stores, caseId: string, scope: OrganizationScope = 'all') {
  return (await stores.cases.timeline(scope, caseId, { limit: 200 })).data.toReversed()
}

/** Fails the test unless the promise rejects with an error of this class name and code; returns the error. */
export async function expectRejection(promise: Promise<unknown>, name: string, code: string) {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error, 'the promise was expected to reject').to.be.instanceOf(Error)
  expect(error).to.include({ name, code })
  return error as Error & { readonly code: string; readonly hint?: string; readonly details?: object }
}
