import { caseEvents } from '../../domain/case.ts'
import { runEvents, type TriggerKind } from '../../domain/run.ts'
import { dyn, typeOfSchema, type Type } from '../../expression/index.ts'
import { observableKinds, type JsonSchema } from '../../plugin/index.ts'
import {
  entityBounds,
  isTriggerKind,
  maxQuestionWaitMs,
  schemaOfTrigger,
  schemaOfTriggers,
} from '../../trigger/trigger-schema.ts'
import { writeDuration } from '../language/durations.ts'
import { grammar } from '../language/grammar.ts'
import type { EventTriggers } from '../../trigger/triggers.ts'
import { quote } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { NameScope, queueNames } from '../scope/scope.ts'
import { readWrittenSchema } from '../steps/read-inputs.ts'
import { compileBare, compileCondition } from '../template/expressions.ts'
import { readChoice, readDuration, readFields, readNumber, type Fields } from '../template/fields.ts'
import type { Entry, Node } from '../yaml/document.ts'

/** The events that start the playbook, before its expressions are read. */
export interface EventHead {
  /** Type of `trigger` in runs; undefined: no event starts the playbook. */
  readonly type: Type | undefined
  readonly body: JsonSchema | undefined
}

/** Reads the parts of `on` that determine the type of `trigger`. */
export function readEventHead(
  reading: Pick<ReadContext, 'problems' | 'patterns'>,
  on: Node | undefined,
): EventHead {
  const entries = on?.kind === 'map' ? on.entries : []
  const kinds = entries.map(({ name }) => name).filter(isTriggerKind)
  const webhook = entries.find(({ name }) => name === 'webhook')?.value
  const given = webhook?.kind === 'map' ? webhook.entries.find(({ name }) => name === 'body') : undefined
  const body = given && readWrittenSchema(reading, given)
  if (kinds.length === 0) return { type: undefined, body }
  const isOnly = entries.every(({ name }) => isTriggerKind(name))
  return { type: typeOfSchema(schemaOfTriggers(kinds, isOnly, body)), body }
}

/** Reads the events of `on`. */
export function readEvents(
  context: ReadContext,
  on: Fields | undefined,
  names: Readonly<Record<string, Type>>,
  { body }: EventHead,
): EventTriggers {
  const read = <T>(kind: TriggerKind, as: (fields: Fields, where: ReadWhere) => T): T | undefined => {
    const entry = on?.get(kind)
    const fields = entry && readFields(context.problems, entry.value, grammar[`${kind}Trigger`])
    const trigger = typeOfSchema(schemaOfTrigger(kind, body))
    return fields && as(fields, () => readWhere(context, fields, { ...names, trigger }))
  }
  return {
    caseTrigger: read('case', (fields, where) => {
      const event = fields.get('event')
      return { events: event ? readChoices(context, event, caseEvents) : [], where: where() }
    }),
    entityTrigger: read('entity', (fields, where) => ({ ...readEntity(context, fields), where: where() })),
    webhookTrigger: read('webhook', (_, where) => ({ body, where: where() })),
    questionTrigger: read('question', (fields, where) => ({
      afterMs: readAfter(context, fields.get('after')),
      where: where(),
    })),
    runTrigger: read('run', (fields, where) => {
      const event = fields.get('event')
      return { events: event ? readChoices(context, event, runEvents) : [], where: where() }
    }),
  }
}

type ReadWhere = () => ReturnType<typeof readWhere>

function readWhere(context: ReadContext, fields: Fields, names: Readonly<Record<string, Type>>) {
  const where = fields.get('where')
  return where && compileCondition(context, new NameScope(names, { isBefore: true }), where).program
}

function readAfter({ problems }: ReadContext, after: Entry | undefined): number {
  const ms = (after && readDuration(problems, after)) ?? 0
  if (after && ms > maxQuestionWaitMs) {
    const most = writeDuration(maxQuestionWaitMs)
    problems.add('E107', `\`after\` is at most ${most}`, after.value, `write ${most} or less`)
  }
  return ms
}

function readEntity(context: ReadContext, fields: Fields) {
  const { problems } = context
  const [kind, value, times, within] = ['kind', 'value', 'times', 'within'].map((name) => fields.get(name))
  const withinMs = (within && readDuration(problems, within)) ?? entityBounds.withinMs
  if (within && withinMs > entityBounds.maxWithinMs) {
    const most = writeDuration(entityBounds.maxWithinMs)
    problems.add('E107', `\`within\` is at most ${most}`, within.value, `write ${most} or less`)
  }
  const names = queueNames({ alertData: dyn, inputs: undefined })
  const kinds = kind ? readChoices(context, kind, observableKinds) : []
  if (value && kinds.length > 1)
    problems.add(
      'E112',
      '`value` gives values of one kind, but several are listed',
      value.key,
      'name one kind',
    )
  return {
    kinds,
    value: value && compileBare(context, new NameScope(names, { isBefore: true }), 'value', value.value),
    times: (times && readNumber(problems, times, entityBounds.times)) ?? 1,
    withinMs,
  }
}

/** Reads a choice, or a list of different choices. */
function readChoices<T extends string>(
  context: ReadContext,
  entry: Entry,
  choices: readonly T[],
): readonly T[] {
  const read = (item: Entry) => readChoice(context.problems, item, choices)
  return readOneOrMore(context, entry, read)
}

/** Reads a value, or a list of different values. */
export function readOneOrMore<T extends string>(
  { problems }: Pick<ReadContext, 'problems'>,
  entry: Entry,
  read: (item: Entry) => T | undefined,
): readonly T[] {
  const { value } = entry
  const items = value.kind === 'list' ? value.items : [value]
  if (items.length === 0) problems.add('E106', `the list of \`${entry.name}\` is empty`, value)
  const found = new Set<T>()
  for (const item of items) {
    const word = read({ ...entry, value: item })
    if (word !== undefined && found.has(word)) problems.add('E107', `${quote(word)} is listed twice`, item)
    if (word !== undefined) found.add(word)
  }
  return [...found]
}
