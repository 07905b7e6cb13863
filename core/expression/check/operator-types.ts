import {
  assumed,
  bool,
  double,
  duration,
  dyn,
  int,
  isNumeric,
  isWholeType,
  list,
  string,
  timeKind,
  timestamp,
  union,
  withoutNull,
  type Type,
} from '../types/types.ts'

/** A string that is a time only by its schema. */
export const isTimeText = (type: Type): boolean => {
  const plain = withoutNull(type)
  return plain.kind === 'string' && timeKind(plain) !== undefined
}

/** Whether values of these types may be equal. */
export function comparable(left: Type, right: Type): boolean {
  if (left.kind === 'dyn' || right.kind === 'dyn') return true
  if (isNumeric(left) && isNumeric(right)) return true
  if (isMapLike(left) && isMapLike(right)) return true
  const [leftTime, rightTime] = [timeKind(left), timeKind(right)]
  if (leftTime !== undefined && rightTime !== undefined) return leftTime === rightTime
  return left.kind === right.kind
}

const isMapLike = (type: Type): boolean => type.kind === 'map' || type.kind === 'object'

const timesByKind = { timestamp, duration }

const orderedKinds: ReadonlySet<Type['kind']> = new Set(['string', 'bool', 'timestamp', 'duration', 'dyn'])

/** The type of a comparison by order; undefined where there is no order. */
export function order(left: Type, right: Type): Type | undefined {
  if (isNumeric(left) && (isNumeric(right) || right.kind === 'dyn')) return bool
  if (isNumeric(right) && left.kind === 'dyn') return bool
  if (!orderedKinds.has(left.kind) || !orderedKinds.has(right.kind)) return undefined
  return comparable(left, right) ? bool : undefined
}

/**
 * The type of `+ - * / %`; undefined where they do not work. Text counts as a time next to a time, and on
 * both sides of a minus, where only times make sense.
 */
export function arithmetic(operator: string, left: Type, right: Type): Type | undefined {
  const [leftTime, rightTime] = [timeKind(left), timeKind(right)]
  const areTexts = left.kind === 'string' && right.kind === 'string'
  const areRead = leftTime !== undefined && rightTime !== undefined ? !areTexts || operator === '-' : false
  if (!areRead) return plainArithmetic(operator, left, right)
  const result = plainArithmetic(operator, timesByKind[leftTime!], timesByKind[rightTime!])
  const isAssumed = [left, right].some((type) => type.kind === 'string' || type.assumed === true)
  return result && isAssumed ? assumed(result) : result
}

function plainArithmetic(operator: string, left: Type, right: Type): Type | undefined {
  if (isNumeric(left) && isNumeric(right)) return numeric(operator, left, right)
  if (left.kind === 'dyn' || right.kind === 'dyn') {
    const known = left.kind === 'dyn' ? right : left
    // The other side may be a time.
    return isTimeText(known) && /^[+-]$/.test(operator) ? dyn : withUnknown(operator, known)
  }
  const kinds = `${left.kind} ${operator} ${right.kind}`
  switch (kinds) {
    case 'string + string':
      return string
    case 'list + list':
      return left.kind === 'list' && right.kind === 'list'
        ? list(union([left.element, right.element]))
        : undefined
    case 'timestamp + duration':
    case 'duration + timestamp':
    case 'timestamp - duration':
      return timestamp
    case 'timestamp - timestamp':
    case 'duration + duration':
    case 'duration - duration':
      return duration
    default:
      return undefined
  }
}

function withUnknown(operator: string, known: Type): Type | undefined {
  if (known.kind === 'dyn' || isNumeric(known)) return dyn
  if (operator === '+') {
    if (known.kind === 'string') return string
    return known.kind === 'list' || known.kind === 'timestamp' || known.kind === 'duration' ? dyn : undefined
  }
  return operator === '-' && (known.kind === 'timestamp' || known.kind === 'duration') ? dyn : undefined
}

function numeric(operator: string, left: Type, right: Type): Type {
  if (left.kind === 'int' && right.kind === 'int') return int
  if (operator === '%') return { kind: 'number', whole: true }
  if (left.kind === 'double' || right.kind === 'double') return double
  return { kind: 'number', whole: operator !== '/' && isWholeType(left) && isWholeType(right) }
}
