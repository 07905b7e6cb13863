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

/** The type without enumerations, for the output of a `set`: string instead of `one of a, b`. */
export function withoutEnumerations(type: Type): Type {
  return ofLeaves(type, widenedLeaf)
}

const widenedLeaf: LeafChange = (leaf) => {
  if ((leaf.kind !== 'string' && leaf.kind !== 'number') || leaf.values === undefined) return leaf
  return marked(leaf, leaf.kind === 'string' ? string : leaf.whole ? integer : number)
}

/** The type of the value in JSON, where times and durations are strings. */
export function jsonType(type: Type): Type {
  return ofLeaves(type, textOfTime)
}

/**
 * The type of a stored result for later reads. A time stays a time if the playbook alone declares it so; else
 * it is a string with the format of a time.
 */
export function keptType(type: Type): Type {
  return ofLeaves(type, keptLeaf)
}

/** The type with each optional replaced by its value type. */
export function withoutOptionals(type: Type): Type {
  return ofLeaves(type, heldLeaf)
}

/** The type with string keys in all maps, as in JSON; the identical type if nothing changes. */
export function withTextKeys(type: Type): Type {
  return ofLeaves(type, sameLeaf)
}

const sameLeaf: LeafChange = (leaf) => leaf

const heldLeaf: LeafChange = (leaf) =>
  leaf.kind === 'optional' ? marked(leaf, withoutOptionals(leaf.value)) : leaf

const keptLeaf: LeafChange = (leaf) => (leaf.assumed === true ? textOfTime(leaf) : leaf)

const marked = (like: Type, type: Type): Type => (like.sensitive === true ? sensitive(type) : type)

type LeafChange = (leaf: Type) => Type

/** Cache: types share parts, so that traversing them each time could take exponential time. */
const changed = new WeakMap<LeafChange, WeakMap<Type, Type>>()

/** Changes the leaves of a type; returns the identical type if nothing changes. */
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
