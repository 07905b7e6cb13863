import type { AnySkill, ConnectionDefinition, HttpResponse, SkillContext } from '../../plugin/index.ts'
import type {
  DeclaredError,
  DeclaredImplementation,
  DeclaredNotFound,
  DeclaredSkill,
  DeclaredVerify,
} from '../language/declared.ts'
import { pollUntilDone, runPages } from './pages.ts'
import { conditionHolds, sender } from './request.ts'
import { answerValue, connectionValues, outputOf, reading, valueOf, type Values } from './values.ts'

type Errors = readonly DeclaredError[]

/** A skill of a declared plugin. */
export function compileSkill(
  declared: DeclaredSkill,
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection: ConnectionDefinition<any> | undefined,
  errors: Errors,
): AnySkill {
  const { name, title, description, docs, effect, repeat, destructive, enriches, input, output } = declared
  const { permissions, verify, changedNothing, followWith } = declared
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
      : { verify: (given: unknown, context: SkillContext) => runVerify(verify, errors, given, context) }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(changedNothing === undefined
      ? {}
      : { changedNothing: (made: unknown) => conditionHolds(changedNothing, { output: made }) }),
    ...(followWith === undefined ? {} : { followWith }),
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
    run: (given: unknown, context: SkillContext) => run(declared, errors, given, context),
  } as AnySkill
}

/** As functions; what they give is checked where they are called. */
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
  errors: Errors,
  input: unknown,
  context: SkillContext,
): Promise<unknown> {
  const { request, notFound, paging, poll } = declared
  const values = { ...connectionValues(context.settings, context.nowMs), input }
  const send = sender(context.http, errors)
  if (paging !== undefined) {
    const missing = (response: HttpResponse) =>
      notFound !== undefined && isMissing(notFound, response, { ...values, response: answerValue(response) })
    return await runPages(declared, paging, values, send, missing)
  }
  const first = await send(request, values, { accept: notFound?.statuses ?? [] })
  const answered = { ...values, response: answerValue(first) }
  if (notFound !== undefined && isMissing(notFound, first, answered))
    return reading(first, () => outputOf(notFound.mapping, answered))
  if (poll === undefined) return reading(first, () => outputOf(declared.mapping, answered))
  const polled = { ...values, submitted: answered.response }
  const last = await pollUntilDone(declared, poll, polled, send, context)
  return reading(last, () => outputOf(declared.mapping, { ...polled, response: answerValue(last) }))
}

const isMissing = ({ statuses, when }: DeclaredNotFound, { status }: HttpResponse, values: Values): boolean =>
  statuses.includes(status) || (when !== undefined && conditionHolds(when, values))

async function runVerify(
  { request, tookEffect, mapping }: DeclaredVerify,
  errors: Errors,
  input: unknown,
  { http, settings, nowMs }: SkillContext,
): Promise<unknown> {
  const values = { ...connectionValues(settings, nowMs), input }
  const response = await sender(http, errors)(request, values)
  const answered = { ...values, response: answerValue(response) }
  // An answer that does not tell must not count as a no: the write would be repeated.
  return reading(response, () =>
    tookEffect.evaluate(answered) === true ? outputOf(mapping, answered) : undefined,
  )
}
