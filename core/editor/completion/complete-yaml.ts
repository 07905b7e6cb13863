import type { MapNode } from '../../playbook/yaml/document.ts'
import { belongsTo, isBesideOwner } from '../../playbook/language/grammar.ts'
import { isAction } from '../../playbook/language/step-keys.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { completePlaybook, namesPlaybook } from '../calls.ts'
import { completeConnection, lacksConnection } from './complete-connection.ts'
import type { Completion } from './completion.ts'
import { describeInput, describeSchema, skillDocumentation } from '../describe-skill.ts'
import type { PathStep } from '../inspection.ts'
import { completeTimeZone, isTimeZonePlace } from '../schedules.ts'
import { completeState } from '../states.ts'
import {
  exclusiveKeys,
  isSkillName,
  keysOf,
  requiresKey,
  schemasAt,
  skillsFor,
  type Guide,
} from '../schema-walk.ts'

/** The keys that can be added to a map. */
export function completeKeys(
  guide: Guide,
  map: MapNode,
  path: readonly PathStep[],
  { isFlow, hasColon }: { readonly isFlow: boolean; readonly hasColon: boolean },
): readonly Completion[] {
  const schemas = schemasAt(guide, path)
  const present = new Set(map.entries.map(({ name }) => name))
  const isRequired = (name: string) => requiresKey(schemas, name)
  const choices = exclusiveKeys(schemas)
  const isExcluded = (name: string) =>
    choices.some((keys) => keys.includes(name) && keys.some((key) => present.has(key)))
  const isStep = schemas.some(
    ({ properties }) => properties?.['uses'] !== undefined && properties['switch'] !== undefined,
  )
  return [...keysOf(schemas, guide.schema)]
    .filter(([name]) => !present.has(name) && !isExcluded(name) && (!isStep || fits(name, present)))
    .map(([name, found]) => {
      const schema = found[0] ?? {}
      const isLong =
        !isFlow &&
        found.some(
          ({ type, items, properties }) => items ?? properties ?? (type === 'object' || type === 'array'),
        )
      return {
        label: name,
        kind: 'key' as const,
        detail: `${describeSchema(schema)}${isRequired(name) ? ', required' : ''}`,
        documentation: describeInput(name, schema, isRequired(name)),
        insert: hasColon ? name : isLong ? `${name}:` : `${name}: `,
        rank:
          isRequired(name) || choices.some((keys) => keys.includes(name)) || (isStep && isAction(name))
            ? 0
            : 1,
      }
    })
}

/** Whether a step with the present keys can have this key too. */
function fits(name: string, present: ReadonlySet<string>): boolean {
  const action = [...present].find(isAction)
  if (action === undefined) return true
  if (isAction(name)) return false
  const owners: readonly string[] | undefined = belongsTo[name]
  return owners === undefined || owners.includes(action) || isBesideOwner(name, (key) => present.has(key))
}

/** Whether a value is the code of an organization: of the playbook, or of its schedule. */
const namesOrganization = (path: readonly PathStep[]): boolean =>
  ['organization', 'on/schedule/organizations'].includes(
    path.flatMap((step) => ('key' in step ? [step.key] : [])).join('/'),
  )

const completeOrganization = ({ organizations = [] }: Guide): readonly Completion[] =>
  organizations.map(({ code, name }) => ({ label: code, kind: 'value', detail: name }))

/** The values that fit: those of the schema, skills, connections, states and playbooks. */
export function completeValue(guide: Guide, path: readonly PathStep[]): readonly Completion[] {
  if (namesPlaybook(path)) return completePlaybook(guide, path)
  if (isTimeZonePlace(path)) return completeTimeZone()
  if (namesOrganization(path)) return completeOrganization(guide)
  const states = completeState(path)
  if (states) return states
  const connections = completeConnection(guide, path)
  if (connections) return connections
  const schemas = schemasAt(guide, path)
  const last = path.at(-1)
  const skills = !isSkillName(schemas)
    ? []
    : skillsFor(last && 'key' in last ? last.key : '', guide.catalogue?.usable ?? []).map((entry) => ({
        label: entry.name,
        kind: 'skill' as const,
        detail: lacksConnection(guide, entry) ? `${entry.skill.title}, no connection yet` : entry.skill.title,
        documentation: skillDocumentation(entry),
        rank: lacksConnection(guide, entry) ? 2 : 1,
      }))
  const values = schemas.flatMap((schema) => valuesOf(schema))
  return [...skills, ...new Map(values.map((value) => [value.label, value])).values()]
}

function valuesOf({
  enum: choices,
  const: only,
  type,
  default: preset,
  description,
}: JsonSchema): readonly Completion[] {
  const given = [
    ...(choices ?? []),
    ...(only === undefined ? [] : [only]),
    ...(type === 'boolean' ? [true, false] : []),
    ...(isScalar(preset) ? [preset] : []),
  ]
  return given.filter(isScalar).map((value) => ({
    label: String(value),
    kind: 'value' as const,
    detail: value === preset ? 'default' : undefined,
    documentation: description,
  }))
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
