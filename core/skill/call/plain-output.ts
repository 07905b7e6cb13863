import { SkillError } from '../../plugin/index.ts'

const maxDepth = 100

/**
 * Copies a skill's output as plain JSON data, without undefined fields. Values that JSON cannot represent are an
 * error of the skill.
 *
 * @throws SkillError `contract_violation`
 */
export function plainOutput(value: unknown, skill: string): unknown {
  return copy(value, '', 0, (pointer, why) => {
    throw new SkillError(
      'contract_violation',
      `output of ${skill}: ${pointer === '' ? 'it' : pointer} ${why}`,
    )
  })
}

type Refuse = (pointer: string, why: string) => never

function copy(value: unknown, pointer: string, depth: number, refuse: Refuse): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return value
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : refuse(pointer, `is ${value}, which JSON cannot represent`)
  }
  if (typeof value !== 'object') return refuse(pointer, `is ${typeof value}, which JSON cannot represent`)
  if (depth > maxDepth) return refuse(pointer, `is nested deeper than ${maxDepth} levels`)
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => copy(item, `${pointer}/${index}`, depth + 1, refuse))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return refuse(pointer, `is a ${value.constructor.name}, not plain data`)
  }
  const plain: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (inner === undefined) continue
    const copied = copy(inner, `${pointer}/${key}`, depth + 1, refuse)
    if (key === '__proto__') Object.defineProperty(plain, key, { value: copied, ...ownField })
    else plain[key] = copied
  }
  return plain
}

const ownField = { configurable: true, enumerable: true, writable: true } as const
