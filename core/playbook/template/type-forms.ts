import {
  integer,
  number,
  sensitive,
  string,
  textOfTime,
  union,
  type Property,
  type Type,
} from '../../expression/index.ts'

/** The type without what it says about single values: text instead of `one of a, b`. What a `set` gives may be replaced by any such. */
export function widened(type: Type): Type {
  return ofLeaves(type, widenedLeaf)
}

const widenedLeaf: LeafChange = (leaf) => {
  if ((leaf.kind !== 'string' && leaf.kind !== 'number') || leaf.values === undefined) return leaf
  return marked(leaf, leaf.kind === 'string' ? string : leaf.whole ? integer : number)
}

/** What a value of the type looks like once it is JSON: times and durations are text. */
export function jsonType(type: Type): Type {
  return ofLeaves(type, textOfTime)
}

/**
 * How what an expression gives is seen by whoever reads it later. A time stays one where the playbook alone says so, whatever is
 * installed beside it; else it is text in the format of a time.
 */
export function keptType(type: Type): Type {
  return ofLeaves(type, keptLeaf)
}

/** The type with each optional as what it holds: JSON has the value, or there is none at all. */
export function withoutOptionals(type: Type): Type {
  return ofLeaves(type, heldLeaf)
}

/** The type with text as the keys of all maps, as JSON has them; the very same where that is so already. */
export function withTextKeys(type: Type): Type {
  return ofLeaves(type, sameLeaf)
}

const sameLeaf: LeafChange = (leaf) => leaf

const heldLeaf: LeafChange = (leaf) =>
  leaf.kind === 'optional' ? marked(leaf, withoutOptionals(leaf.value)) : leaf

const keptLeaf: LeafChange = (leaf) => (leaf.assumed === true ? textOfTime(leaf) : leaf)

const marked = (like: Type, type: Type): Type => (like.sensitive === true ? sensitive(type) : type)

type LeafChange = (leaf: Type) => Type

/** A type may be shared by many others, so that going through all of it each time would never end. */
const changed = new WeakMap<LeafChange, WeakMap<Type, Type>>()

/** The type with each part that has no parts of its own changed; the very same where nothing changes. */
function ofLeaves(type: Type, change: LeafChange): Type {
  const known = changed.get(change) ?? new WeakMap<Type, Type>()
  changed.set(change, known)
  const found = known.get(type) ?? ofLeavesAnew(type, change)
  known.set(type, found)
  return found
}

const isTextKey = ({ kind }: Type): boolean => kind === 'string' || kind === 'dyn'

function ofLeavesAnew(type: Type, change: LeafChange): Type {
  const inner = (part: Type) => ofLeaves(part, change)
  switch (type.kind) {
    case 'list': {
      const element = inner(type.element)
      return element === type.element ? type : { ...type, element }
    }
    case 'map': {
      const value = inner(type.value)
      const key = change === sameLeaf && !isTextKey(type.key) ? string : type.key
      return value === type.value && key === type.key ? type : { ...type, key, value }
    }
    case 'union': {
      const members = type.members.map(inner)
      return members.every((member, at) => member === type.members[at]) ? type : union(members)
    }
    case 'object': {
      const properties = Array.from(type.properties, ([name, property]): [string, Property] => [
        name,
        { ...property, type: inner(property.type) },
      ])
      const additional = type.additional && inner(type.additional)
      const isSame =
        additional === type.additional &&
        properties.every(([name, property]) => property.type === type.properties.get(name)?.type)
      return isSame ? type : { ...type, properties: new Map(properties), additional }
    }
    default:
      return change(type)
  }
}
