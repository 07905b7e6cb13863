import { hidden } from '../../../../core/domain/mask.ts'
import type { StoredState, StoredStateEntry } from '../../../../core/ports/runs/state-store.ts'
import { isKeyed, stateKinds, stateLimits } from '../../../../core/state/state.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { stateNotFound } from '../../../../core/transitions/state.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  text,
  time,
  timeOrNull,
} from '../system/page.ts'
import { compiledPlaybook } from './playbook-results.ts'
import { requirePlaybook } from './playbook-view.ts'

const count = { type: 'integer', minimum: 0 } as const
const ofOrganization = {
  type: 'string',
  description: 'Code of an organization. Default: all of the key.',
} as const

const sortByAddition = { ...sortByAge, enum: ['-added_at', 'added_at'], default: '-added_at' } as const

/** An item of `GET playbooks/{playbook}/state`. */
export const apiPlaybookStateSchema = objectSchema({
  organization_code: text,
  name: text,
  kind: { enum: stateKinds },
  sensitive: { type: 'boolean' },
  declared: {
    type: ['boolean', 'null'],
    description:
      'Whether the newest version declares it, with this kind; null: that version no longer matches the installed skills.',
  },
  entries: { ...count, description: 'Number of entries, which may include expired ones for an hour.' },
  bytes: { ...count, description: 'Of keys and values.' },
  value: {
    description: `The value of a value or counter, null if it has expired; of a sensitive one \`${hidden}\`. Null for other kinds.`,
  },
  changed_at: time,
})

/** An item of `GET playbooks/{playbook}/state/{name}`. */
export const apiStateEntrySchema = objectSchema({
  organization_code: text,
  key: { ...text, description: 'Of a sensitive state: a hash.' },
  value: { description: `Null for a set; of a sensitive state \`${hidden}\`.` },
  added_at: time,
  expires_at: timeOrNull,
})

const listState = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/state',
  access: 'playbooks:read',
  summary: 'What a playbook keeps between runs: its stored states, by name and organization.',
  answer: objectSchema({ data: { type: 'array', items: apiPlaybookStateSchema } }),
  query: { organization: ofOrganization },
  async handle({ params, query, caller }, { stores, playbooks, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const { name, hash } = await requirePlaybook(stores.playbooks, caller.scope, params.playbook)
    const declared = (await compiledPlaybook(hash, playbooks))?.state
    const stored = await stores.state.list(scope, name)
    const isDeclared = (state: StoredState) => {
      const rule = declared?.get(state.name)
      return declared === undefined ? null : rule?.kind === state.kind && rule.sensitive === state.isSensitive
    }
    return { body: { data: stored.map((state) => stateView(state, isDeclared(state))) } }
  },
})

function stateView(state: StoredState, declared: boolean | null) {
  const { organizationCode, name, kind, isSensitive, entries, bytes, changedAt, value = null } = state
  return {
    organization_code: organizationCode,
    name,
    kind,
    sensitive: isSensitive,
    declared,
    entries,
    bytes,
    value: isSensitive && !isKeyed(kind) && entries > 0 ? hidden : value,
    changed_at: changedAt,
  }
}

const listEntries = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/state/{state}',
  access: 'playbooks:read',
  summary: 'The entries of a set, map or counters that a playbook keeps, newest first.',
  answer: pageSchema(apiStateEntrySchema),
  query: { ...pageParameters, sort: sortByAddition, organization: ofOrganization },
  async handle({ params, query, caller }, { stores, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const { name } = await requirePlaybook(stores.playbooks, caller.scope, params.playbook)
    const page = await stores.state.entries(scope, name, params.state, pageOf(query))
    return { body: await pageView(page, entryView) }
  },
})

const entryView = ({ organizationCode, key, value, isSensitive, addedAt, expiresAt }: StoredStateEntry) => ({
  organization_code: organizationCode,
  key,
  value: isSensitive ? hidden : value,
  added_at: addedAt,
  expires_at: expiresAt,
})

const resetState = defineRoute({
  method: 'DELETE',
  path: '/playbooks/{playbook}/state/{state}',
  access: 'playbooks:test',
  summary: 'Resets a state of a playbook, or deletes one entry of it. The next run finds it empty.',
  answer: objectSchema({ organization_code: text, name: text, key: { type: ['string', 'null'] } }),
  query: {
    organization: {
      type: 'string',
      description: 'Code of the organization; required if several have this state.',
    },
    key: {
      type: 'string',
      minLength: 1,
      maxLength: stateLimits.keyLength,
      description: 'Default: all entries.',
    },
  },
  async handle({ params, query, caller }, services) {
    const { stores } = services
    const { name: playbook } = await requirePlaybook(stores.playbooks, caller.scope, params.playbook)
    const { organizationUuid, organizationCode, name } = await namedState(
      await services.directory.scopeWithin(caller.scope, query.organization),
      playbook,
      params.state,
      services,
    )
    await stores.state.reset({ organizationUuid, playbook, name, key: query.key }, caller.actor)
    return { body: { organization_code: organizationCode, name, key: query.key ?? null } }
  },
})

/** Throws NotFoundError `state_not_found`, RequestError `state_ambiguous`. */
async function namedState(
  scope: OrganizationScope,
  playbook: string,
  name: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<StoredState> {
  const [found, another] = (await stores.state.list(scope, playbook)).filter((state) => state.name === name)
  if (found !== undefined && another === undefined) return found
  if (found === undefined) throw stateNotFound(playbook, name)
  throw new RequestError('state_ambiguous', undefined, { hint: 'add ?organization=<code>' })
}

export const playbookStateRoutes = [listState, listEntries, resetState]
