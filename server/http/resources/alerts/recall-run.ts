import { textAt } from '../../../../core/plugin/index.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Recall } from '../../routing/route.ts'
import { runView } from '../runs/run-view.ts'

/** Of a request whose first write changes the run that it answers with: as the run is then. */
export const recallRun: Recall = {
  keeps: (written) => (textAt(written, 'playbookHash') === null ? undefined : textAt(written, 'uuid')),
  async answer(uuid, { caller }, { stores, directory }) {
    const run = await stores.runs.find(caller.scope, String(uuid))
    if (run === undefined) throw new RequestError('run_not_found')
    return { body: await runView(run, directory) }
  },
}

/** Of one whose first write makes the run. */
export const recallNewRun: Recall = {
  ...recallRun,
  answer: async (uuid, ...rest) => ({
    ...(await recallRun.answer(uuid, ...rest)),
    location: `/runs/${String(uuid)}`,
  }),
}
