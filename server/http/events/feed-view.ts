import type { ChangeKind } from '../../../core/domain/change.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import type { Scope } from '../../../core/ports/common.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { maxNamed, type ChangesOfOrganizations } from './gathered-changes.ts'
import { admins, readers } from '../caller/caller.ts'

/** Who is told of changes. */
export interface FeedReader {
  readonly role: Role
  readonly scope: Scope
}

export type FedKind = Exclude<ChangeKind, 'session'>

/** Who may see what has changed, as the operations that list it have it. */
const accessTo: Readonly<Record<FedKind, readonly Role[]>> = {
  alert: readers,
  run: readers,
  case: readers,
  checkpoint: readers,
  connection: readers,
  playbook: readers,
  organization: readers,
  provider: readers,
  engine: readers,
  key: admins,
  audit: admins,
}

/** What is of no organization, and for all of them. Of the rest, those are told who see all organizations. */
const shared: ReadonlySet<ChangeKind> = new Set(['playbook', 'provider', 'engine'])

export const isFed = (kind: ChangeKind): kind is FedKind => Object.hasOwn(accessTo, kind)

/** The kinds that a reader is told of. */
export const kindsFor = ({ role }: FeedReader): readonly FedKind[] =>
  (Object.keys(accessTo) as FedKind[]).filter((kind) => accessTo[kind].includes(role))

/** One thing that has changed. */
export interface Named {
  readonly kind: FedKind
  readonly organizationUuid: string | null
  readonly id: string | null
}

/** What a reader is told: things by name, and kinds of which there are many. */
export interface Told {
  readonly named: readonly Named[]
  readonly many: readonly FedKind[]
}

/** What of some changes a reader may see. */
export function toldOf(changes: ChangesOfOrganizations, reader: FeedReader): Told {
  const kinds = new Set(kindsFor(reader))
  const many = new Set<FedKind>()
  const named: Named[] = []
  for (const [organizationUuid, byKind] of changes) {
    for (const [kind, changed] of byKind) {
      if (!isFed(kind) || !kinds.has(kind) || !sees(reader.scope, kind, organizationUuid)) continue
      if (changed === 'many') many.add(kind)
      else for (const id of changed) named.push({ kind, organizationUuid, id })
    }
  }
  for (const [kind, ofKind] of Map.groupBy(named, ({ kind }) => kind))
    if (ofKind.length > maxNamed) many.add(kind)
  return { named: named.filter(({ kind }) => !many.has(kind)), many: [...many] }
}

const sees = (scope: Scope, kind: FedKind, organizationUuid: string | null): boolean =>
  organizationUuid === null ? scope === 'all' || shared.has(kind) : isInScope(scope, organizationUuid)
