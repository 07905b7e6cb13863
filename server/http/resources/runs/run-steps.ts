import type { Line } from '../../../../core/ports/runs/journal-reader.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { pageParameters, pageSchema, pageView, sortParameter } from '../system/page.ts'
import { showRun } from './redact-run.ts'
import { requireRun } from './require-run.ts'
import { stepView } from './run-view.ts'
import { readers } from '../../caller/caller.ts'

/** Of inputs and outputs in one page, unless one step has more. */
const maxBytes = 4_000_000

export const listSteps = defineRoute({
  method: 'GET',
  path: '/runs/{run}/steps',
  access: readers,
  summary: 'All steps of a run with their inputs and outputs, in the order in which they began.',
  status: 200,
  answer: pageSchema(component('run_step')),
  query: {
    type: 'object',
    additionalProperties: false,
    properties: { ...pageParameters, sort: sortParameter(['started_at']) },
  },
  async handle({ params, query, caller }, services) {
    const run = await requireRun(caller.scope, params.run, services)
    const { limit = 50, cursor, sort } = query
    const request = { limit, cursor, oldestFirst: sort !== '-started_at', bytes: maxBytes }
    return await services.excerptRunInTurn(run.organizationUuid, async () => {
      const page = await services.stores.lines.page(run.uuid, request)
      const { masked } = await showRun(run, services)
      const view = ({ entry, failedAttempts }: Line) => stepView(masked(entry), failedAttempts)
      return { body: await pageView(page, view) }
    })
  },
})
