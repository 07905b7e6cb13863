import type { JsonObject } from '../../plugin/index.ts'
import { compileSchema } from '../../schema/index.ts'
import { sampleValue, smallCopy } from '../schema/sample-value.ts'
import { simplify } from '../schema/simplify-schema.ts'
import { UnreadableBody, type PlannedAnswer, type PlannedOutput } from './output.ts'
import { inputSchema, type SkillPlan } from './skill-plan.ts'

/** The content of an example file. */
export type PlannedExample = JsonObject

/**
 * An example of a skill: its answer is the documented example if that fits, else generated from the
 * schema.
 */
export function planExample(
  plan: SkillPlan,
  answer: PlannedAnswer,
  output: PlannedOutput,
  lastPage: (body: unknown) => unknown,
): PlannedExample {
  const input = sampleInput(plan)
  const head = { synthetic: true, input } as const
  if (answer.kind === 'text')
    return {
      title: madeUp,
      ...head,
      responses: [{ status: answer.status, text: 'example' }],
      output: output.read('example'),
    }
  if (answer.kind === 'empty')
    return { title: madeUp, ...head, responses: [{ status: answer.status }], output: output.read(null) }
  const documented = answer.example === undefined ? undefined : lastPage(smallCopy(answer.example))
  const candidates = [
    () => documented,
    () => answer.body && lastPage(sampleBody(plan, answer)),
    () => lastPage({}),
    () => lastPage([]),
  ]
  const fitting = candidates.values().map((make) => make())
  const body = fitting.find((each) => each !== undefined && isReadable(output, each)) ?? null
  const isDocumented = body !== null && body === documented
  return {
    title: isDocumented ? 'The example of the API description' : madeUp,
    ...head,
    responses: [{ status: answer.status, ...sent(body) }],
    output: output.read(body),
  }
}

/** A text is sent as JSON too. */
const sent = (body: unknown): JsonObject =>
  typeof body === 'string'
    ? { headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) }
    : { body }

const madeUp = 'Made from the API description'

/** An example of a missing object; undefined if no input identifies an object. */
export function planMissing(plan: SkillPlan, example: PlannedExample): PlannedExample | undefined {
  const last = plan.inputs.findLast(
    ({ name, isRequired, schema }) => isRequired && schema.enum === undefined && isInPath(plan, name),
  )
  if (last === undefined) return undefined
  const { type, format } = last.schema
  const unknown =
    format === 'uuid'
      ? '00000000-0000-4000-8000-000000000404'
      : type === 'string' && format === undefined
        ? 'unknown'
        : undefined
  const value = type === 'integer' && last.schema.maximum === undefined ? 404_404 : unknown
  if (value === undefined) return undefined
  return {
    title: 'An object that does not exist',
    synthetic: true,
    input: { ...(example['input'] as JsonObject), [last.name]: value },
    responses: [{ status: 404, body: null }],
    output: { found: false },
  }
}

const isInPath = ({ inputs, operation }: SkillPlan, name: string): boolean =>
  inputs.findIndex((input) => input.name === name) < (operation.path.match(/\{/g)?.length ?? 0)

/** Required inputs only: the others may exclude each other. */
function sampleInput({ reader, inputs }: SkillPlan): JsonObject {
  const needed = inputs.filter(({ isRequired }) => isRequired)
  const given = needed.map(({ name, schema, origin }): [string, unknown] => [
    name,
    usable(sampleValue(reader, origin, schema, 'input')),
  ])
  const input = Object.fromEntries(given)
  const wrong = new Set(
    compileSchema(inputSchema(inputs))
      .problems(input)
      .map(({ pointer }) => pointer.split('/')[1]),
  )
  // If a value does not fit, a documented example contradicts its schema; generate the value without it.
  return Object.fromEntries(
    needed.map(({ name, schema }) => [
      name,
      wrong.has(name) ? sampleValue(reader, { schema: {}, trail: [] }, schema, 'input') : input[name],
    ]),
  )
}

/** An empty text, or one with a slash, is not a valid path segment. */
const usable = (value: unknown): unknown =>
  value === '' || value === '.' || value === '..' ? 'example' : value

function isReadable(output: PlannedOutput, body: unknown): boolean {
  try {
    return compileSchema(output.schema).problems(output.read(body)).length === 0
  } catch (error) {
    if (error instanceof UnreadableBody) return false
    throw error
  }
}

function sampleBody({ reader, size }: SkillPlan, { body }: PlannedAnswer): unknown {
  const schema = simplify(reader, body!, { use: 'output', size, levels: 4 })
  return schema.type === undefined ? {} : sampleValue(reader, body!, schema, 'output')
}
