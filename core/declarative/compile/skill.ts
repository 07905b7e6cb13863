import {
  collectPages,
  SkillError,
  type AnySkill,
  type ConnectionDefinition,
  type HttpResponse,
  type SkillContext,
} from '../../plugin/index.ts'
import type { DeclaredPaging, DeclaredSkill } from '../language/declared.ts'
import { conditionHolds } from './connection.ts'
import { sendRequest } from './request.ts'
import {
  bodyOf,
  connectionValues,
  notAList,
  outputOf,
  reading,
  responseValue,
  programResult,
  valueOf,
  type Values,
} from './values.ts'

/** A skill of a declared plugin. */
export function compileSkill(
  declared: DeclaredSkill,
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  connection: ConnectionDefinition<any> | undefined,
): AnySkill {
  const { name, title, description, docs, effect, repeat, destructive, enriches, input, output } = declared
  return {
    name,
    title,
    description,
    ...(docs === undefined ? {} : { docs }),
    effect,
    ...(repeat === undefined ? {} : { repeat }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(enriches.length === 0 ? {} : { enriches }),
    ...(connection === undefined ? {} : { connection }),
    input,
    output,
    examples: declared.examples.map((example) => ({
      title: example.title,
      input: example.input,
      output: example.output,
    })),
    run: (given: unknown, context: SkillContext) => run(declared, given, context),
  } as AnySkill
}

async function run(declared: DeclaredSkill, input: unknown, context: SkillContext): Promise<unknown> {
  const values = { ...connectionValues(context.settings, context.nowMs), input }
  if (declared.paging !== undefined) return await runPages(declared, declared.paging, values, context)
  const { notFound } = declared
  const response = await sendRequest(context.http, declared.request, values, {
    accept: notFound?.statuses ?? [],
  })
  return reading(response, () => {
    const answered = { ...values, response: responseValue(response, bodyOf(response)) }
    const isMissing =
      notFound !== undefined &&
      (notFound.statuses.includes(response.status) ||
        (notFound.when !== undefined && conditionHolds(notFound.when, answered)))
    return outputOf(isMissing ? notFound.mapping : declared.mapping, answered)
  })
}

async function runPages(
  { request, mapping }: DeclaredSkill,
  paging: DeclaredPaging,
  values: Values,
  { http }: SkillContext,
): Promise<unknown> {
  const { kind, parameter, first, size: pageSize, sizeParameter, id } = paging
  const limit = limitOf(paging, values)
  let last: HttpResponse | undefined
  const { items, complete, total } = await collectPages<unknown>({
    limit,
    pageSize,
    ...(id && { idOf: (item: unknown) => JSON.stringify(programResult(id, { item })) ?? '' }),
    fetch: async ({ offset, number, size }) => {
      const query = {
        [parameter]: kind === 'offset' ? offset : number - 1 + first,
        ...(sizeParameter === undefined ? {} : { [sizeParameter]: size }),
      }
      const response = await sendRequest(http, request, values, { query })
      last = response
      return pageOf(response, paging, values)
    },
  })
  return reading(last!, () => outputOf(mapping, { ...values, items, complete, total }))
}

const pageOf = (response: HttpResponse, { items, total }: DeclaredPaging, values: Values) =>
  reading(response, () => {
    const answered = { ...values, response: responseValue(response, bodyOf(response)) }
    const list = programResult(items, answered)
    if (!Array.isArray(list)) throw notAList(items.source)
    const announced = total && programResult(total, answered)
    return { items: list as readonly unknown[], total: typeof announced === 'number' ? announced : null }
  })

function limitOf({ limit }: DeclaredPaging, values: Values): number {
  const value = valueOf(limit, values)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw new SkillError('bad_request', 'the limit of items must be a whole number from 1', {
    hint: 'check the inputs of the step',
  })
}
