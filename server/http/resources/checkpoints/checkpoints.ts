import { checkpointStates } from '../../../../core/domain/checkpoint.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { answerCheckpoints, previewAnswers } from './answer-many.ts'
import { actorSchema } from '../system/audit.ts'
import { answerView, checkpointView } from './checkpoint-view.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  textOrNull,
  time,
} from '../system/page.ts'
import { operators, readers } from '../../caller/caller.ts'

const givenSchema = objectSchema({
  outcome: {
    enum: ['accepted', 'second', 'late', 'not_asked', 'not_an_answer', 'ambiguous'],
    description: 'Whether it counts, or why not.',
  },
  value: { description: 'One of the answers, or what was filled in; null for what was none.' },
  label: {
    ...textOrNull,
    description: 'What people read for the answer; null for what was filled in, or was none.',
  },
  by: {
    type: 'string',
    description:
      'As the other system knows them, or the name of an API key, which may be anything: see `actor`.',
  },
  by_name: {
    ...textOrNull,
    description: 'How people know them, such as an e-mail address, where the skill that asked has said so.',
  },
  actor: actorSchema,
  text: textOrNull,
  at: time,
})

const listCheckpoints = defineRoute({
  method: 'GET',
  path: '/checkpoints',
  access: readers,
  summary: 'Lists checkpoints, newest first: those that wait for an answer, or that ended in another way.',
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
      kind: { type: 'string', description: 'See the field.' },
      state: {
        type: 'string',
        enum: checkpointStates,
        default: 'waiting',
        description: 'What became of them.',
      },
      sort: sortByAge,
    },
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const { run: runUuid, via, kind, state = 'waiting' } = query
    const filter = { state, runUuid, via, kind }
    const page = await stores.checkpoints.list(scope, pageOf(query), filter)
    return { body: await pageView(page, (checkpoint) => checkpointView(checkpoint, services)) }
  },
})

const getCheckpoint = defineRoute({
  method: 'GET',
  path: '/checkpoints/{checkpoint}',
  access: readers,
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
  once: true,
  recall: {
    keeps: (written) => textAt(written, 'outcome') ?? undefined,
    async answer(outcome, { caller, params }, services) {
      const checkpoint = await services.stores.checkpoints.find(caller.scope, params['checkpoint'] ?? '')
      if (checkpoint === undefined) throw new RequestError('checkpoint_not_found')
      return { body: { outcome, checkpoint: await checkpointView(checkpoint, services) } }
    },
  },
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
  async handle({ params, body, caller }, services) {
    const given = {
      value: body.answer,
      by: caller.actor,
      signedInAt: caller.session?.createdAt,
      text: body.text ?? null,
    }
    const { outcome, checkpoint } = await within('/answer', () =>
      services.control.answer(caller.scope, params.checkpoint, given),
    )
    return { body: { outcome, checkpoint: await checkpointView(checkpoint, services) } }
  },
})

export const checkpointRoutes = [
  listCheckpoints,
  getCheckpoint,
  answerCheckpoint,
  previewAnswers,
  answerCheckpoints,
]
