import { nameOfAnswerer } from '../../../core/domain/asked-person.ts'
import type { Checkpoint, CheckpointAnswer } from '../../../core/domain/checkpoint.ts'
import { maskSensitive } from '../../../core/engine/sensitive.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { RequestError } from '../request-error.ts'
import { component, defineRoute, operators, type Services } from '../route.ts'
import { within } from '../validate.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  textOrNull,
  time,
} from './page.ts'

const givenSchema = objectSchema({
  outcome: {
    enum: ['accepted', 'second', 'late', 'not_asked', 'not_an_answer', 'ambiguous'],
    description: 'Whether it counts, or why not.',
  },
  value: { description: 'One of the answers, or what was filled in; null for what was none.' },
  by: { type: 'string', description: 'As the other system knows them, or the name of an API key.' },
  by_name: {
    ...textOrNull,
    description: 'How people know them, such as an e-mail address, where the skill that asked has said so.',
  },
  text: textOrNull,
  at: time,
})

type Seen = Pick<Services, 'directory' | 'catalogue'>

async function checkpointView(checkpoint: Checkpoint, { directory, catalogue }: Seen) {
  const { question, answer } = checkpoint
  const { via, form } = question
  const asking = catalogue.skill(via)?.skill.input as JsonSchema | undefined
  return {
    checkpoint_id: checkpoint.id,
    run_uuid: checkpoint.runUuid,
    organization_code: await directory.organizationCode(checkpoint.organizationUuid),
    path: checkpoint.path,
    step_id: checkpoint.stepId,
    via,
    connection: checkpoint.connection,
    input: asking ? maskSensitive(asking, question.input ?? null) : (question.input ?? null),
    answers: question.answers,
    form,
    reference: checkpoint.reference ?? null,
    state: checkpoint.state,
    created_at: checkpoint.createdAt,
    timeout_at: checkpoint.timeoutAt,
    answer: answer && answerView(answer, checkpoint),
  }
}

function answerView({ value, by, text, at }: CheckpointAnswer, checkpoint: Checkpoint) {
  const { form } = checkpoint.question
  const shown = form ? maskSensitive(form, value) : value
  // A text reply may be what was filled in.
  const said = text === value && shown !== value ? shown : text
  return { value: shown, by, by_name: nameOfAnswerer(checkpoint, by), text: said, at }
}

const listCheckpoints = defineRoute({
  method: 'GET',
  path: '/checkpoints',
  access: operators,
  summary: 'Lists checkpoints that wait for an answer, newest first.',
  status: 200,
  answer: pageSchema(component('checkpoint')),
  query: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...pageParameters,
      organization: { type: 'string', description: 'Code of an organization.' },
      run: { type: 'string', description: 'Uuid of the run that asks.' },
      via: { type: 'string', description: 'Name of the skill that asks, or `operator`.' },
      sort: sortByAge,
    },
  },
  async handle({ query, caller }, { stores, ...seen }) {
    const scope = await seen.directory.scopeWithin(caller.scope, query.organization)
    const filter = { runUuid: query.run, via: query.via }
    const page = await stores.checkpoints.waiting(scope, pageOf(query), filter)
    return { body: await pageView(page, (checkpoint) => checkpointView(checkpoint, seen)) }
  },
})

const getCheckpoint = defineRoute({
  method: 'GET',
  path: '/checkpoints/{checkpoint}',
  access: operators,
  summary: 'One checkpoint, whatever became of it, with all answers that came.',
  status: 200,
  answer: objectSchema({
    checkpoint: component('checkpoint'),
    given: { type: 'array', items: givenSchema, description: 'Oldest first.' },
  }),
  async handle({ params, caller }, services) {
    const { stores } = services
    const checkpoint = await stores.checkpoints.find(caller.scope, params.checkpoint)
    if (checkpoint === undefined) throw new RequestError('checkpoint_not_found')
    const given = await stores.checkpoints.answers(checkpoint.id)
    return {
      body: {
        checkpoint: await checkpointView(checkpoint, services),
        given: given.map((answer) => ({
          outcome: answer.outcome,
          ...answerView(answer, checkpoint),
        })),
      },
    }
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
  async handle({ params, body, caller }, { control, ...seen }) {
    const given = { value: body.answer, by: caller.actor, text: body.text ?? null }
    const { outcome, checkpoint } = await within('/answer', () =>
      control.answer(caller.scope, params.checkpoint, given),
    )
    return { body: { outcome, checkpoint: await checkpointView(checkpoint, seen) } }
  },
})

export const checkpointRoutes = [listCheckpoints, getCheckpoint, answerCheckpoint]
