import type { RepeatedEffect, CarriedStep } from '../../../core/rerun/plan.ts'
import { oneAfterAnother, type RetryPreview } from '../../../core/rerun/reruns.ts'
import { defineRoute, operators, type Services } from '../route.ts'
import { within } from '../validate.ts'
import { showSteps } from './redact-run.ts'
import {
  chosenRuns,
  errorView,
  left,
  manyRuns,
  nullable,
  playbookVersion,
  text,
  whyNot,
} from './retry-choice.ts'

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
    repeats: repeatsSchema,
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
    return { body: { ...(await previewView(preview, services)), steps: preview.steps.map(stepView) } }
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
          required: ['run_uuid', 'playbook', 'playbook_hash', 'repeats', 'error'],
          properties: {
            run_uuid: previewSchema.properties.run_uuid,
            playbook: nullable,
            playbook_hash: {
              ...nullable,
              description: 'Of the version that would run; null where none would.',
            },
            repeats: repeatsSchema,
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
    const results = await oneAfterAnother(runUuids, async (uuid) =>
      previewView(await reruns.preview(caller.scope, uuid, body.playbook ?? 'same'), services),
    )
    const data = results.map(({ runUuid, outcome }) =>
      'done' in outcome
        ? { ...outcome.done, error: null }
        : { run_uuid: runUuid, ...nothing, error: errorView(outcome.error) },
    )
    return { body: { data, left: total - runUuids.length } }
  },
})

const nothing = { playbook: null, playbook_hash: null, repeats: [] }

async function previewView({ run, playbook, steps, repeats }: RetryPreview, services: Services) {
  const { masked, redaction } = await showSteps(
    run,
    steps.map(({ entry }) => entry),
    services,
  )
  const redacted = redaction()
  return {
    run_uuid: run.uuid,
    playbook: playbook.name,
    playbook_hash: playbook.hash,
    repeats: repeats.map((effect) => redacted(effectView({ ...effect, entry: masked(effect.entry) }))),
  }
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
