import { createHash } from 'node:crypto'
import {
  SkillError,
  type AnySkill,
  type ConnectionDefinition,
  type HttpResponse,
  type SkillContext,
} from '../../plugin/index.ts'
import type {
  DeclaredImplementation,
  DeclaredNotFound,
  DeclaredRelated,
  DeclaredSkill,
  DeclaredState,
  DeclaredVerify,
} from '../language/declared.ts'
import { pollUntilDone, runPages } from './pages.ts'
import { conditionHolds, createSender, type AnswerRules, type Sender } from './request.ts'
import { connectionValues, outputOf, textValue, valueOf, type Values } from './values.ts'

/** A skill of a declared plugin. */
export function compileSkill(
  declared: DeclaredSkill,
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection: ConnectionDefinition<any> | undefined,
  rules: AnswerRules,
): AnySkill {
  const { name, title, description, docs, effect, repeat, destructive, enriches, input, output } = declared
  const { permissions, verify, followWith, undoneBy, irreversible, restores, stateBy, stateUnreadable } =
    declared
  const changedNothing = changedNothingOf(declared)
  return {
    name,
    title,
    description,
    ...(docs === undefined ? {} : { docs }),
    ...(permissions.length === 0 ? {} : { permissions }),
    effect,
    ...(repeat === undefined ? {} : { repeat }),
    ...(verify === undefined
      ? {}
      : {
          verify: (given: unknown, context: SkillContext) =>
            runVerify(declared, verify, rules, given, context),
        }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(changedNothing && { changedNothing }),
    ...(followWith && { followWith: relatedOf(followWith) ?? followWith.skill }),
    ...(undoneBy && { undoneBy: relatedOf(undoneBy) }),
    ...(irreversible === undefined ? {} : { irreversible }),
    ...(restores && { restores }),
    ...(stateBy && { stateBy: stateOf(stateBy) }),
    ...(stateUnreadable === undefined ? {} : { stateUnreadable }),
    ...(enriches.length === 0 ? {} : { enriches }),
    ...(declared.implements.length === 0 ? {} : { implements: implementationsOf(declared.implements) }),
    ...(connection === undefined ? {} : { connection }),
    input,
    output,
    examples: declared.examples.map((example) => ({
      title: example.title,
      ...(example.source === undefined ? {} : { source: example.source }),
      ...(example.synthetic ? { synthetic: true } : {}),
      input: example.input,
      output: example.output,
    })),
    run: (given: unknown, context: SkillContext) => run(declared, rules, given, context),
  } as AnySkill
}

/** Default: a skipped request changed nothing. */
function changedNothingOf({ changedNothing, destructive, skip }: DeclaredSkill) {
  if (changedNothing !== undefined) return (made: unknown) => conditionHolds(changedNothing, { output: made })
  return destructive && skip && ((made: { readonly changed?: unknown }) => made.changed === false)
}

/** A call of another skill; undefined without its input. */
const relatedOf = ({ skill, input: mapping }: DeclaredRelated) =>
  mapping && {
    skill,
    input: (input: unknown, output: unknown) => valueOf(mapping, { input, output }),
  }

const stateOf = ({ contained, released, ...call }: DeclaredState) => ({
  ...relatedOf(call),
  contained: (state: unknown, input: unknown, output: unknown) =>
    conditionHolds(contained, { state, input, output }),
  released: (state: unknown, input: unknown, output: unknown) =>
    conditionHolds(released, { state, input, output }),
})

/** As functions; their callers check the results. */
const implementationsOf = (declared: readonly DeclaredImplementation[]) =>
  Object.fromEntries(
    declared.map(({ interface: name, only, input, output }) => [
      name,
      {
        ...(only === undefined ? {} : { only }),
        input: (given: unknown) => valueOf(input, { input: given }),
        output: (made: unknown, given: unknown) => outputOf(output, { input: given, output: made }),
      },
    ]),
  )

async function run(
  declared: DeclaredSkill,
  rules: AnswerRules,
  input: unknown,
  context: SkillContext,
): Promise<unknown> {
  const { request, notFound, paging, poll, mapping, skip } = declared
  const sender = createSender(context.http, rules)
  const { send, answer, reading } = sender
  const values = await withAnswersBefore(declared, valuesOfCall(declared, input, context), sender)
  if (skip && conditionHolds(skip.when, values))
    return reading(undefined, () => outputOf(skip.mapping, values))
  const withAnswer = (response: HttpResponse) => ({ ...values, response: answer(response) })
  const missing = (response: HttpResponse) =>
    notFound !== undefined && isMissing(notFound, response, withAnswer(response))
  if (paging !== undefined) return await runPages(declared, paging, values, sender, missing)
  const ask = () => send(request, values, { accept: notFound?.statuses ?? [] })
  const first = await ask()
  const ofMissing = (response: HttpResponse) =>
    reading(response, () => outputOf(notFound!.mapping, withAnswer(response)))
  if (missing(first)) return ofMissing(first)
  if (poll === undefined) return reading(first, () => outputOf(mapping, withAnswer(first)))
  if (poll.request === undefined) {
    const asks = { ask: firstThen(first, ask), answer, reading, isMissing: missing }
    const last = await pollUntilDone(declared, poll, values, asks, context)
    return missing(last) ? ofMissing(last) : reading(last, () => outputOf(mapping, withAnswer(last)))
  }
  const polled = { ...values, submitted: answer(first) }
  const state = poll.request
  const asks = { ask: () => send(state, polled, { reads: true }), answer, reading, isMissing: () => false }
  const last = await pollUntilDone(declared, poll, polled, asks, context)
  return reading(last, () => outputOf(mapping, { ...polled, response: answer(last) }))
}

/** Sends the requests of `before`, and adds their answers to the values. */
async function withAnswersBefore(
  { before }: DeclaredSkill,
  values: Values,
  { send, answer }: Sender,
): Promise<Values> {
  const answers: Record<string, Values> = {}
  for (const { name, request, when, require, message } of before) {
    if (when !== undefined && !conditionHolds(when, { ...values, before: { ...answers } })) continue
    answers[name] = answer(await send(request, { ...values, before: { ...answers } }, { reads: true }))
    const known = { ...values, before: { ...answers } }
    if (require === undefined || conditionHolds(require, known)) continue
    const text =
      textValue(message, known) ?? `the answer to the request '${name}' is not what the skill needs`
    throw new SkillError('refused', text, { hint: 'check the inputs of the step', effect: 'none' })
  }
  return before.length === 0 ? values : { ...values, before: answers }
}

/** Returns the first answer on the first call, and polls from then on. */
function firstThen<T>(first: T, ask: () => Promise<T>): () => Promise<T> {
  let isAsked = false
  return () => {
    if (isAsked) return ask()
    isAsked = true
    return Promise.resolve(first)
  }
}

/** The names that expressions of a skill read. */
const valuesOfCall = ({ effect }: DeclaredSkill, input: unknown, context: SkillContext): Values => ({
  ...connectionValues(context.settings, context.nowMs),
  input,
  ...(effect === 'write' && { idempotency_key: uuidOf(context.idempotencyKey) }),
})

const namespace = Buffer.from('a1f06e0c6f2c4c0d9a8d5f1f0d6c3b7e', 'hex')

/** The key as a UUID of version 5 (RFC 9562), which fits every system that accepts a key or an id. */
function uuidOf(key: string): string {
  const bytes = createHash('sha1').update(namespace).update(key).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const isMissing = ({ statuses, when }: DeclaredNotFound, { status }: HttpResponse, values: Values): boolean =>
  statuses.includes(status) || (when !== undefined && conditionHolds(when, values))

async function runVerify(
  declared: DeclaredSkill,
  { request, tookEffect, mapping }: DeclaredVerify,
  rules: AnswerRules,
  input: unknown,
  context: SkillContext,
): Promise<unknown> {
  const sender = createSender(context.http, rules)
  const values = await withAnswersBefore(declared, valuesOfCall(declared, input, context), sender)
  // An inconclusive answer must not count as a no, or the write would be repeated.
  const outcome = (known: Values) =>
    tookEffect.evaluate(known) === true ? outputOf(mapping, known) : undefined
  if (request === undefined) return sender.reading(undefined, () => outcome(values))
  const response = await sender.send(request, values, { reads: true })
  return sender.reading(response, () => outcome({ ...values, response: sender.answer(response) }))
}
