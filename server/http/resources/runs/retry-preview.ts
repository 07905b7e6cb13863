import type { RepeatedEffect, CarriedStep } from '../../../../core/rerun/plan.ts'
import { oneAfterAnother, type RetryPreview } from '../../../../core/rerun/reruns.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { showRun } from './redact-run.ts'
import {
  chosenRuns,
  errorView,
  left,
  manyRuns,
  nullable,
  plan,
  playbookVersion,
  text,
  untilEnough,
  whyNot,
} from './retry-choice.ts'
import { operators } from '../../caller/caller.ts'

/** In one answer. */
const [maxSteps, maxRepeats] = [5_000, 1_000]

const count = { type: 'integer', minimum: 0 } as const
const repeatsTotal = {
  ...count,
  description: 'How many there are; `repeats` holds the first 1,000.',
} as const

const repeatsSchema = {
  type: 'array',
  description:
    'Writes that took effect, or may have, and are done again where the new run comes past them, with a new idempotency key.',
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
          'What the skill declares: it may be repeated; the other system is asked first; it must not be. Null: it is not installed.',
      },
    },
  },
} as const

const previewSchema = {
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
    run_uuid: { ...text, description: 'The run that would be gone on from.' },
    playbook: text,
    playbook_hash: { ...text, description: 'Of the version that would run.' },
    plan,
    steps: {
      type: 'array',
      description:
        'The steps of the run before, 5,000 at most: where there are more, those that run again before those that are carried over.',
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
    steps_total: { ...count, description: 'Steps of the run before.' },
    steps_carried: { ...count, description: 'Of these, how many are carried over.' },
    repeats: repeatsSchema,
    repeats_total: repeatsTotal,
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
  access: operators,
  summary: 'What a retry of many runs would do: which runs, and which effects would repeat. Changes nothing.',
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
          required: ['run_uuid', 'playbook', 'playbook_hash', 'plan', 'repeats', 'repeats_total', 'error'],
          properties: {
            run_uuid: previewSchema.properties.run_uuid,
            playbook: nullable,
            playbook_hash: {
              ...nullable,
              description: 'Of the version that would run; null where none would.',
            },
            plan: { ...plan, type: ['string', 'null'] },
            repeats: repeatsSchema,
            repeats_total: repeatsTotal,
            error: whyNot,
          },
        },
      },
      left,
    },
  },
  body: manyRuns,
  async handle({ body, caller }, services) {
    const { reruns } = services
    const { runUuids, total } = await chosenRuns(body, caller.scope, reruns)
    const results = await oneAfterAnother(
      runUuids,
      async (uuid) =>
        await previewView(await reruns.preview(caller.scope, uuid, body.playbook ?? 'same'), services),
      untilEnough(),
    )
    const data = results.map(({ runUuid, outcome }) =>
      'done' in outcome
        ? { ...outcome.done, error: null }
        : { run_uuid: runUuid, ...nothing, error: errorView(outcome.error) },
    )
    return { body: { data, left: total - results.length } }
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

/** Those that run again before those that are carried over. */
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
