import type { PointedMessage } from '../errors/errors.ts'
import {
  enumeration,
  explainMismatch,
  isSensitive,
  membersOf,
  object,
  string,
  typeOfSchema,
  type Type,
} from '../expression/index.ts'
import { observableKinds, type AnySkill, type JsonSchema, type ObservableKind } from '../plugin/index.ts'

/** The inputs that generated investigations pass to an enriching skill; all others must be optional. */
const given = ['kind', 'value']

/** The allowed types of a score; comparing any other type would fail the investigation. */
const scoreKinds: readonly Type['kind'][] = ['number', 'int', 'double', 'null']

/**
 * Checks what generated investigations need from an enriching skill: they call it with only `kind` and
 * `value`, and compare and show its `risk.score`. Pointers are relative to the skill; empty if it does not
 * enrich.
 */
export function checkEnriching(skill: AnySkill): readonly PointedMessage[] {
  const kinds: readonly ObservableKind[] = skill.enriches ?? []
  if (kinds.length === 0) return []
  const problems: PointedMessage[] = []
  const say = (pointer: string, message: string): number => problems.push({ pointer, message })
  const unknown = kinds.filter((kind) => !observableKinds.includes(kind))
  if (unknown.length > 0)
    say('/enriches', `'${unknown.join("', '")}' is not among ${observableKinds.join(', ')}`)
  if (skill.effect === 'write') say('/effect', "must be 'read' because the skill enriches")
  if (skill.asks === true) say('/asks', 'must be absent because the skill enriches')
  problems.push(...inputProblems(skill.input as JsonSchema, kinds))
  const score = scoreProblem(typeOfSchema(skill.output as JsonSchema))
  if (score !== undefined) say('/output', `${score} because the skill enriches`)
  return problems
}

/** Declarations do not change while the process runs. */
const faults = new WeakMap<AnySkill, { readonly fault: string | undefined }>()

/** Why generated investigations and `interface.enrich` cannot use a skill; undefined if they can. */
export function enrichingFault(skill: AnySkill): string | undefined {
  const known = faults.get(skill)
  if (known !== undefined) return known.fault
  const [first] = checkEnriching(skill)
  const fault = first && `${first.pointer.slice(1).replaceAll('/', '.')} ${first.message}`
  faults.set(skill, { fault })
  return fault
}

function inputProblems(input: JsonSchema, kinds: readonly ObservableKind[]): readonly PointedMessage[] {
  const problems: PointedMessage[] = []
  const say = (pointer: string, message: string): number => problems.push({ pointer, message })
  const type = typeOfSchema(input)
  for (const name of given) {
    if (!objectsOf(type).some(({ properties }) => properties.has(name)))
      say(`/input/properties/${name}`, 'is required because the skill enriches')
  }
  const further = (input.required ?? []).filter((name) => !given.includes(name))
  if (further.length > 0)
    say('/input/required', `an enriching skill needs kind and value only, not ${further.join(', ')}`)
  const accepted = input.properties?.['kind']?.enum
  const refused = accepted === undefined ? [] : kinds.filter((kind) => !accepted.includes(kind))
  if (refused.length > 0)
    say('/input/properties/kind', `must accept ${refused.join(', ')}, which the skill enriches`)
  if (problems.length > 0) return problems
  for (const kind of kinds) {
    const mismatch = explainMismatch(object({ kind: enumeration([kind]), value: string }), type)
    if (mismatch === undefined) continue
    say('/input', `must accept { kind: ${kind}, value: <text> }, which the skill enriches: ${mismatch}`)
    break
  }
  return problems
}

/** The problem of `risk.score` in any form of the output. */
function scoreProblem(output: Type): string | undefined {
  const risks = fieldIn(output, 'risk')
  const scores = risks?.map((risk) => fieldIn(risk, 'score'))
  if (scores === undefined || scores.length === 0 || scores.includes(undefined))
    return 'must require risk.score (0 to 100, or null)'
  const members = scores.flatMap((each) => each ?? []).flatMap((each) => membersOf(each))
  if (!members.every(({ kind }) => scoreKinds.includes(kind)))
    return 'must declare risk.score as a number or null'
  // An expression over a partly sensitive value is sensitive, and cases do not accept sensitive values.
  return isSensitive(output) ? 'must not contain x-sensitive values' : undefined
}

/** The types of a field in every member of the type; undefined if a member may lack it. */
function fieldIn(type: Type, name: string): readonly Type[] | undefined {
  const types: Type[] = []
  for (const member of membersOf(type)) {
    const property = member.kind === 'object' ? member.properties.get(name) : undefined
    if (property === undefined || property.optional === true) return undefined
    types.push(property.type)
  }
  return types
}

const objectsOf = (type: Type) => membersOf(type).filter((member) => member.kind === 'object')

/** The optional follow-ups of a skill that asks. */
const followUps = ['settle', 'remind', 'refuse'] as const

/**
 * The engine passes the checkpoint id and the answers to a skill that asks, and reads from its output who may
 * answer. The schemas must declare all of these.
 */
export function checkAsking(skill: AnySkill, pointer: string, problems: PointedMessage[]): void {
  const say = (place: string, message: string): number => problems.push({ pointer: pointer + place, message })
  for (const name of followUps) {
    if (skill[name] === undefined) continue
    if (typeof skill[name] !== 'function') say(`/${name}`, 'must be a function')
    if (skill.asks !== true) say(`/${name}`, 'is only for skills that ask')
  }
  if (skill.asks !== true) return
  if (skill.effect !== 'write') say('/effect', "must be 'write' because it asks")
  const input = skill.input as JsonSchema
  for (const name of ['checkpoint_id', 'answers']) {
    if (!has(input, name)) say(`/input/properties/${name}`, 'is required because the skill asks')
  }
  if (has(input, 'form') && input.required?.includes('answers') === true) {
    say('/input/required', 'must not require answers, which are absent if there is a form')
  }
  if (skill.remind !== undefined && !has(input, 'remind_after')) {
    say('/input/properties/remind_after', 'is required because the skill reminds')
  }
  const output = skill.output as JsonSchema
  const asked = output.required?.includes('asked') === true ? output.properties?.['asked'] : undefined
  if (asked?.type !== 'string')
    say('/output', 'must require `asked`, a string: the only person who may answer')
}

const has = ({ properties }: JsonSchema, name: string): boolean =>
  properties !== undefined && Object.hasOwn(properties, name)
