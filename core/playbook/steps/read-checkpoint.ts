import {
  dyn,
  enumeration,
  isSensitive,
  list,
  nullable,
  object,
  optional,
  sensitive,
  string,
  timestamp,
  typeOfSchema,
  type Type,
} from '../../expression/index.ts'
import { authorsInput, operatorInput } from '../check/asked-input.ts'
import { checkLiteral } from '../check/check-fit.ts'
import { checkTimeFits } from '../scope/check-times.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { describe, readFields, readText, readWord, type Fields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { personName, skillPattern, viaOperator } from '../language/constants.ts'
import { suggestNearest } from '../language/did-you-mean.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { maskOfSchema } from '../check/mask-of-type.ts'
import { plainValue } from '../yaml/plain-value.ts'
import type { CheckpointStep, Template } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { durationTemplate, type ActionResult } from './read-actions.ts'
import { readWrittenSchema } from './read-inputs.ts'
import { connectionOf, findSkill, readWith } from './read-uses.ts'
import { checkPeople, readPeople, type ReadPeople } from '../waits/read-people.ts'
import type { NameScope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

type CheckpointPart = Pick<
  CheckpointStep,
  'action' | 'via' | 'with' | 'connection' | 'choices' | 'answerWithinMs' | 'onTimeout' | 'people'
>

/** Reads `checkpoint`. */
export function* readCheckpoint(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<ActionResult<CheckpointPart>> {
  const { problems } = context
  const fields = readFields(problems, value, grammar.checkpoint)
  if (fields === undefined) return { part: undefined, output: outputOf(dyn) }
  const choices = readChoices(context, fields, value)
  const several = yield* readPeople(context, fields, scope, choices)
  const inner = several ? scope.inside({ names: { [personName]: several.person } }) : scope
  const asked = yield* readVia(context, fields, inner, value, choices)
  const timeout = fields.get('timeout')
  const answerWithinMs = timeout && (yield* durationTemplate(context, timeout.value, scope, '`timeout`'))
  if (answerWithinMs) checkTimeFits(context, timeout.value, answerWithinMs, scope, 'answer')
  if (several && asked) checkPeople(context, fields, several, asked, answerWithinMs)
  const onTimeout = readOnTimeout(context, fields.get('on_timeout'), choices, several !== undefined)
  const answer = answerType(choices, onTimeout)
  const output = several ? peopleOutput(several, choices, onTimeout) : outputOf(answer)
  if (asked === undefined || choices === undefined || answerWithinMs === undefined) {
    return { part: undefined, output }
  }
  const { given, reference, ...part } = asked
  return {
    part: { action: 'checkpoint', ...part, choices, answerWithinMs, onTimeout, people: several?.people },
    output,
    given,
    reference,
  }
}

const outputOf = (answer: Type): Type =>
  object({
    answer,
    by: nullable(string),
    by_kind: optional(enumeration(['person', 'account', 'api_key'])),
    by_name: optional(string),
    at: timestamp,
    // May contain the form values.
    text: nullable(isSensitive(answer) ? sensitive(string) : string),
  })

/** Of several people. With a form, there is no common answer. */
function peopleOutput(
  { person, people }: ReadPeople,
  choices: CheckpointPart['choices'] | undefined,
  onTimeout: CheckpointPart['onTimeout'],
): Type {
  const given = answerType(choices, undefined)
  const silent = onTimeout === undefined ? [] : ['timeout', 'split']
  const vetoed = people.veto.length > 0 ? ['veto'] : []
  return object({
    ...(choices && 'form' in choices ? {} : { answer: answerType(choices, onTimeout) }),
    decided_by: enumeration(['quorum', ...vetoed, ...silent]),
    answers: list(
      object({
        person,
        answer: given,
        by: string,
        by_kind: enumeration(['person', 'account', 'api_key']),
        by_name: optional(string),
        at: timestamp,
        text: nullable(isSensitive(given) ? sensitive(string) : string),
      }),
    ),
    missing: list(person),
    at: timestamp,
  })
}

function answerType(
  choices: CheckpointPart['choices'] | undefined,
  onTimeout: CheckpointPart['onTimeout'],
): Type {
  if (choices === undefined) return dyn
  if ('form' in choices) return typeOfSchema(choices.form)
  const silent = typeof onTimeout?.answer === 'string' ? [onTimeout.answer] : []
  return enumeration([...new Set([...choices.answers, ...silent])])
}

function* readVia(
  context: ReadContext,
  fields: Fields,
  scope: NameScope,
  head: Node,
  choices: CheckpointPart['choices'] | undefined,
): Sliced<
  | (Pick<CheckpointPart, 'via' | 'with' | 'connection'> & Pick<ActionResult<object>, 'given' | 'reference'>)
  | undefined
> {
  const { problems } = context
  const entry = fields.get('via')
  if (entry === undefined) return undefined
  const connection = fields.get('connection')
  const byAnswer = (given: TypedTemplate) => checkAnswers(context, given, choices, fields.get('on_timeout'))
  const isOperator = entry.value.kind === 'scalar' && entry.value.value === viaOperator
  if (isOperator) {
    if (connection) problems.add('E304', 'an operator takes no connection', connection.key, 'remove it')
    const given = yield* readWith(context, fields.get('with'), scope, entry.value, operatorInput, {
      checkMore: byAnswer,
    })
    return given && { via: viaOperator, with: given.template, given: given.mask, connection: undefined }
  }
  const rule = `write <plugin>.<skill>, or ${viaOperator}`
  const via = readWord(problems, entry, skillPattern, rule)
  const found = via === undefined ? undefined : findSkill(context, via, entry.value)
  if (found && found.skill.asks !== true) {
    const asking = context.catalogue?.usable.filter(({ skill }) => skill.asks === true) ?? []
    const hint = `skills that ask: ${[...asking.map(({ name }) => name), viaOperator].join(', ')}`
    problems.add('E319', `${found.name} does not ask a person`, entry.value, hint)
    return undefined
  }
  if (found && fields.has('form') && !Object.hasOwn(found.skill.input.properties ?? {}, 'form')) {
    problems.add(
      'E319',
      `${found.name} does not support forms`,
      fields.get('form')!.key,
      'use `answers` instead',
    )
  }
  const input = found && authorsInput(found.skill)
  const given = yield* readWith(context, fields.get('with'), scope, entry.value, input, {
    taker: found?.name,
    checkMore: byAnswer,
  })
  const name = connectionOf(context, found, connection, head)
  return via === undefined || given === undefined
    ? undefined
    : {
        via,
        with: given.template,
        given: given.mask,
        reference: found && maskOfSchema(found.skill.output as JsonSchema),
        connection: name,
      }
}

/** Inputs of asking skills that are maps keyed by answer. */
const keyedByAnswer = ['labels', 'styles']

/** Reports labels and styles of answers that do not exist. */
function checkAnswers(
  { problems }: ReadContext,
  given: TypedTemplate,
  choices: CheckpointPart['choices'] | undefined,
  onTimeout: Entry | undefined,
): void {
  if (choices === undefined || 'form' in choices) return
  const silent = onTimeout?.value.kind === 'scalar' ? String(onTimeout.value.value) : undefined
  const known = new Set(choices.answers)
  for (const { name: input, value } of given.entries ?? []) {
    if (!keyedByAnswer.includes(input)) continue
    for (const [name, at] of keysOf(value)) {
      if (known.has(name) || name === silent) continue
      const message = `${input}: ${quote(name)} is not one of ${choices.answers.join(', ')}`
      problems.add('E202', message, at, suggestNearest(name, choices.answers))
    }
  }
}

/** The keys of a map with their places; for an expression, all at its place. */
function keysOf(value: TypedTemplate): readonly (readonly [string, Span])[] {
  if (value.entries) return value.entries.map(({ name, key }) => [name, key] as const)
  return value.type.kind === 'object'
    ? Array.from(value.type.properties.keys(), (name) => [name, value] as const)
    : []
}

function readChoices(
  context: ReadContext,
  fields: Fields,
  head: Node,
): CheckpointPart['choices'] | undefined {
  const { problems } = context
  const answers = fields.get('answers')
  const form = fields.get('form')
  if (answers && form) {
    problems.add('E112', 'a checkpoint has `answers` or a `form`, not both', form.key)
    return undefined
  }
  if (form) {
    const schema = readWrittenSchema(context, form)
    return schema && { form: schema }
  }
  if (answers === undefined) {
    const hint = 'write answers: [yes, no], or a form'
    problems.add('E105', 'a checkpoint needs `answers` or a `form`', head, hint)
    return undefined
  }
  const { name, key, value } = answers
  if (value.kind !== 'list' || value.items.length === 0) {
    problems.add(
      'E106',
      `expected a list of strings for \`answers\`, found ${describe(value)}`,
      value,
      'write [yes, no]',
    )
    return undefined
  }
  const words = value.items.map((item) => readText(problems, { name, key, value: item }, 'an answer'))
  const seen = new Set<string>()
  for (const [index, word] of words.entries()) {
    const item = value.items[index]!
    if (word === 'fail')
      problems.add(
        'E107',
        "'fail' cannot be an answer",
        item,
        'choose another word; `on_timeout` uses this one',
      )
    else if (word !== undefined && seen.has(word))
      problems.add('E107', `duplicate answer ${quote(word)}`, item)
    if (word !== undefined) seen.add(word)
  }
  const known = words.filter((word) => word !== undefined)
  return known.length === words.length ? { answers: known } : undefined
}

function readOnTimeout(
  { problems }: ReadContext,
  entry: Entry | undefined,
  choices: CheckpointPart['choices'] | undefined,
  isOfPeople: boolean,
): CheckpointPart['onTimeout'] {
  if (entry === undefined) return undefined
  const { value } = entry
  if (value.kind === 'scalar' && value.value === 'fail') return undefined
  if (isOfPeople && choices && 'form' in choices) {
    if (value.kind === 'scalar' && value.value === 'continue') return { answer: null }
    const message = 'for a form of several people, `on_timeout` is fail or continue'
    problems.add('E107', message, value, 'write continue; `answers` has the values of the form')
    return undefined
  }
  if (choices === undefined || 'answers' in choices) {
    const answer = readText(problems, entry)
    return answer === undefined ? undefined : { answer }
  }
  if (holdsExpression(value)) {
    problems.add('E107', '`on_timeout` takes no expression', value, 'write literal values')
    return undefined
  }
  const answer = plainValue(value)
  const template: Template = { kind: 'literal', value: answer }
  const given = { template, type: dyn, start: value.start, end: value.end }
  checkLiteral(problems, given, choices.form, 'on_timeout', 'E307')
  return { answer }
}

function holdsExpression(node: Node): boolean {
  if (node.kind === 'scalar') return typeof node.value === 'string' && node.value.includes('${{')
  return node.kind === 'list'
    ? node.items.some(holdsExpression)
    : node.entries.some(({ value }) => holdsExpression(value))
}
