import type { PointedMessage } from '../errors/errors.ts'
import { observableKinds, type AnySkill, type JsonSchema, type ObservableKind } from '../plugin/index.ts'

/**
 * Investigators are composed from skills that declare what they enrich; they are called with `kind` and `value` alone, and
 * their `risk.score` is compared. So the schemas must promise both.
 */
export function checkEnriching(skill: AnySkill, pointer: string, problems: PointedMessage[]): void {
  const kinds: readonly ObservableKind[] = skill.enriches ?? []
  if (kinds.length === 0) return
  const say = (place: string, message: string): number => problems.push({ pointer: pointer + place, message })
  const unknown = kinds.filter((kind) => !observableKinds.includes(kind))
  if (unknown.length > 0)
    say('/enriches', `'${unknown.join("', '")}' is not among ${observableKinds.join(', ')}`)

  const input = skill.input as JsonSchema
  for (const name of ['kind', 'value']) {
    if (property(input, name) === undefined)
      say(`/input/properties/${name}`, 'must be there, since the skill enriches')
  }
  const further = (input.required ?? []).filter((name) => name !== 'kind' && name !== 'value')
  if (further.length > 0)
    say('/input/required', `an enriching skill needs kind and value only, not ${further.join(', ')}`)
  const accepted = property(input, 'kind')?.enum
  const refused = accepted === undefined ? [] : kinds.filter((kind) => !accepted.includes(kind))
  if (refused.length > 0)
    say('/input/properties/kind', `must accept ${refused.join(', ')}, which the skill enriches`)

  const output = skill.output as JsonSchema
  const risk = property(output, 'risk')
  const score = risk === undefined ? undefined : property(risk, 'score')
  if (score === undefined || !output.required?.includes('risk') || !risk?.required?.includes('score')) {
    say('/output', 'must require risk.score (0 to 100, or null), since the skill enriches')
  }
}

function property(schema: JsonSchema, name: string): JsonSchema | undefined {
  return schema.properties !== undefined && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined
}
