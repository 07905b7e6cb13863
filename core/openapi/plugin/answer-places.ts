import { isObject, valueAt } from '../../plugin/index.ts'
import type { FlatSchema, InnerSchema } from '../schema/flatten-schema.ts'
import type { SkillPlan } from './skill-plan.ts'

/** A name without case and separators. */
export const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

const listNames = [
  'items',
  'data',
  'results',
  'records',
  'entries',
  'values',
  'objects',
  'members',
  'value',
  'hits',
  'elements',
  'list',
]

/** A value in an answer, given by its path. */
export interface AnswerPlace {
  readonly path: readonly string[]
  readonly flat: FlatSchema
  readonly inner: InnerSchema
}

/** The values at the top levels of an answer, without those in lists, which are not single values. */
export function placesIn(plan: SkillPlan, body: InnerSchema): readonly AnswerPlace[] {
  const visit = (inner: InnerSchema, path: readonly string[]): readonly AnswerPlace[] => {
    const flat = plan.reader.flatten(inner)
    const here: AnswerPlace = { path, flat, inner }
    if (path.length >= 3 || !flat.types.includes('object')) return [here]
    return [
      here,
      ...[...flat.properties].slice(0, 50).flatMap(([name, each]) => visit(each, [...path, name])),
    ]
  }
  return visit(body, [])
}

const isList = ({ flat }: AnswerPlace): boolean => flat.types.length === 1 && flat.types[0] === 'array'

/** The list of an answer: the answer itself, the only list in it, or the one with a usual name. */
export function listPlace({ operation }: SkillPlan, places: readonly AnswerPlace[]): AnswerPlace | undefined {
  const [whole] = places
  if (whole !== undefined && isList(whole)) return whole
  const lists = places.filter((place) => place.path.length === 1 && isList(place))
  if (lists.length <= 1)
    return (
      lists[0] ??
      places.find(
        (place) => place.path.length === 2 && isList(place) && listNames.includes(plain(place.path[1]!)),
      )
    )
  const last =
    operation.path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{')) ?? ''
  return lists.find(({ path }) => [...listNames, plain(last)].includes(plain(path[0]!)))
}

export const placeNamed = (
  places: readonly AnswerPlace[],
  names: readonly string[],
  types: readonly string[],
): AnswerPlace | undefined =>
  places
    .filter(
      ({ path, flat }) =>
        path.length > 0 &&
        names.includes(plain(path.at(-1)!)) &&
        flat.types.every((type) => types.includes(type)) &&
        flat.types.length > 0,
    )
    .toSorted((a, b) => a.path.length - b.path.length)[0]

const step = (name: string, isFirst: boolean, isSure: boolean): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? `${isSure || !isFirst ? '.' : '.?'}${name}`
    : `[${isSure || !isFirst ? '' : '?'}${JSON.stringify(name)}]`

/** The expression that reads a place; `isSure`: the value always exists. */
export const expressionOf = (path: readonly string[], isSure = false): string =>
  `response.body${path.map((name, index) => step(name, index === 0, isSure)).join('')}`

export const at = (body: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => valueAt(value, name), body)

/** A copy of a body with another value at a place; missing objects are created. */
export function withAt(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  return { ...(isObject(body) ? body : {}), [name]: withAt(valueAt(body, name), rest, value) }
}

export function withoutAt(body: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined || !isObject(body) || !Object.hasOwn(body, name)) return body
  const { [name]: inner, ...others } = body
  return rest.length === 0 ? others : { ...others, [name]: withoutAt(inner, rest) }
}
