import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import type { Directory } from '../directory.ts'
import { component, defineRoute, operators } from '../route.ts'
import { within } from '../validate.ts'
import { objectSchema, pageOf, pageParameters, pageSchema, pageView } from './page.ts'

async function checkpointView(checkpoint: Checkpoint, directory: Directory) {
  const { question, answer } = checkpoint
  return {
    checkpoint_id: checkpoint.id,
    run_uuid: checkpoint.runUuid,
    organization_code: await directory.organizationCode(checkpoint.organizationUuid),
    path: checkpoint.path,
    step_id: checkpoint.stepId,
    via: question.via,
    input: question.input ?? null,
    answers: question.answers,
    form: question.form,
    reference: checkpoint.reference ?? null,
    state: checkpoint.state,
    created_at: checkpoint.createdAt,
    timeout_at: checkpoint.timeoutAt,
    answer: answer && { value: answer.value, by: answer.by, text: answer.text, at: answer.at },
  }
}

const listCheckpoints = defineRoute({
  method: 'GET',
  path: '/checkpoints',
  access: operators,
  summary: 'Lists checkpoints that wait for an answer, newest first.',
  status: 200,
  answer: pageSchema(component('checkpoint')),
  query: { type: 'object', additionalProperties: false, properties: pageParameters },
  async handle({ query, caller }, { stores, directory }) {
    const page = await stores.checkpoints.waiting(caller.scope, pageOf(query))
    return { body: await pageView(page, (checkpoint) => checkpointView(checkpoint, directory)) }
  },
})

const answerCheckpoint = defineRoute({
  method: 'POST',
  path: '/checkpoints/{checkpoint}/answer',
  access: operators,
  summary:
    'Answers a checkpoint in the name of the API key. Only the first answer in time counts; others are recorded.',
  status: 200,
  answer: objectSchema({
    outcome: { enum: ['accepted', 'second', 'late'], description: 'Whether it counts, or why not.' },
    checkpoint: component('checkpoint'),
  }),
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['answer'],
    properties: {
      answer: { description: 'One of the answers, or what was filled in.' },
      text: { type: 'string', maxLength: 4000, description: 'A remark.' },
    },
  },
  async handle({ params, body, caller }, { control, directory }) {
    const given = { value: body.answer, by: caller.keyName, text: body.text ?? null }
    const { outcome, checkpoint } = await within('/answer', () =>
      control.answer(caller.scope, params.checkpoint, given),
    )
    return { body: { outcome, checkpoint: await checkpointView(checkpoint, directory) } }
  },
})

export const checkpointRoutes = [listCheckpoints, answerCheckpoint]
