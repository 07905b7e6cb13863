import { kindOf } from '../../../../core/checkpoint/kind.ts'
import { wordFor } from '../../../../core/domain/audit.ts'
import {
  type Checkpoint,
  type CheckpointAnswer,
  type Question,
  labelOf,
  labelOfAnswer,
  askedOf,
  nameOfAnswerer,
  nameOfAsked,
} from '../../../../core/domain/checkpoint.ts'
import { hidden, hide } from '../../../../core/domain/mask.ts'
import { acceptedBy, maskOfSchema } from '../../../../core/playbook/check/mask-of-type.ts'
import { decisionLabel, isApproval } from '../../../../core/transitions/question.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { Services } from '../../routing/route.ts'
import { consequencesView } from './consequences-view.ts'

type Seen = Pick<Services, 'directory' | 'catalogue' | 'stores' | 'playbooks' | 'log'>

/** A question with the data for an answer, and its outcome (`schemas/checkpoint.schema.json`). */
export async function checkpointView(checkpoint: Checkpoint, services: Seen) {
  const { directory, catalogue } = services
  const { question, answer } = checkpoint
  const { via, form } = question
  const asking = catalogue.skill(via)?.skill.input as JsonSchema | undefined
  const answered = catalogue.skill(via)?.skill.output as JsonSchema | undefined
  const asked = askedOf(checkpoint)
  return {
    checkpoint_id: checkpoint.id,
    run_uuid: checkpoint.runUuid,
    organization_code: await directory.organizationCode(checkpoint.organizationUuid),
    playbook: checkpoint.playbookName,
    alert_id: checkpoint.alertId,
    case_id: checkpoint.caseId,
    case_title: await caseTitle(checkpoint, services),
    path: checkpoint.path,
    step_id: checkpoint.stepId,
    kind: kindOf(checkpoint),
    via,
    connection: checkpoint.connection,
    input: asking ? hide(acceptedBy(asking), question.input ?? null) : (question.input ?? null),
    asked: typeof asked === 'string' ? asked : null,
    asked_name: nameOfAsked(checkpoint),
    answers: question.answers && answersView(question, question.answers),
    form,
    group: await groupView(checkpoint, services),
    consequences: await consequencesView(checkpoint, services),
    reference: answered
      ? hide(maskOfSchema(answered), checkpoint.reference ?? null)
      : (checkpoint.reference ?? null),
    state: checkpoint.state,
    created_at: checkpoint.createdAt,
    timeout_at: checkpoint.timeoutAt,
    on_timeout: silenceView(checkpoint),
    answer: answer && { ...answerView(answer, checkpoint), label: decisionLabel(checkpoint) ?? null },
    approval: approvalView(checkpoint),
  }
}

async function caseTitle({ caseId, organizationUuid }: Checkpoint, { stores }: Seen) {
  if (caseId === null) return null
  return (await stores.cases.find([organizationUuid], caseId))?.title ?? null
}

/** Who must approve, who has, and what exactly. */
function approvalView(checkpoint: Checkpoint) {
  const { question, answer, counted = [], state } = checkpoint
  const { approval } = question
  if (approval === undefined) return null
  const { rule, needed, by, escalation, inputHash, connection } = approval
  const approved = [...counted, ...(answer !== null && isApproval(answer.value) ? [answer] : [])]
  return {
    rule,
    needed,
    missing: state === 'waiting' ? needed - approved.length : 0,
    approved: approved.map((given) => {
      const { actor, at, refused_items: refused } = answerView(given, checkpoint)
      return { actor, at, refused_items: refused }
    }),
    by,
    escalation: escalation && { at: escalation.atMs, by: escalation.by },
    connection,
    input_hash: inputHash,
  }
}

/** The people who have answered, and how many must. */
async function groupView({ group, runUuid }: Checkpoint, { stores }: Seen) {
  if (group === null) return null
  const { path, people, needed, veto } = group
  const members = await stores.checkpoints.inGroup(runUuid, path)
  const answered = members.flatMap((member) => {
    if (member.answer === null) return []
    const { label, by, by_name: byName, at } = answerView(member.answer, member)
    return [{ checkpoint_id: member.id, label, by, by_name: byName, at }]
  })
  return { path, people, quorum: needed, veto, answered }
}

export const answersView = (question: Question, answers: readonly string[]) =>
  answers.map((value) => ({ value, label: labelOf(question, value) }))

function silenceView({ onTimeout, question: { form } }: Checkpoint) {
  if (onTimeout === null) return null
  if (onTimeout.fails) return { fails: true, answer: null }
  return { fails: false, answer: form ? hide(maskOfSchema(form), onTimeout.answer) : onTimeout.answer }
}

export function answerView({ value, by, text, at, refusedItems }: CheckpointAnswer, checkpoint: Checkpoint) {
  const { question } = checkpoint
  const { form } = question
  const mask = form === null ? undefined : maskOfSchema(form)
  const shown = hide(mask, value)
  const byName = nameOfAnswerer(checkpoint, by)
  return {
    value: shown,
    label: labelOfAnswer(question, { value, refusedItems }) ?? null,
    by: wordFor(by),
    by_name: byName,
    actor: { ...by, name: byName ?? by.name },
    // Hidden as in the output of the step: the text may repeat sensitive values.
    text: mask === undefined || text === null ? text : hidden,
    refused_items: refusedItems ?? [],
    at,
  }
}
