import type { JournalLine } from '../../../../core/ports/runs/journal-reader.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { pageParameters, pageSchema, pageView, sortParameter } from '../system/page.ts'
import { showRun } from './redact-run.ts'
import { requireRun, stepView } from './run-view.ts'

/** Limit for inputs and outputs in one page, unless a single step is larger. */
const maxBytes = 4_000_000

export const listSteps = defineRoute({
  method: 'GET',
  path: '/runs/{run}/steps',
  access: 'runs:read',
  summary: 'All steps of a run with inputs and outputs, in the order of their start.',
  answer: pageSchema(component('run_step')),
  query: { ...pageParameters, sort: sortParameter(['started_at']) },
  async handle({ params, query, caller }, services) {
    const run = await requireRun(caller.scope, params.run, services)
    const { limit = 50, cursor, sort } = query
    const request = { limit, cursor, oldestFirst: sort !== '-started_at', bytes: maxBytes }
    return await services.excerptRunInTurn(run.organizationUuid, async () => {
      const page = await services.stores.journalReader.page(run.uuid, request)
      const { masked } = await showRun(run, services)
      const view = ({ entry, failedAttempts }: JournalLine) => stepView(masked(entry), failedAttempts)
      return { body: await pageView(page, view) }
    })
  },
})
