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

/** What composition gives an enriching skill; any other input must be optional. */
const given = ['kind', 'value']

/** The types that a score may have: a comparison with anything else would fail the investigation. */
const scoreKinds: readonly Type['kind'][] = ['number', 'int', 'double', 'null']

/**
 * What generated investigations need of a skill that declares to enrich: they call it with `kind` and `value` alone, compare its
 * `risk.score` and show it to people. Pointers are relative to the skill; empty where it enriches nothing.
 */
export function checkEnriching(skill: AnySkill): readonly PointedMessage[] {
  const kinds: readonly ObservableKind[] = skill.enriches ?? []
  if (kinds.length === 0) return []
  const problems: PointedMessage[] = []
  const say = (pointer: string, message: string): number => problems.push({ pointer, message })
  const unknown = kinds.filter((kind) => !observableKinds.includes(kind))
  if (unknown.length > 0)
    say('/enriches', `'${unknown.join("', '")}' is not among ${observableKinds.join(', ')}`)
  if (skill.effect === 'write') say('/effect', "must be 'read', since the skill enriches")
  if (skill.asks === true) say('/asks', 'must be left out, since the skill enriches')
  problems.push(...inputProblems(skill.input as JsonSchema, kinds))
  const score = scoreProblem(typeOfSchema(skill.output as JsonSchema))
  if (score !== undefined) say('/output', `${score}, since the skill enriches`)
  return problems
}

function inputProblems(input: JsonSchema, kinds: readonly ObservableKind[]): readonly PointedMessage[] {
  const problems: PointedMessage[] = []
  const say = (pointer: string, message: string): number => problems.push({ pointer, message })
  const type = typeOfSchema(input)
  for (const name of given) {
    if (!objectsOf(type).some(({ properties }) => properties.has(name)))
      say(`/input/properties/${name}`, 'must be there, since the skill enriches')
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

/** What is wrong with `risk.score` in every form that the output may have. */
function scoreProblem(output: Type): string | undefined {
  const risks = fieldIn(output, 'risk')
  const scores = risks?.map((risk) => fieldIn(risk, 'score'))
  if (scores === undefined || scores.length === 0 || scores.includes(undefined))
    return 'must require risk.score (0 to 100, or null)'
  const members = scores.flatMap((each) => each ?? []).flatMap((each) => membersOf(each))
  if (!members.every(({ kind }) => scoreKinds.includes(kind)))
    return 'must declare risk.score as a number, or null'
  // What an expression makes of a value that is sensitive in part is sensitive, and cases do not take it.
  return isSensitive(output) ? 'must hold nothing that is x-sensitive' : undefined
}

/** The types of a field that every member of the type has; undefined where one may lack it. */
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
