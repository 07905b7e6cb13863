import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, time, timeOrNull } from '../system/page.ts'
import { onSchema, onView, requirePlaybook } from './playbook-view.ts'
import { readers } from '../../caller/caller.ts'

const count = { type: 'integer', minimum: 0 } as const
const dayMs = 24 * 60 * 60 * 1_000
/** So many of the newest runs are told of. */
const runs = 10

export const playbookResults = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/results',
  access: readers,
  summary:
    'What a playbook covers and what became of it: which alerts start it, how many did, and its newest runs.',
  status: 200,
  answer: objectSchema({
    on: {
      anyOf: [{ type: 'null' }, onSchema],
      description: 'What starts the newest version; null where it no longer fits the installed skills.',
    },
    alerts_7d: { ...count, description: 'Alerts of the last 7 days that began a run of it, in any version.' },
    alerts_30d: { ...count, description: 'The same of the last 30 days.' },
    since: {
      ...time,
      description:
        'The counts reach back to this time only: 30 days, or the newest 10,000 runs of all organizations.',
    },
    judged: { ...count, description: 'How many of the newest 100 runs completed or failed.' },
    failed: { ...count, description: 'How many of these failed.' },
    last_runs: {
      type: 'array',
      description: `The newest ${runs}, in any version, newest first.`,
      items: objectSchema({ run_uuid: text, status: text, created_at: time, ended_at: timeOrNull }),
    },
  }),
  async handle({ params, caller: { scope } }, { stores, playbooks, clock }) {
    const { name, hash } = await requirePlaybook(stores.playbooks, scope, params.playbook)
    const now = clock.now()
    const request = { name, weekFrom: now - 7 * dayMs, monthFrom: now - 30 * dayMs, runs }
    const { since, alerts, judged, failed, runs: newest } = await stores.runs.resultsOf(scope, request)
    const playbook = await compiled(hash, playbooks)
    return {
      body: {
        on: playbook === undefined ? null : onView(playbook),
        alerts_7d: alerts.week,
        alerts_30d: alerts.month,
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

/** Undefined where it no longer checks. */
async function compiled(hash: string, playbooks: Services['playbooks']): Promise<Playbook | undefined> {
  try {
    return await playbooks.byHash(hash)
  } catch (error) {
    if (error instanceof PlaybookError) return undefined
    throw error
  }
}
