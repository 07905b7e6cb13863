import { heldInputsOf, heldSkillOf } from '../../../../core/checkpoint/kind.ts'
import { requireOneKind, seenOf } from '../../../../core/checkpoint/one-kind.ts'
import { counted, targetOf } from '../../../../core/checkpoint/target.ts'
import type { Checkpoint, Question } from '../../../../core/domain/checkpoint.ts'
import { hide } from '../../../../core/domain/mask.ts'
import { acceptedBy } from '../../../../core/playbook/check/mask-of-type.ts'
import { operatorInput } from '../../../../core/playbook/check/asked-input.ts'
import { textAt, type JsonSchema } from '../../../../core/plugin/index.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { answersView } from './checkpoint-view.ts'
import {
  checkpointIds,
  chosenCheckpoints,
  manyCheckpoints,
  maxTogether,
  namedCheckpoints,
} from './chosen-checkpoints.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'
import { operators } from '../../caller/caller.ts'

/** Of a text in the preview, in characters; the whole one stands with the checkpoint. */
const maxShown = 1_000

const counts = { type: 'integer', minimum: 0 } as const

const questionSchema = objectSchema({
  checkpoint_id: text,
  run_uuid: text,
  playbook: text,
  alert_id: textOrNull,
  case_id: textOrNull,
  message: { ...textOrNull, description: `What is asked; its first ${maxShown} characters.` },
  skill: { ...textOrNull, description: 'The skill whose use is to be approved; null for another question.' },
  target: {
    ...text,
    description: `What it acts on: the input without prose, after the message where a playbook asks; its first ${maxShown} characters.`,
  },
  created_at: time,
  timeout_at: time,
})

export const previewAnswers = defineRoute({
  method: 'POST',
  path: '/checkpoints/answer/preview',
  access: operators,
  summary: `What one answer to many questions would decide: at most ${maxTogether} that wait, of one kind in one organization. Changes nothing.`,
  status: 200,
  answer: objectSchema({
    kind: textOrNull,
    organization_code: textOrNull,
    answers: {
      type: 'array',
      items: objectSchema({ value: text, label: text }),
      description: 'What to choose from.',
    },
    seen: {
      ...textOrNull,
      description: 'Names exactly these questions; the answer carries it. Null: there are none.',
    },
    targets: {
      type: 'array',
      items: objectSchema({ target: text, count: counts }),
      description: 'Each one once, the most frequent first.',
    },
    data: { type: 'array', items: questionSchema, description: 'Oldest first.' },
    gone: { ...counts, description: 'Of the checkpoints that were named: those that wait no more.' },
    left: { ...counts, description: 'That fit the filter, and are left for another request.' },
  }),
  body: manyCheckpoints,
  async handle({ body, caller }, services) {
    const { checkpoints, gone, left } = await chosenCheckpoints(body, caller.scope, services)
    if (checkpoints.length === 0) return { body: { ...nothing, gone, left } }
    const one = requireOneKind(checkpoints)
    const data = one.checkpoints.map((each) => questionView(each, services))
    const targets = one.checkpoints.flatMap((each) => targetsOf(each, services))
    return {
      body: {
        kind: one.kind,
        organization_code: await services.directory.organizationCode(one.organizationUuid),
        answers: answersView(checkpoints[0]!.question, one.answers),
        seen: seenOf(one),
        targets: counted(targets).map((each) => ({
          target: each.text.slice(0, maxShown),
          count: each.count,
        })),
        data,
        gone,
        left,
      },
    }
  },
})

const nothing = { kind: null, organization_code: null, answers: [], seen: null, targets: [], data: [] }

function questionView(checkpoint: Checkpoint, services: Pick<Services, 'catalogue'>) {
  const { question, id, runUuid, playbookName, alertId, caseId, createdAt, timeoutAt } = checkpoint
  return {
    checkpoint_id: id,
    run_uuid: runUuid,
    playbook: playbookName,
    alert_id: alertId,
    case_id: caseId,
    message: messageOf(question)?.slice(0, maxShown).toWellFormed() ?? null,
    skill: heldSkillOf(checkpoint) ?? null,
    target: targetsOf(checkpoint, services).join('; ').slice(0, maxShown).toWellFormed(),
    created_at: createdAt,
    timeout_at: timeoutAt,
  }
}

const messageOf = ({ input }: Question): string | null => textAt(input, 'message')

/** What a question is about: of an approval each input, of another question one target. */
function targetsOf(checkpoint: Checkpoint, { catalogue }: Pick<Services, 'catalogue'>): readonly string[] {
  const { question } = checkpoint
  const schemaOf = (name: string): JsonSchema => catalogue.skill(name)?.skill.input ?? operatorInput
  const skill = heldSkillOf(checkpoint)
  if (skill !== undefined) {
    // What was sensitive has been replaced before it was asked.
    const schema = schemaOf(skill)
    return heldInputsOf(checkpoint).map((input) => targetOf(schema, input).toWellFormed())
  }
  const schema = schemaOf(question.via)
  const target = questionTarget(messageOf(question), schema, hide(acceptedBy(schema), question.input))
  return [target.toWellFormed()]
}

/** What the question of a playbook is about stands in its words. */
const questionTarget = (message: string | null, schema: JsonSchema, input: unknown): string =>
  [message, targetOf(schema, input)].filter((part) => part !== null && part !== '').join(' · ')

export const answerCheckpoints = defineRoute({
  method: 'POST',
  path: '/checkpoints/answer',
  once: true,
  access: operators,
  summary:
    'Gives one answer to all the questions that a preview showed, in the name of the API key. What was answered before stops no other.',
  status: 200,
  answer: objectSchema({
    data: {
      type: 'array',
      items: objectSchema({
        checkpoint_id: text,
        outcome: { enum: ['accepted', 'second', 'late'], description: 'Whether it counts, or why not.' },
      }),
    },
  }),
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['checkpoints', 'seen', 'answer'],
    properties: {
      checkpoints: checkpointIds,
      seen: { type: 'string', description: 'Of the preview of exactly these.' },
      answer: { type: 'string', description: 'One of the answers.' },
      text: { type: 'string', maxLength: 4000, description: 'A remark, recorded with each.' },
    },
  },
  async handle({ body, caller }, services) {
    const one = requireOneKind(await namedCheckpoints(body.checkpoints, caller.scope, services))
    const given = {
      value: body.answer,
      by: caller.actor,
      signedInAt: caller.session?.createdAt,
      text: body.text ?? null,
    }
    const outcomes = await within('/answer', () => services.control.answerAll(one, body.seen, given))
    return {
      body: { data: outcomes.map(({ outcome, checkpoint }) => ({ checkpoint_id: checkpoint.id, outcome })) },
    }
  },
})
