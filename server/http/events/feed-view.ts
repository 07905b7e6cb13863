import type { ChangeKind } from '../../../core/domain/change.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { maxNamed, type ChangesOfOrganizations } from './gathered-changes.ts'
import type { AccessPermission } from '../../../core/access/permissions.ts'
import { scopeOf, type Grant } from '../caller/caller.ts'

export interface FeedReader {
  readonly grants: readonly Grant[]
  /** Undefined: an API key, which is told nothing. */
  readonly account?: object | undefined
}

export type FedKind = Exclude<ChangeKind, 'session'>

/** Whether the reader sees the kind, by the rules of the operation that lists it. */
const accessTo: Readonly<Record<FedKind, AccessPermission>> = {
  alert: 'alerts:read',
  run: 'runs:read',
  case: 'cases:read',
  checkpoint: 'runs:read',
  containment: 'runs:read',
  // Everyone: the page then asks what the person may see.
  notification: 'alerts:read',
  connection: 'connections:read',
  playbook: 'playbooks:read',
  organization: 'alerts:read',
  provider: 'alerts:read',
  engine: 'engine:read',
  key: 'keys:read',
  account: 'people:read',
  audit: 'audit:read',
}

/** Kinds without an organization that everyone sees. Others are for readers of all organizations. */
const shared: ReadonlySet<ChangeKind> = new Set(['playbook', 'provider', 'engine', 'notification'])

export const isFed = (kind: ChangeKind): kind is FedKind => Object.hasOwn(accessTo, kind)

/** The kinds that a reader sees. */
export const kindsFor = (reader: FeedReader): readonly FedKind[] => [...scopesOf(reader).keys()]

/** The organizations in which the reader sees a kind. */
const scopesOf = ({ grants, account }: FeedReader): ReadonlyMap<FedKind, OrganizationScope> =>
  new Map(
    (Object.keys(accessTo) as FedKind[]).flatMap((kind) => {
      const scope = scopeOf(grants, accessTo[kind])
      const isTold = kind !== 'notification' || account !== undefined
      return scope === undefined || !isTold ? [] : [[kind, scope] as const]
    }),
  )

/** One changed object. */
export interface ChangedObject {
  readonly kind: FedKind
  readonly organizationUuid: string | null
  readonly id: string | null
}

/** The changes for a reader: objects by id, and kinds with too many changes to name. */
export interface VisibleChanges {
  readonly named: readonly ChangedObject[]
  readonly many: readonly FedKind[]
}

/** The part of the changes that a reader may see. */
export function visibleChanges(changes: ChangesOfOrganizations, reader: FeedReader): VisibleChanges {
  const scopes = scopesOf(reader)
  const many = new Set<FedKind>()
  const named: ChangedObject[] = []
  for (const [organizationUuid, byKind] of changes) {
    for (const [kind, changed] of byKind) {
      const scope = isFed(kind) ? scopes.get(kind) : undefined
      if (!isFed(kind) || scope === undefined || !sees(scope, kind, organizationUuid)) continue
      if (changed === 'many') many.add(kind)
      else for (const id of changed) named.push({ kind, organizationUuid, id })
    }
  }
  for (const [kind, ofKind] of Map.groupBy(named, ({ kind }) => kind))
    if (ofKind.length > maxNamed) many.add(kind)
  return { named: named.filter(({ kind }) => !many.has(kind)), many: [...many] }
}

const sees = (scope: OrganizationScope, kind: FedKind, organizationUuid: string | null): boolean =>
  organizationUuid === null ? scope === 'all' || shared.has(kind) : isInScope(scope, organizationUuid)
