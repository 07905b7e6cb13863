import { inputsToApprove, skillToApprove } from '../../../../core/checkpoint/kind.ts'
import { requireBatch, fingerprintOf } from '../../../../core/checkpoint/checkpoint-batch.ts'
import { counted, targetOf } from '../../../../core/checkpoint/target.ts'
import type { Checkpoint, Question } from '../../../../core/domain/checkpoint.ts'
import { hide } from '../../../../core/domain/mask.ts'
import { acceptedBy } from '../../../../core/playbook/check/mask-of-type.ts'
import { operatorInput } from '../../../../core/playbook/check/asked-input.ts'
import { textAt, type JsonSchema } from '../../../../core/plugin/index.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { rolesWithPermission } from '../../caller/caller.ts'
import { answersView } from './checkpoint-view.ts'
import {
  checkpointIds,
  chosenCheckpoints,
  manyCheckpoints,
  maxTogether,
  namedCheckpoints,
} from './chosen-checkpoints.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

/** Characters of a text in the preview; the checkpoint has the full text. */
const maxShown = 1_000

const counts = { type: 'integer', minimum: 0 } as const

const questionSchema = objectSchema({
  checkpoint_id: text,
  run_uuid: text,
  playbook: text,
  alert_id: textOrNull,
  case_id: textOrNull,
  message: { ...textOrNull, description: `The question; its first ${maxShown} characters.` },
  skill: { ...textOrNull, description: 'The skill that waits for an approval; null for another question.' },
  target: {
    ...text,
    description: `The target: the input of the action, or the message of the question; its first ${maxShown} characters.`,
  },
  created_at: time,
  timeout_at: time,
})

/** Answer of `POST checkpoints/answer/preview`. */
export const apiAnswerPreviewSchema = objectSchema({
  kind: textOrNull,
  organization_code: textOrNull,
  answers: {
    type: 'array',
    items: objectSchema({ value: text, label: text }),
    description: 'The possible answers.',
  },
  seen: {
    ...textOrNull,
    description: 'Identifies exactly these questions; send it with the answer. Null: no questions.',
  },
  targets: {
    type: 'array',
    items: objectSchema({ target: text, count: counts }),
    description: 'Each once, most frequent first.',
  },
  data: { type: 'array', items: questionSchema, description: 'Oldest first.' },
  gone: { ...counts, description: 'Named checkpoints that are no longer open.' },
  left: { ...counts, description: 'Further matches of the filter, for another request.' },
})

export const previewAnswers = defineRoute({
  method: 'POST',
  path: '/checkpoints/answer/preview',
  access: 'questions:write',
  summary: `Previews one answer to many questions: at most ${maxTogether} open ones, of one kind in one organization. Changes nothing.`,
  answer: apiAnswerPreviewSchema,
  body: manyCheckpoints,
  async handle({ body, caller }, services) {
    const { checkpoints, gone, left } = await chosenCheckpoints(body, caller.scope, services)
    if (checkpoints.length === 0) return { body: { ...nothing, gone, left } }
    const one = requireBatch(checkpoints)
    const data = one.checkpoints.map((each) => questionView(each, services))
    const targets = one.checkpoints.flatMap((each) => targetsOf(each, services))
    return {
      body: {
        kind: one.kind,
        organization_code: await services.directory.organizationCode(one.organizationUuid),
        answers: answersView(checkpoints[0]!.question, one.answers),
        seen: fingerprintOf(one),
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
    skill: skillToApprove(checkpoint) ?? null,
    target: targetsOf(checkpoint, services).join('; ').slice(0, maxShown).toWellFormed(),
    created_at: createdAt,
    timeout_at: timeoutAt,
  }
}

const messageOf = ({ input }: Question): string | null => textAt(input, 'message')

/** The target of a question: every input of an approval, or the one target of another question. */
function targetsOf(checkpoint: Checkpoint, { catalogue }: Pick<Services, 'catalogue'>): readonly string[] {
  const { question } = checkpoint
  const schemaOf = (name: string): JsonSchema => catalogue.skill(name)?.skill.input ?? operatorInput
  const skill = skillToApprove(checkpoint)
  if (skill !== undefined) {
    // Sensitive values were replaced before the question was asked.
    const schema = schemaOf(skill)
    return inputsToApprove(checkpoint).map((input) => targetOf(schema, input).toWellFormed())
  }
  const schema = schemaOf(question.via)
  const target = questionTarget(messageOf(question), schema, hide(acceptedBy(schema), question.input))
  return [target.toWellFormed()]
}

/** The target of a playbook's question is in its message. */
const questionTarget = (message: string | null, schema: JsonSchema, input: unknown): string =>
  [message, targetOf(schema, input)].filter((part) => part !== null && part !== '').join(' · ')

export const answerCheckpoints = defineRoute({
  method: 'POST',
  path: '/checkpoints/answer',
  once: true,
  access: 'questions:write',
  summary:
    'Gives one answer to all previewed questions, in the name of the API key. Questions answered before are skipped.',
  answer: objectSchema({
    data: {
      type: 'array',
      items: objectSchema({
        checkpoint_id: text,
        outcome: {
          enum: ['accepted', 'counted', 'second', 'late', 'decided', 'same_person'],
          description: 'Whether the answer counts, or why not. counted: more approvals are missing.',
        },
      }),
    },
  }),
  body: {
    required: ['checkpoints', 'seen', 'answer'],
    properties: {
      checkpoints: checkpointIds,
      seen: { type: 'string', description: 'The `plan` of the preview.' },
      answer: { type: 'string', description: 'One of the answers.' },
      text: { type: 'string', maxLength: 4000, description: 'A remark, recorded with each answer.' },
    },
  },
  async handle({ body, caller }, services) {
    const one = requireBatch(await namedCheckpoints(body.checkpoints, caller.scope, services))
    const given = {
      value: body.answer,
      by: caller.actor,
      approvingRoles: rolesWithPermission(caller, 'approvals:write'),
      signedInAt: caller.session?.createdAt,
      text: body.text ?? null,
    }
    const outcomes = await services.control.answerAll(one, body.seen, given)
    return {
      body: { data: outcomes.map(({ outcome, checkpoint }) => ({ checkpoint_id: checkpoint.id, outcome })) },
    }
  },
})
