import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { ListedPlaybook, PlaybookStore, StoredPlaybook } from '../../../../core/ports/playbook-store.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'
import { actorSchema } from '../system/audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../system/page.ts'

export async function playbookView(
  { name, hash, origin, organizationUuid, isNewest, createdAt, putInForce }: ListedPlaybook,
  { directory, playbooks }: Pick<Services, 'directory' | 'playbooks'>,
) {
  const organizationCode =
    organizationUuid === null ? null : await directory.organizationCode(organizationUuid)
  const inForce = playbooks.newest(name)
  return {
    name,
    hash,
    origin,
    organization_code: organizationCode,
    // What somebody wrote of the same name takes precedence.
    in_force: origin === 'made' ? isNewest && inForce === undefined : inForce === hash,
    put_in_force_at: putInForce?.at ?? null,
    put_in_force_by: putInForce?.by.name ?? null,
    put_in_force_actor: putInForce?.by ?? null,
    created_at: createdAt,
  }
}

export const playbookFields = {
  name: text,
  hash: text,
  origin: { enum: ['file', 'made'] },
  organization_code: {
    ...textOrNull,
    description: 'For whose alerts it was made; null for a written one, which all organizations share.',
  },
  in_force: {
    type: 'boolean',
    description:
      'Whether alerts, schedules and people start this version; no version is where its file is gone, and none that was made where one of its name was written.',
  },
  put_in_force_at: { ...timeOrNull, description: 'The last time; null where that was before it was kept.' },
  put_in_force_by: {
    ...textOrNull,
    description: 'By whom: the name of the API key, or `server` for a file.',
  },
  put_in_force_actor: {
    anyOf: [actorSchema, { type: 'null' }],
    description: 'By whom: a name is what somebody chose, the kind is not. `server`: a file.',
  },
  created_at: { ...time, description: 'When it was first seen, in epoch milliseconds.' },
} as const

/** What starts a playbook, as its `on` says. */
export const onSchema: JsonSchema = objectSchema({
  alert: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        type: text,
        provider: { ...textOrNull, description: 'null: whichever.' },
        where: { type: 'boolean', description: 'Whether it takes only some of them.' },
      }),
    ],
  },
  schedule: { ...textOrNull, description: 'A cron expression.' },
  manual: { type: 'boolean' },
  call: { type: 'boolean' },
})

export function onView({ alertTrigger, schedule, startedBy }: Playbook) {
  return {
    alert:
      alertTrigger === undefined
        ? null
        : {
            type: alertTrigger.type,
            provider: alertTrigger.provider ?? null,
            where: alertTrigger.where !== undefined,
          },
    schedule: schedule?.cron ?? null,
    manual: startedBy.hand,
    call: startedBy.call,
  }
}

/** Of a playbook the hash is its revision. */
export const playbookTag = ({ hash }: { readonly hash: string }) => ({ etag: `"${hash}"` })

/** By name (its newest version) or by hash. Throws RequestError `playbook_not_found`. */
export async function requirePlaybook(
  store: PlaybookStore,
  scope: Scope,
  nameOrHash: string,
): Promise<StoredPlaybook> {
  const found = (await store.find(scope, nameOrHash)) ?? (await store.findByHash(scope, nameOrHash))
  if (found !== undefined) return found
  throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists them' })
}
