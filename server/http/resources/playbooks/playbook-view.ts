import { caseEvents } from '../../../../core/domain/case.ts'
import { runEvents } from '../../../../core/domain/run.ts'
import { observableKinds } from '../../../../core/plugin/index.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { nextTimes } from '../../../../core/trigger/schedule.ts'
import type { ListedPlaybook, PlaybookStore, StoredPlaybook } from '../../../../core/ports/playbook-store.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'
import { actorSchema } from '../system/audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../system/page.ts'
import type { SourceText, Span } from '../../../../core/playbook/language/source-text.ts'

export async function playbookView(
  { name, hash, origin, organizationUuid, isNewest, createdAt, putInForce, draft }: ListedPlaybook,
  { directory, playbooks }: Pick<Services, 'directory' | 'playbooks'>,
) {
  const organizationCode =
    organizationUuid === null ? null : await directory.organizationCode(organizationUuid)
  // A generated one competes with what its organization may run.
  const live = playbooks.newest(name, origin === 'file' ? undefined : (organizationCode ?? undefined))
  return {
    name,
    hash,
    origin,
    organization_code: organizationCode,
    // An authored playbook of the same name takes precedence.
    in_force: origin === 'made' ? isNewest && live === undefined : origin === 'file' && live === hash,
    shadow: live === undefined && playbooks.published(name) === hash,
    shadows: live === hash ? shadowsBeside(name, playbooks) : [],
    put_in_force_at: putInForce?.at ?? null,
    put_in_force_by: putInForce?.by.name ?? null,
    put_in_force_actor: putInForce?.by ?? null,
    put_in_force_reason: putInForce?.reason ?? null,
    draft: draft && { revision: draft.revision, changed_at: draft.changedAt, changed_by: draft.changedBy },
    created_at: createdAt,
  }
}

const shadowsBeside = (name: string, playbooks: Services['playbooks']): readonly string[] =>
  playbooks
    .shadows()
    .filter(({ shadow }) => shadow?.beside === name)
    .map((playbook) => playbook.name)

export const playbookFields = {
  name: text,
  hash: text,
  origin: { enum: ['file', 'made', 'trial'] },
  organization_code: {
    ...textOrNull,
    description:
      'The organization that it belongs to: each generated playbook, and authored ones with `organization`; null: all organizations share it.',
  },
  in_force: {
    type: 'boolean',
    description:
      'Whether this version is live. No version is live after its file is deleted, and no generated one if an authored playbook has the same name.',
  },
  shadow: {
    type: 'boolean',
    description:
      'Whether this version runs in shadow: it is the newest of its name, and says `mode: shadow`.',
  },
  shadows: {
    type: 'array',
    items: text,
    description: 'Names of the playbooks that run in shadow beside this version; none if it is not live.',
  },
  put_in_force_at: { ...timeOrNull, description: 'Last publication; null: before this was recorded.' },
  put_in_force_by: {
    ...textOrNull,
    description: 'Who published it: the name of the API key, or `server` for a file.',
  },
  put_in_force_actor: {
    anyOf: [actorSchema, { type: 'null' }],
    description: 'Who published it. Names are free text, the kind is not. `server`: a file.',
  },
  put_in_force_reason: { ...textOrNull, description: 'Why, in the words of the author; null: not given.' },
  draft: {
    anyOf: [
      objectSchema({ revision: { type: 'integer' }, changed_at: time, changed_by: actorSchema }),
      { type: 'null' },
    ],
    description: 'The draft of its name, saved but not published; null: none.',
  },
  created_at: { ...time, description: 'First seen, in epoch milliseconds.' },
} as const

/** A version of a playbook. */
export const apiPlaybookSchema = objectSchema(playbookFields)

/** Shown times of a schedule. */
const shownTimes = 3

/** The triggers of a playbook, as in its `on`. */
export const apiTriggersSchema = objectSchema({
  alert: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        type: { ...text, description: 'The types as text: joined by commas; `*` for all. See `types`.' },
        types: {
          type: ['array', 'null'],
          items: text,
          description: 'null: alerts of all types.',
        },
        provider: { ...textOrNull, description: 'The providers as text; null: all. See `providers`.' },
        providers: {
          type: ['array', 'null'],
          items: text,
          description: 'null: alerts of all providers.',
        },
        where: { type: 'boolean', description: 'Whether the trigger has a filter.' },
      }),
    ],
  },
  schedule: { ...textOrNull, description: 'A cron expression.' },
  timezone: { ...textOrNull, description: 'The time zone of the schedule; null without a schedule.' },
  next_runs: {
    type: 'array',
    items: time,
    description: `The next ${shownTimes} times of the schedule, in epoch milliseconds.`,
  },
  case: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        events: { type: 'array', items: { enum: caseEvents } },
        where: { type: 'boolean', description: 'Whether the trigger has a filter.' },
      }),
    ],
  },
  entity: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        kinds: { type: 'array', items: { enum: observableKinds } },
        times: { type: 'integer' },
        within_ms: { type: 'integer' },
        where: { type: 'boolean', description: 'Whether the trigger has a filter.' },
      }),
    ],
  },
  question: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        after_ms: { type: 'integer', description: 'How long a question has waited.' },
        where: { type: 'boolean', description: 'Whether the trigger has a filter.' },
      }),
    ],
  },
  run: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        events: { type: 'array', items: { enum: runEvents } },
        where: { type: 'boolean', description: 'Whether the trigger has a filter.' },
      }),
    ],
  },
  webhook: { type: 'boolean', description: 'Whether requests start it.' },
  manual: { type: 'boolean' },
  call: { type: 'boolean' },
})

export function onView(playbook: Playbook, now: number) {
  const { alertTrigger, schedule, startedBy, caseTrigger, entityTrigger, webhookTrigger } = playbook
  const { questionTrigger, runTrigger } = playbook
  return {
    alert:
      alertTrigger === undefined
        ? null
        : {
            type: alertTrigger.types?.join(', ') ?? '*',
            types: alertTrigger.types ?? null,
            provider: alertTrigger.providers?.join(', ') ?? null,
            providers: alertTrigger.providers ?? null,
            where: alertTrigger.where !== undefined,
          },
    schedule: schedule?.cron ?? null,
    timezone: schedule?.timezone ?? null,
    next_runs: schedule === undefined ? [] : nextTimes(schedule, now, shownTimes),
    case: caseTrigger ? { events: [...caseTrigger.events], where: caseTrigger.where !== undefined } : null,
    entity: entityTrigger
      ? {
          kinds: [...entityTrigger.kinds],
          times: entityTrigger.times,
          within_ms: entityTrigger.withinMs,
          where: entityTrigger.where !== undefined,
        }
      : null,
    question: questionTrigger
      ? { after_ms: questionTrigger.afterMs, where: questionTrigger.where !== undefined }
      : null,
    run: runTrigger ? { events: [...runTrigger.events], where: runTrigger.where !== undefined } : null,
    webhook: webhookTrigger !== undefined,
    manual: startedBy.hand,
    call: startedBy.call,
  }
}

/** The hash of a playbook is its revision. */
export const playbookTag = ({ hash }: { readonly hash: string }) => ({ etag: `"${hash}"` })

/** Finds a playbook by name (newest version) or by hash. Throws RequestError `playbook_not_found`. */
export async function requirePlaybook(
  store: PlaybookStore,
  scope: OrganizationScope,
  nameOrHash: string,
): Promise<StoredPlaybook> {
  const found = (await store.find(scope, nameOrHash)) ?? (await store.findByHash(scope, nameOrHash))
  if (found !== undefined) return found
  throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists the playbooks' })
}

const line = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
const column = { ...line, description: 'In UTF-16 code units, from 1.' } as const

/** A position in a source, in requests. */
export const placeFields = { line, column } as const

/** A range in a source, in responses. */
export const spanFields = {
  ...placeFields,
  end_line: line,
  end_column: { ...line, description: 'Exclusive.' },
} as const

export function spanView(source: SourceText, { start, end }: Span) {
  const [from, to] = [source.place(start), source.place(end)]
  return { line: from.line, column: from.column, end_line: to.line, end_column: to.column }
}
