import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { CheckpointStep } from '../../playbook/language/playbook.ts'
import { quote } from '../../playbook/language/problem.ts'
import { readFields, type Fields } from '../../playbook/template/fields.ts'
import type { AwaitedEvent } from '../../playbook/waits/waits.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import { compileSchema } from '../../schema/index.ts'
import type { TestContext } from '../read/context.ts'
import { testGrammar } from '../read/grammar.ts'
import { nodeAt, partsOf, plainValue } from '../read/place.ts'
import type { MockAnswer, ReplyContent } from '../read/playbook-test.ts'
import { readTestString } from '../read/read-values.ts'

/** Parses an answer: one of the checkpoint's answers, or a value for its form. */
export function readMockAnswer(
  context: TestContext,
  { value }: Entry,
  fields: Fields,
  { choices }: CheckpointStep,
): ReplyContent {
  const { problems } = context
  const answer = plainValue(value)
  if ('form' in choices) {
    for (const { pointer, message } of compileSchema(choices.form).problems(answer)) {
      const where = pointer === '' ? '' : `${partsOf(pointer).join('.')}: `
      problems.add('E602', `${where}${message}`, nodeAt(value, partsOf(pointer)))
    }
  } else if (typeof answer !== 'string' || !choices.answers.includes(answer)) {
    const message = `${quote(String(answer))} is not one of ${choices.answers.join(', ')}`
    problems.add('E202', message, value, suggest(String(answer), choices.answers))
  }
  const by = fields.get('by')
  const byKind = fields.get('by_kind')
  const byName = fields.get('by_name')
  const text = fields.get('text')
  return {
    kind: 'answer',
    answer,
    by: by && readTestString(problems, by),
    byKind: byKind && readAnswererKind(context, byKind),
    byName: byName && readTestString(problems, byName),
    text: text && readTestString(problems, text),
  }
}

function readAnswererKind({ problems }: TestContext, entry: Entry): MockAnswer['byKind'] {
  const kind = readTestString(problems, entry)
  if (kind === undefined || kind === 'person' || kind === 'api_key') return kind
  problems.add('E106', `${quote(kind)} is not a kind of responder`, entry.value, 'write person or api_key')
  return undefined
}

const noAlert = { kind: 'event', type: undefined, provider: undefined, data: undefined } as const

/** Parses the mock of a wait: an event whose data must fit the schema of the wait. */
export function readMockEvent(
  { problems }: TestContext,
  fields: Fields,
  { schema, of }: AwaitedEvent<unknown>['event'],
): ReplyContent | undefined {
  const event = fields.get('event')
  if (event === undefined) {
    const [first] = fields.values()
    if (first) problems.add('E602', 'a wait receives an event', first.key, 'write `event`')
    return undefined
  }
  if (of.kind === 'case') {
    const change = readFields(problems, event.value, testGrammar.change)
    return change && { ...noAlert, change: plainValue(event.value) as Readonly<Record<string, unknown>> }
  }
  const given = readFields(problems, event.value, testGrammar.event)
  if (given === undefined) return undefined
  const [type, provider, data] = ['type', 'provider', 'data'].map((name) => given.get(name))
  const value = data === undefined ? {} : plainValue(data.value)
  for (const { pointer, message } of schema === undefined ? [] : compileSchema(schema).problems(value)) {
    const where = pointer === '' ? '' : `${partsOf(pointer).join('.')}: `
    problems.add('E602', `${where}${message}`, nodeAt((data ?? event).value, partsOf(pointer)))
  }
  return {
    kind: 'event',
    type: type && readTestString(problems, type),
    provider: provider && readTestString(problems, provider),
    data: value,
  }
}
