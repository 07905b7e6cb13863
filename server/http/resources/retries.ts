import { ValidationError } from '../../../core/errors/errors.ts'
import type { TocsinError } from '../../../core/plugin/index.ts'
import type { RepeatedEffect, CarriedStep } from '../../../core/rerun/plan.ts'
import { retryVersions } from '../../../core/rerun/reruns.ts'
import { component, defineRoute, operators, type Services } from '../route.ts'
import { within } from '../validate.ts'
import { showRun } from './redact-run.ts'
import { runView } from './run-view.ts'

const playbookVersion = {
  type: 'string',
  enum: retryVersions,
  default: 'same',
  description: 'Which version runs: that of the run before, or the newest of its name.',
} as const

const text = { type: 'string' } as const
const nullable = { type: ['string', 'null'] } as const

const previewSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['run_uuid', 'playbook', 'playbook_hash', 'steps', 'repeats'],
  properties: {
    run_uuid: { ...text, description: 'The run that would be gone on from.' },
    playbook: text,
    playbook_hash: { ...text, description: 'Of the version that would run.' },
    steps: {
      type: 'array',
      description: 'Every step of the run before.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'step_id', 'kind', 'state', 'carried', 'reason', 'detail'],
        properties: {
          path: text,
          step_id: nullable,
          kind: text,
          state: text,
          carried: { type: 'boolean', description: 'It is not done again.' },
          reason: { ...nullable, description: 'Why it is not carried over; null when it is.' },
          detail: { ...nullable, description: 'What it reads, or what changed.' },
        },
      },
    },
    repeats: {
      type: 'array',
      description:
        'Writes that took effect, or may have, and are done again where the new run comes past them, with a new idempotency key.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'skill', 'input', 'took_effect', 'reason'],
        properties: {
          path: text,
          skill: text,
          input: { description: 'Sensitive values are replaced.' },
          took_effect: { enum: ['yes', 'may_have'] },
          reason: { ...text, description: 'Why it is not carried over.' },
        },
      },
    },
  },
} as const

export const previewRetry = defineRoute({
  method: 'GET',
  path: '/runs/{run}/retry',
  access: operators,
  summary: 'What a retry would do: which steps are carried over, and which effects would repeat.',
  status: 200,
  answer: previewSchema,
  query: {
    type: 'object',
    additionalProperties: false,
    properties: { playbook: playbookVersion },
  },
  async handle({ params, query, caller }, services) {
    const preview = await within('/inputs', () =>
      services.reruns.preview(caller.scope, params.run, query.playbook ?? 'same'),
    )
    const { run, playbook, steps, repeats } = preview
    const { masked, redacted } = await showRun(
      run,
      steps.map(({ entry }) => entry),
      services,
    )
    return {
      body: {
        run_uuid: run.uuid,
        playbook: playbook.name,
        playbook_hash: playbook.hash,
        steps: steps.map(stepView),
        repeats: repeats.map((effect) => redacted(effectView({ ...effect, entry: masked(effect.entry) }))),
      },
    }
  },
})

const stepView = ({ entry, reason, detail }: CarriedStep) => ({
  path: entry.path,
  step_id: entry.stepId,
  kind: entry.kind,
  state: entry.state,
  carried: reason === null,
  reason,
  detail: detail ?? null,
})

const effectView = ({ entry, tookEffect, reason }: RepeatedEffect) => ({
  path: entry.path,
  skill: entry.kind,
  input: entry.input,
  took_effect: tookEffect,
  reason,
})

export const retryRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/retry',
  access: operators,
  summary: 'Goes on from the failed step in a new run, which carries the finished steps over.',
  status: 201,
  answer: component('run'),
  body: {
    type: 'object',
    additionalProperties: false,
    properties: { playbook: playbookVersion },
  },
  async handle({ params, body, caller }, { reruns, directory }) {
    const version = body.playbook ?? 'same'
    const run = await within('/inputs', () => reruns.retry(caller.scope, params.run, version, caller.actor))
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

/** How many runs one request retries. */
const maxRetries = 100

export const retryRuns = defineRoute({
  method: 'POST',
  path: '/runs/retry',
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
            error: { type: ['object', 'null'], description: 'Why there is none: `code`, `message`, `hint`.' },
          },
        },
      },
      left: {
        type: 'integer',
        description: 'Failed runs that fit the filter and were left for another request.',
      },
    },
  },
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      runs: {
        type: 'array',
        items: text,
        minItems: 1,
        maxItems: maxRetries,
        uniqueItems: true,
        description: 'Uuids.',
      },
      filter: {
        type: 'object',
        additionalProperties: false,
        required: ['playbook'],
        properties: {
          playbook: { ...text, description: 'Name of the playbook.' },
          error: { ...text, description: 'Code of the error that the run ended with.' },
          created_after: {
            type: 'integer',
            minimum: 0,
            description: 'Queued then or later (epoch milliseconds).',
          },
          created_before: {
            type: 'integer',
            minimum: 0,
            description: 'Queued before then (epoch milliseconds).',
          },
        },
      },
      playbook: playbookVersion,
    },
  },
  async handle({ body, caller }, { reruns }) {
    const chosen = await chosenRuns(body, caller.scope, reruns)
    const results = await reruns.retryAll(
      caller.scope,
      chosen.runUuids,
      body.playbook ?? 'same',
      caller.actor,
    )
    const data = results.map(({ runUuid, outcome }) => ({
      run_uuid: runUuid,
      retry_uuid: 'run' in outcome ? outcome.run.uuid : null,
      error: 'run' in outcome ? null : errorView(outcome.error),
    }))
    return { body: { data, left: chosen.total - chosen.runUuids.length } }
  },
})

interface Chosen {
  readonly runs?: readonly string[] | undefined
  readonly filter?:
    | {
        readonly playbook: string
        readonly error?: string | undefined
        readonly created_after?: number | undefined
        readonly created_before?: number | undefined
      }
    | undefined
}

async function chosenRuns(
  { runs, filter }: Chosen,
  scope: Parameters<Services['reruns']['retriable']>[0],
  reruns: Services['reruns'],
) {
  if ((runs === undefined) === (filter === undefined)) {
    const message = 'either `runs` or `filter` has to be given'
    throw new ValidationError('value_invalid', message, [{ pointer: '', message }])
  }
  if (filter === undefined) return { runUuids: runs ?? [], total: runs?.length ?? 0 }
  const { playbook, error, created_after: createdAfter, created_before: createdBefore } = filter
  const wanted = { playbookName: playbook, errorCode: error, createdAfter, createdBefore }
  return await reruns.retriable(scope, wanted, maxRetries)
}

const errorView = ({ code, message, hint }: TocsinError) => ({ code, message, ...(hint && { hint }) })
