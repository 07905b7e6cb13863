import { checkpointStates } from '../../../../core/domain/checkpoint.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { answerCheckpoints, previewAnswers } from './answer-many.ts'
import { actorSchema } from '../system/audit.ts'
import { rolesWithPermission } from '../../caller/caller.ts'
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

const givenSchema = objectSchema({
  outcome: {
    enum: [
      'accepted',
      'counted',
      'second',
      'late',
      'decided',
      'same_person',
      'not_asked',
      'not_an_answer',
      'ambiguous',
    ],
    description: 'Whether the answer counts, or why not.',
  },
  value: { description: 'The answer, or the submitted form; null if it was invalid.' },
  label: {
    ...textOrNull,
    description: 'Label of the answer; null for a form or an invalid answer.',
  },
  by: {
    type: 'string',
    description: 'Id in the other system, or the name of an API key, which is free text: see `actor`.',
  },
  by_name: {
    ...textOrNull,
    description: 'A readable name, such as an e-mail address, if the skill provides one.',
  },
  actor: actorSchema,
  text: textOrNull,
  refused_items: {
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    description: 'Of an approval of several actions: the places of the refused ones, from 0.',
  },
  at: time,
})

const listCheckpoints = defineRoute({
  method: 'GET',
  path: '/checkpoints',
  access: 'runs:read',
  summary: 'Lists checkpoints, newest first: open ones, or those in another state.',
  answer: pageSchema(component('checkpoint')),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    run: { type: 'string', description: 'Uuid of the run that asked.' },
    via: { type: 'string', description: 'Name of the skill that asked, or `operator`.' },
    kind: { type: 'string', description: 'As in the field of the checkpoint.' },
    state: {
      type: 'string',
      enum: checkpointStates,
      default: 'waiting',
      description: 'State of the checkpoint.',
    },
    sort: sortByAge,
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
  access: 'runs:read',
  summary: 'One checkpoint with all its answers.',
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
  access: 'questions:write',
  summary:
    'Answers a checkpoint in the name of the API key. The first answer in time counts; others are only recorded.',
  answer: objectSchema({
    outcome: {
      enum: ['accepted', 'counted', 'second', 'late', 'decided', 'same_person'],
      description: 'Whether the answer counts, or why not. counted: more approvals are missing.',
    },
    checkpoint: component('checkpoint'),
  }),
  body: {
    required: ['answer'],
    properties: {
      answer: { description: 'One of the answers, or the submitted form.' },
      text: { type: 'string', maxLength: 4000, description: 'A remark.' },
      refused_items: {
        type: 'array',
        uniqueItems: true,
        maxItems: 10_000,
        items: { type: 'integer', minimum: 0, maximum: 9_999 },
        description:
          'With `approve` for several actions: the places in `inputs` of those that are refused, from 0. The others are approved.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const given = {
      value: body.answer,
      by: caller.actor,
      approvingRoles: rolesWithPermission(caller, 'approvals:write'),
      signedInAt: caller.session?.createdAt,
      text: body.text ?? null,
      refusedItems: body.refused_items,
    }
    const { outcome, checkpoint } = await services.control.answer(caller.scope, params.checkpoint, given)
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
