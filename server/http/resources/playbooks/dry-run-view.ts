import { wouldAsk, type RehearsedUses } from '../../../../core/destructive/policy.ts'
import { eventsOf, type DryRunEvent, type DryRunTree } from '../../../../core/dry-run/explore.ts'
import { hide } from '../../../../core/domain/mask.ts'
import { maskedEntry, maskedOutput } from '../../../../core/engine/skills/masked-run.ts'
import { writeDuration } from '../../../../core/playbook/language/durations.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { acceptedBy, maskOfSchema } from '../../../../core/playbook/check/mask-of-type.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { AnswerChoice } from '../../../../core/playbook-test/run/checkpoint-answers.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../system/page.ts'

const anything: JsonSchema = {}
const errorOrNull: JsonSchema = { type: ['object', 'null'] }
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

const stepSchema = objectSchema({
  path: text,
  kind: text,
  state: text,
  attempt: { type: 'integer', minimum: 1 },
  started_at: time,
  ended_at: timeOrNull,
  input: anything,
  output: anything,
  error: errorOrNull,
})

const writeSchema = objectSchema({
  path: text,
  skill: { ...text, description: 'Or `state`: a change of what the playbook keeps.' },
  connection: textOrNull,
  input: anything,
  output: { description: 'The assumed output that the run continues with.' },
  output_from: {
    enum: ['fixtures', 'example', 'schema', 'state'],
    description: 'Source of this output; `state`: what the playbook keeps, with the change.',
  },
  undo: {
    anyOf: [{ type: 'null' }, objectSchema({ after: text, unless: textOrNull })],
    description: 'When its containment would be undone; null: it would not, or only by people.',
  },
})

const endSchema = objectSchema({
  status: text,
  output: anything,
  error: errorOrNull,
  duration_ms: { type: 'integer', minimum: 0, description: 'Total time of the skipped waits.' },
  writes: { type: 'integer', minimum: 0, description: 'Over the whole path, from the start.' },
  would_ask: {
    ...list(text),
    description:
      'Destructive actions on the whole path that would wait for approvals: because of a rule, or beyond the limit of their class.',
  },
})

const questionSchema = objectSchema({
  path: text,
  via: text,
  input: anything,
  answers: { type: ['array', 'null'], items: text },
  form: { type: ['object', 'null'] },
  ways: {
    ...list(
      objectSchema({
        timeout: { type: 'boolean' },
        answer: anything,
        events: { type: 'array' },
        end: { type: ['object', 'null'] },
        question: { type: ['object', 'null'] },
      }),
    ),
    description:
      'The continuation for each answer, and for none in time (`timeout`): `events`, `end` and `question` as here.',
  },
})

export const dryRunSchema = objectSchema({
  playbook: text,
  would_not_start: {
    ...textOrNull,
    description: 'Why the alert would not start the playbook; null: it would.',
  },
  correlation: {
    ...list(text),
    description:
      'For each correlation rule that applies to the alert: why another alert would share its case, phrased to follow "because".',
  },
  events: {
    ...list({
      oneOf: [objectSchema({ step: stepSchema }), objectSchema({ would_do: writeSchema })],
    }),
    description: 'Ended steps, and skipped writes.',
  },
  end: { anyOf: [{ type: 'null' }, endSchema] },
  question: {
    anyOf: [{ type: 'null' }, questionSchema],
    description: '`end` and `question` are both null if there are too many paths: this one was not tried.',
  },
})

/** A dry run without sensitive values. */
export function dryRunView(
  tree: DryRunTree,
  catalogue: Catalogue,
  playbook: Playbook,
  uses: RehearsedUses,
): Readonly<Record<string, unknown>> {
  const events = eventsOf(tree, catalogue).map((event) => eventView(event, catalogue))
  const { end } = tree
  if (end === 'too many ways') return { events, end: null, question: null }
  if ('ways' in end) {
    const { group, question } = end.asked
    const path = group?.path ?? end.asked.path
    const { via, answers, form } = question
    const ways = end.ways.map(({ choice, tree: way }) => ({
      timeout: choice === 'timeout',
      answer: shownChoice(choice, form),
      ...dryRunView(way, catalogue, playbook, uses),
    }))
    const asking = catalogue.skill(via)?.skill.input as JsonSchema | undefined
    const input = asking ? hide(acceptedBy(asking), question.input) : question.input
    return { events, end: null, question: { path, via, input, answers, form, ways } }
  }
  const { outcome, durationMs, wouldDo } = end
  const shown = {
    status: outcome?.status ?? 'stopped',
    output: maskedOutput(playbook, outcome?.output ?? null),
    error: outcome?.error ?? null,
    duration_ms: Math.round(durationMs),
    writes: wouldDo.length,
    would_ask: wouldAsk(
      wouldDo.map(({ skill }) => skill),
      catalogue,
      uses,
    ),
  }
  return { events, end: shown, question: null }
}

function eventView(event: DryRunEvent, catalogue: Catalogue) {
  if ('would' in event) {
    const { path, skill, connection = null, input, output, from, masks, undo } = event.would
    return {
      would_do: {
        path,
        skill,
        connection,
        input: hide(masks?.input, input),
        output: hide(masks?.output, output),
        output_from: from,
        undo: undo === undefined ? null : { after: writeDuration(undo.afterMs), unless: undo.unless ?? null },
      },
    }
  }
  const { path, kind, state, attempt, startedAt, endedAt, input, output, error } = maskedEntry(
    event.ended,
    catalogue,
  )
  const data = { input: input ?? null, output: output ?? null, error }
  return { step: { path, kind, state, attempt, started_at: startedAt, ended_at: endedAt, ...data } }
}

/** Of several people, the list of their answers. */
function shownChoice(choice: AnswerChoice, form: JsonSchema | null): unknown {
  if (choice === 'timeout') return null
  if ('answers' in choice) return choice.answers.map((each) => shownChoice(each, form))
  return form === null ? choice.answer : hide(maskOfSchema(form), choice.answer)
}
