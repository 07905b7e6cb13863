import { deepStrictEqual, ok } from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { acceptedInput, implementationsOf, interfaceNamed } from '../../interface/definitions.ts'
import { mapInput, mapOutput, type Implementer } from '../../interface/map-fields.ts'
import { compileSchema } from '../../schema/index.ts'
import {
  asksInputs,
  isObject,
  type AnySkill,
  type JsonSchema,
  type PluginDefinition,
  type Sandbox,
} from '../index.ts'
import type { AddTest } from './failures/describe-failures.ts'
import { loopbackEgress } from './loopback-egress.ts'
import { runSkill } from './run-skill.ts'

interface Tested {
  readonly sandbox?: Sandbox
  readonly isDeclared?: boolean
}

/** The rules for skills that implement interfaces. */
export function describeImplementations(
  plugin: PluginDefinition,
  { sandbox, isDeclared = false }: Tested,
  it: AddTest,
): void {
  for (const skill of plugin.skills)
    for (const of of Object.keys(implementationsOf(skill))) {
      if (interfaceNamed(of) === undefined) continue
      const implementer = { of, name: `${plugin.name}.${skill.name}`, skill }
      it(`${skill.name} implements interface.${of} in its sandbox`, async () => {
        const tried = skill.examples.map(({ input, output }) => ({
          input,
          output,
          ...nearest(implementer, input),
        }))
        for (const { output, given } of tried) mapOutput(implementer, output, given)
        const example = tried.find(({ input, mapped }) => isDeepStrictEqual(mapped, input)) ?? tried[0]
        ok(example, `${skill.name} has no example`)
        const { input, output, mapped, given } = example
        // Recorded answers answer only the requests of the examples.
        if (isDeclared && !isDeepStrictEqual(mapped, input)) return
        const made = mapOutput(implementer, await inSandbox(sandbox, skill, mapped), given)
        if (isDeepStrictEqual(mapped, input)) deepStrictEqual(made, mapOutput(implementer, output, given))
      })
    }
}

async function inSandbox(sandbox: Sandbox | undefined, skill: AnySkill, input: unknown): Promise<unknown> {
  if (skill.connection === undefined || sandbox === undefined) return (await runSkill(skill, input)).output
  const running = await sandbox.start()
  try {
    return (await runSkill(skill, input, { settings: running.settings, egress: loopbackEgress })).output
  } finally {
    await running.close()
  }
}

/** The most inputs that are tried. */
const maxTried = 20_000

/** The interface input that maps to the input of an example, or to a similar one. */
function nearest(implementer: Implementer, example: unknown) {
  const { of, skill } = implementer
  const schema = acceptedInput(interfaceNamed(of)!, implementationsOf(skill)[of]?.only)
  const texts = [...new Set(['A reason', ...textsIn(example)])]
  const asked = skill.asks === true ? enginesPart(example) : {}
  const accepts = compileSchema(skill.input as JsonSchema)
  let best: { readonly given: unknown; readonly mapped: unknown; readonly shared: number } | undefined
  for (const given of take(valuesOf(schema, texts), maxTried)) {
    const mapped = { ...(mapInput(implementer, given) as object), ...asked }
    if (isDeepStrictEqual(mapped, example)) return { given, mapped }
    if (accepts.problems(mapped).length > 0) continue
    const shared = sharedEntries(mapped, example)
    if (best === undefined || shared > best.shared) best = { given, mapped, shared }
  }
  ok(best, `${skill.name} accepts nothing that interface.${of} can give`)
  return best
}

/** The inputs that the engine adds for a skill that asks. */
const enginesPart = (example: unknown): object =>
  Object.fromEntries(
    Object.entries(example as object).filter(([name]) => asksInputs.some((each) => each === name)),
  )

const sharedEntries = (a: unknown, b: unknown): number =>
  isObject(a) && isObject(b)
    ? Object.entries(a).filter(([name, value]) => isDeepStrictEqual(value, b[name])).length
    : 0

/** Values that fit an interface schema, made from these texts; an entity names no connection. */
function* valuesOf({ type, enum: choices, properties }: JsonSchema, texts: readonly string[]): Generator {
  if (choices !== undefined) yield* choices
  else if (type === 'object') yield* objectsOf(Object.entries(properties ?? {}), texts)
  else yield* texts
}

function* objectsOf(
  [first, ...rest]: readonly (readonly [string, JsonSchema])[],
  texts: readonly string[],
): Generator<object> {
  if (first === undefined) return yield {}
  const [name, schema] = first
  if (name === 'connection') return yield* objectsOf(rest, texts)
  for (const value of valuesOf(schema, texts))
    for (const others of objectsOf(rest, texts)) yield { [name]: value, ...others }
}

function* take<T>(values: Iterable<T>, most: number): Generator<T> {
  let left = most
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}

/** The strings in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
