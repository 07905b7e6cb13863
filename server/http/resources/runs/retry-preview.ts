import type { RepeatedEffect, CarriedStep } from '../../../../core/retry/plan.ts'
import { runSequentially, type RetryPreview } from '../../../../core/retry/retries.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { showRun } from './redact-run.ts'
import {
  chosenRuns,
  errorView,
  left,
  manyRuns,
  next,
  restOf,
  plan,
  playbookVersion,
  untilEnough,
  whyNot,
} from './retry-choice.ts'
import { text, textOrNull } from '../system/page.ts'

/** Per response. */
const [maxSteps, maxRepeats] = [5_000, 1_000]

const count = { type: 'integer', minimum: 0 } as const
const repeatsTotal = {
  ...count,
  description: 'Total number; `repeats` lists the first 1,000.',
} as const

const repeatsSchema = {
  type: 'array',
  description:
    'Writes that took effect, or may have, and are repeated with a new idempotency key if the new run reaches them.',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'skill', 'input', 'took_effect', 'reason', 'repeat'],
    properties: {
      path: text,
      skill: text,
      input: { description: 'Sensitive values are replaced.' },
      took_effect: { enum: ['yes', 'may_have'] },
      reason: { ...text, description: 'Why it is not carried over.' },
      repeat: {
        enum: ['safe', 'verify', 'never', null],
        description:
          'From the skill: it may be repeated, the other system is asked first, or it must not be repeated. Null: not installed.',
      },
    },
  },
} as const

/** Answer of `GET runs/{run}/retry`. */
export const apiRetryPreviewSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'run_uuid',
    'playbook',
    'playbook_hash',
    'plan',
    'steps',
    'steps_total',
    'steps_carried',
    'repeats',
    'repeats_total',
  ],
  properties: {
    run_uuid: { ...text, description: 'The run to retry.' },
    playbook: text,
    playbook_hash: { ...text, description: 'Of the version to run.' },
    plan,
    steps: {
      type: 'array',
      description: 'Up to 5,000 steps of the earlier run: repeated ones before those that are carried over.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'step_id', 'kind', 'state', 'carried', 'reason', 'detail'],
        properties: {
          path: text,
          step_id: textOrNull,
          kind: text,
          state: text,
          carried: { type: 'boolean', description: 'It is not repeated.' },
          reason: { ...textOrNull, description: 'Why it is not carried over; null: it is.' },
          detail: { ...textOrNull, description: 'The referenced value, or the change.' },
        },
      },
    },
    steps_total: { ...count, description: 'Steps of the earlier run.' },
    steps_carried: { ...count, description: 'Steps that are carried over.' },
    repeats: repeatsSchema,
    repeats_total: repeatsTotal,
  },
} as const

export const previewRetry = defineRoute({
  method: 'GET',
  path: '/runs/{run}/retry',
  access: 'runs:write',
  summary: 'Previews a retry: steps that are carried over, and effects that would repeat.',
  answer: apiRetryPreviewSchema,
  query: { playbook: playbookVersion },
  async handle({ params, query, caller }, services) {
    const preview = await within('/inputs', () =>
      services.retries.preview(caller.scope, params.run, query.playbook ?? 'same'),
    )
    const { steps } = preview
    return {
      body: {
        ...(await previewView(preview, services)),
        steps: shownSteps(steps).map(stepView),
        steps_total: steps.length,
        steps_carried: steps.filter(({ reason }) => reason === null).length,
      },
    }
  },
})

export const previewRetries = defineRoute({
  method: 'POST',
  path: '/runs/retry/preview',
  access: 'runs:write',
  summary: 'Previews a retry of many runs: which runs, and effects that would repeat. Changes nothing.',
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
          required: ['run_uuid', 'playbook', 'playbook_hash', 'plan', 'repeats', 'repeats_total', 'error'],
          properties: {
            run_uuid: apiRetryPreviewSchema.properties.run_uuid,
            playbook: textOrNull,
            playbook_hash: {
              ...textOrNull,
              description: 'Of the version to run; null: none.',
            },
            plan: { ...plan, type: ['string', 'null'] },
            repeats: repeatsSchema,
            repeats_total: repeatsTotal,
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
      async (uuid) =>
        await previewView(await retries.preview(caller.scope, uuid, body.playbook ?? 'same'), services),
      untilEnough(),
    )
    const data = results.map(({ runUuid, outcome }) =>
      'done' in outcome
        ? { ...outcome.done, error: null }
        : { run_uuid: runUuid, ...nothing, error: errorView(outcome.error) },
    )
    return { body: { data, ...restOf(chosen, results) } }
  },
})

const nothing = { playbook: null, playbook_hash: null, plan: null, repeats: [], repeats_total: 0 }

async function previewView({ run, playbook, plan: planned, repeats }: RetryPreview, services: Services) {
  const { masked } = await showRun(run, services)
  return {
    run_uuid: run.uuid,
    playbook: playbook.name,
    playbook_hash: playbook.hash,
    plan: planned,
    repeats: repeats
      .slice(0, maxRepeats)
      .map((effect) => effectView({ ...effect, entry: masked(effect.entry) })),
    repeats_total: repeats.length,
  }
}

/** Repeated steps before those that are carried over. */
function shownSteps(steps: readonly CarriedStep[]): readonly CarriedStep[] {
  if (steps.length <= maxSteps) return steps
  const first = steps.toSorted((a, b) => Number(a.reason === null) - Number(b.reason === null))
  const shown = new Set(first.slice(0, maxSteps))
  return steps.filter((step) => shown.has(step))
}

const stepView = ({ entry, reason, detail }: CarriedStep) => ({
  path: entry.path,
  step_id: entry.stepId,
  kind: entry.kind,
  state: entry.state,
  carried: reason === null,
  reason,
  detail: detail ?? null,
})

const effectView = ({ entry, tookEffect, reason, repeat }: RepeatedEffect) => ({
  path: entry.path,
  skill: entry.kind,
  input: entry.input,
  took_effect: tookEffect,
  reason,
  repeat,
})
