import { maskAt, type Mask } from '../domain/mask.ts'
import { ExpressionError } from '../expression/index.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import { SkillError, TocsinError, type AnySkill, type JsonSchema } from '../plugin/index.ts'
import { compileSchema, validate } from '../schema/index.ts'
import { implementationsOf, interfaceNamed } from './definitions.ts'
import { usedInterface } from './interface-skills.ts'

/** A skill as the implementer of an interface. */
export interface Implementer {
  /** Name of the interface. */
  readonly of: string
  /** `<plugin>.<skill>`. */
  readonly name: string
  readonly skill: AnySkill
}

/** The input of the skill. The caller of the skill checks it. */
export function mapInput({ of, name, skill }: Implementer, given: unknown): unknown {
  if (isItself(name) || of === 'enrich') return given
  const mapped = implementationsOf(skill)[of]
  return mapping(of, name, 'input', () => mapped!.input(given))
}

/**
 * The output of the interface, without sensitive values, and with null for optional fields that are missing.
 *
 * @throws SkillError `contract_violation`
 */
export function mapOutput({ of, name, skill }: Implementer, made: unknown, given: unknown): unknown {
  const { output: schema } = interfaceNamed(of)!
  const seen = without(maskOfSchema(skill.output as JsonSchema), made)
  const output = isItself(name)
    ? () => listed(schema, made)
    : of === 'enrich'
      ? findingOf
      : // The output of a skill that asks is for the engine.
        (implementationsOf(skill)[of]!.output ?? (() => ({})))
  return mapping(of, name, 'output', () => {
    const mapped = output(seen, given)
    validate(compileSchema(schema), mapped, `output of ${name} as interface.${of}`)
    return withNulls(schema, mapped)
  })
}

/** Where nothing is connected, such as in a test, the interface itself is called. */
const isItself = (name: string): boolean => usedInterface(name) !== undefined

/** A copy without the fields that the engine adds. */
function listed({ properties, items }: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => listed(items, item))
  if (properties === undefined || typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(entries.map(([name, inner]) => [name, listed(properties[name]!, inner)]))
}

/** An enriching skill has a risk with a score. */
function findingOf(made: unknown): unknown {
  const { risk } = made as { readonly risk: { readonly score: number | null; readonly reasons?: unknown } }
  const reasons = Array.isArray(risk.reasons) ? risk.reasons.filter((one) => typeof one === 'string') : []
  return { findings: [{ score: risk.score, reasons }] }
}

/** The vendor's answer or the plugin is at fault, so another attempt gives the same. */
function mapping<T>(of: string, name: string, side: 'input' | 'output', map: () => T): T {
  try {
    return map()
  } catch (error) {
    const known = error instanceof TocsinError || error instanceof ExpressionError ? error : undefined
    const why = known?.message ?? 'its mapping failed'
    throw new SkillError('contract_violation', `${name} cannot map the ${side} of interface.${of}: ${why}`, {
      hint: 'report it to the author of the plugin',
      cause: error,
    })
  }
}

/** A copy without the sensitive parts. */
function without(mask: Mask | undefined, value: unknown): unknown {
  if (mask === undefined || typeof value !== 'object' || value === null) return value
  if (mask === true) return undefined
  if (Array.isArray(value)) {
    const { items } = mask
    return items === true ? [] : value.map((item) => without(items, item))
  }
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const at = maskAt(mask, name)
    return at === true ? [] : [[name, without(at, inner)] as const]
  })
  return Object.fromEntries(entries)
}

/** A copy in which properties that are missing are null. */
function withNulls({ properties, items }: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withNulls(items, item))
  if (properties === undefined || typeof value !== 'object' || value === null) return value
  const given = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, withNulls(schema, given[name] ?? null)]),
  )
}
