import { runSequentially } from '../../../../core/retry/retries.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { recallNewRun, runView } from './run-view.ts'
import {
  chosenRuns,
  errorView,
  left,
  manyRuns,
  next,
  restOf,
  maxRetries,
  plan,
  playbookVersion,
  untilEnough,
  whyNot,
} from './retry-choice.ts'
import { text, textOrNull } from '../system/page.ts'

export const retryRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/retry',
  access: 'runs:write',
  summary: 'Retries from the failed step in a new run, which carries over the finished steps.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  body: {
    properties: {
      playbook: playbookVersion,
      plan: {
        ...plan,
        description:
          '`plan` of the preview; if the retry would now act differently, it is refused (`retry_changed`).',
      },
    },
  },
  async handle({ params, body, caller }, { retries, directory }) {
    const version = body.playbook ?? 'same'
    const plans = body.plan === undefined ? undefined : [body.plan]
    const run = await within('/inputs', () =>
      retries.retry(caller.scope, params.run, version, caller.actor, plans),
    )
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

export const retryRuns = defineRoute({
  method: 'POST',
  path: '/runs/retry',
  once: true,
  access: 'runs:write',
  summary: `Retries up to ${maxRetries} runs: named ones, or the newest failed ones of a playbook.`,
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['data', 'left', 'next'],
    properties: {
      data: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['run_uuid', 'retry_uuid', 'error'],
          properties: {
            run_uuid: text,
            retry_uuid: { ...textOrNull, description: 'The new run; null if there is none.' },
            error: whyNot,
          },
        },
      },
      left,
      next,
    },
  },
  body: manyRuns,
  async handle({ body, caller }, services) {
    const { retries } = services
    const chosen = await chosenRuns(body, caller.scope, services)
    const results = await runSequentially(
      chosen.runUuids,
      (uuid) => retries.retry(caller.scope, uuid, body.playbook ?? 'same', caller.actor, body.plans),
      untilEnough(),
    )
    const data = results.map(({ runUuid, outcome }) => ({
      run_uuid: runUuid,
      retry_uuid: 'done' in outcome ? outcome.done.uuid : null,
      error: 'done' in outcome ? null : errorView(outcome.error),
    }))
    return { body: { data, ...restOf(chosen, results) } }
  },
})
