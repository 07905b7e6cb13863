import { ValidationError } from '../../../../core/errors/errors.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { ListedPlaybook, PlaybookFilter } from '../../../../core/ports/playbook-store.ts'
import type { PlaybookActivity } from '../../../../core/ports/runs/run-store.ts'
import { pageOfRows, type RowOrder } from '../../routing/page-rows.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  sortParameter,
  timeOrNull,
} from '../system/page.ts'
import { playbookFields, playbookView } from './playbook-view.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** A playbook in a list, with its use. */
export const apiListedPlaybookSchema = objectSchema({
  ...playbookFields,
  last_run_at: { ...timeOrNull, description: 'When its newest run was queued; null: it has none.' },
  runs_30d: {
    type: 'integer',
    minimum: 0,
    description: 'Runs that ended in the last 30 days (UTC), without those of the last moments.',
  },
})

interface Row extends PlaybookActivity {
  readonly playbook: ListedPlaybook
}

/** Sorted in memory, because there are few: the default order is by first appearance. */
const order: RowOrder<Row> = {
  name: 'playbooks',
  sorts: {
    name: ({ playbook }) => playbook.name.toLowerCase(),
    put_in_force_at: ({ playbook }) => playbook.putInForce?.at ?? null,
    last_run_at: ({ lastRunAt }) => lastRunAt,
    runs_30d: ({ runs }) => runs,
  },
  key: ({ playbook: { name, organizationUuid } }) => `${name} ${organizationUuid ?? ''}`,
}
const sorted = sortParameter(['name', 'put_in_force_at', 'last_run_at', 'runs_30d'])

/** More are not sorted in memory. */
const maxSorted = 5_000

export const listPlaybooks = defineRoute({
  method: 'GET',
  path: '/playbooks',
  access: 'playbooks:read',
  summary: 'Lists the newest version of each playbook: shared ones, and those of organizations of the key.',
  answer: pageSchema(apiListedPlaybookSchema),
  query: {
    ...pageParameters,
    organization: {
      type: 'string',
      description: 'Code of an organization: its playbooks, and shared ones.',
    },
    origin: {
      type: 'string',
      enum: ['file', 'made', 'trial'],
      description: 'Default: all except `trial`, which tries a skill.',
    },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Text in the name, ignoring case.',
    },
    sort: {
      ...sortByAge,
      enum: [...sortByAge.enum, ...sorted.enum],
      description: `Descending with \`-\`. Only \`created_at\` sorts more than ${maxSorted.toLocaleString('en')} playbooks.`,
    },
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const filter = { origin: query.origin, text: query.q }
    const view = async ({ playbook, lastRunAt, runs }: Row) => ({
      ...(await playbookView(playbook, services)),
      last_run_at: lastRunAt,
      runs_30d: runs,
    })
    if (query.sort === undefined || query.sort.endsWith('created_at')) {
      const page = await stores.playbooks.list(scope, pageOf(query), filter)
      return { body: await pageView({ ...page, data: await rowsOf(page.data, scope, services) }, view) }
    }
    const all = await rowsOf(await allPlaybooks(scope, filter, services), scope, services)
    return { body: await pageView(pageOfRows(all, query, order), view) }
  },
})

async function rowsOf(
  playbooks: readonly ListedPlaybook[],
  scope: OrganizationScope,
  { stores, clock }: Pick<Services, 'stores' | 'clock'>,
): Promise<readonly Row[]> {
  const names = [...new Set(playbooks.map(({ name }) => name))]
  const activity = await stores.runs.activityOf(scope, names, clock.now() - 30 * dayMs)
  return playbooks.map((playbook) => ({
    playbook,
    ...(activity.get(playbook.name) ?? { lastRunAt: null, runs: 0 }),
  }))
}

/** Throws ValidationError `value_invalid` if there are too many to sort. */
async function allPlaybooks(
  scope: OrganizationScope,
  filter: PlaybookFilter,
  { stores }: Pick<Services, 'stores'>,
): Promise<readonly ListedPlaybook[]> {
  const found: ListedPlaybook[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    // oxlint-disable-next-line no-await-in-loop -- each page continues the one before
    const page = await stores.playbooks.list(scope, { limit: 200, cursor }, filter)
    if (page.total > maxSorted) throw tooMany(page.total)
    found.push(...page.data)
    cursor = page.nextCursor
  }
  return found
}

function tooMany(total: number): ValidationError {
  const message = `${total} playbooks match, and at most ${maxSorted} are sorted like this`
  return new ValidationError('value_invalid', message, [{ pointer: '/sort', message }], {
    hint: 'filter with `q` or `origin`, or sort by `created_at`',
  })
}
