import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, time, timeOrNull } from '../system/page.ts'
import { apiTriggersSchema, onView, requirePlaybook } from './playbook-view.ts'

const count = { type: 'integer', minimum: 0 } as const
const dayMs = 24 * 60 * 60 * 1_000
/** Newest runs in the response. */
const runs = 10

/** Answer of `GET playbooks/{playbook}/results`. */
export const apiPlaybookResultsSchema = objectSchema({
  on: {
    anyOf: [{ type: 'null' }, apiTriggersSchema],
    description: 'Triggers of the newest version; null: it no longer matches the installed skills.',
  },
  alerts_7d: {
    ...count,
    description: 'Alerts of the last 7 days that started any version, each once, without repeats.',
  },
  alerts_30d: { ...count, description: 'Alerts of the last 30 days that started any version, each once.' },
  repeats_7d: {
    ...count,
    description:
      'Repeats of such alerts in the last 7 days: they joined a case, and started no run. At most 10,000 are counted.',
  },
  repeats_30d: { ...count, description: 'Such repeats in the last 30 days.' },
  since: {
    ...time,
    description:
      'The counts start at this time: 30 days ago, or the oldest of the newest 10,000 runs of all organizations.',
  },
  judged: { ...count, description: 'Completed or failed runs among the newest 100.' },
  failed: { ...count, description: 'Failed runs among these.' },
  last_runs: {
    type: 'array',
    description: `The newest ${runs} runs of any version, newest first.`,
    items: objectSchema({ run_uuid: text, status: text, created_at: time, ended_at: timeOrNull }),
  },
})

export const getPlaybookResults = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/results',
  access: 'playbooks:read',
  summary: 'Coverage and results of a playbook: the alerts that start it, their number, and its newest runs.',
  answer: apiPlaybookResultsSchema,
  async handle({ params, caller: { scope } }, { stores, playbooks, clock }) {
    const { name, hash } = await requirePlaybook(stores.playbooks, scope, params.playbook)
    const now = clock.now()
    const request = { name, weekFrom: now - 7 * dayMs, monthFrom: now - 30 * dayMs, runs }
    const {
      since,
      alerts,
      repeats,
      judged,
      failed,
      runs: newest,
    } = await stores.runs.resultsOf(scope, request)
    const playbook = await compiledPlaybook(hash, playbooks)
    return {
      body: {
        on: playbook === undefined ? null : onView(playbook, now),
        alerts_7d: alerts.week,
        alerts_30d: alerts.month,
        repeats_7d: repeats.week,
        repeats_30d: repeats.month,
        since,
        judged,
        failed,
        last_runs: newest.map(({ uuid, status, createdAt, endedAt }) => ({
          run_uuid: uuid,
          status,
          created_at: createdAt,
          ended_at: endedAt,
        })),
      },
    }
  },
})

/** Undefined: no longer valid. */
export async function compiledPlaybook(
  hash: string,
  playbooks: Services['playbooks'],
): Promise<Playbook | undefined> {
  try {
    return await playbooks.byHash(hash)
  } catch (error) {
    if (error instanceof PlaybookError) return undefined
    throw error
  }
}
