import { oneAfterAnother } from '../../../../core/rerun/reruns.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { recallNewRun } from '../alerts/recall-run.ts'
import {
  chosenRuns,
  errorView,
  left,
  manyRuns,
  maxRetries,
  nullable,
  plan,
  playbookVersion,
  text,
  untilEnough,
  whyNot,
} from './retry-choice.ts'
import { runView } from './run-view.ts'
import { operators } from '../../caller/caller.ts'

export const retryRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/retry',
  access: operators,
  summary: 'Goes on from the failed step in a new run, which carries the finished steps over.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      playbook: playbookVersion,
      plan: {
        ...plan,
        description:
          '`plan` of the preview that was looked at: what would do something else by now is refused (`retry_changed`).',
      },
    },
  },
  async handle({ params, body, caller }, { reruns, directory }) {
    const version = body.playbook ?? 'same'
    const plans = body.plan === undefined ? undefined : [body.plan]
    const run = await within('/inputs', () =>
      reruns.retry(caller.scope, params.run, version, caller.actor, plans),
    )
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

export const retryRuns = defineRoute({
  method: 'POST',
  path: '/runs/retry',
  once: true,
  access: operators,
  summary: `Retries many runs, at most ${maxRetries} at a time: those named, or the newest failed ones of a playbook.`,
  status: 200,
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['data', 'left'],
    properties: {
      data: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['run_uuid', 'retry_uuid', 'error'],
          properties: {
            run_uuid: text,
            retry_uuid: { ...nullable, description: 'The run that goes on; null where there is none.' },
            error: whyNot,
          },
        },
      },
      left,
    },
  },
  body: manyRuns,
  async handle({ body, caller }, { reruns }) {
    const { runUuids, total } = await chosenRuns(body, caller.scope, reruns)
    const results = await oneAfterAnother(
      runUuids,
      (uuid) => reruns.retry(caller.scope, uuid, body.playbook ?? 'same', caller.actor, body.plans),
      untilEnough(),
    )
    const data = results.map(({ runUuid, outcome }) => ({
      run_uuid: runUuid,
      retry_uuid: 'done' in outcome ? outcome.done.uuid : null,
      error: 'done' in outcome ? null : errorView(outcome.error),
    }))
    return { body: { data, left: total - results.length } }
  },
})
