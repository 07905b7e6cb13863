import {
  dyn,
  integer,
  keywords,
  object,
  sensitive,
  type Property,
  type Type,
} from '../../expression/index.ts'
import {
  isCounting,
  isKeyed,
  stateKinds,
  stateLimits,
  type PlaybookState,
  type StateDeclaration,
  type StateKind,
} from '../../state/state.ts'
import type { Sliced } from '../../common/sliced.ts'
import { idPattern } from '../language/constants.ts'
import { suggest, suggestId } from '../language/did-you-mean.ts'
import { quote, type Problems } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { readInput } from '../steps/read-inputs.ts'
import { describe, readChoice, readDuration, readNumber } from '../template/fields.ts'
import type { Entry, MapNode, Node } from '../yaml/document.ts'

type Reading = Pick<ReadContext, 'problems' | 'patterns'>

/** Keys beside those of an input. */
const ownKeys = ['kind', 'expires', 'max', 'when_full', 'on_mismatch'] as const
/** Keys of a declaration without a type. */
const typelessKeys: readonly string[] = [...ownKeys, 'sensitive', 'description']

const validName = new RegExp(idPattern)

/** The declared states, and the names of invalid ones, which have been reported. */
interface ReadStates {
  readonly state: PlaybookState
  readonly invalid: ReadonlySet<string>
}

export const noStates: ReadStates = { state: new Map(), invalid: new Set() }

/** Reads `state`: each is `{ kind, type, default, expires, … }` or, for a value or a map, any JSON Schema. */
export function* readState(reading: Reading, { value }: Entry): Sliced<ReadStates> {
  const { problems } = reading
  const state = new Map<string, StateDeclaration>()
  const invalid = new Set<string>()
  if (value.kind !== 'map') {
    const hint = 'write { <name>: { type: string } }'
    problems.add('E106', `expected a map of states for \`state\`, found ${describe(value)}`, value, hint)
    return { state, invalid }
  }
  if (value.entries.length > stateLimits.names) {
    const message = `a playbook may declare ${stateLimits.names} states; found ${value.entries.length}`
    problems.add('E107', message, value, 'keep entries of one map under several keys')
  }
  for (const { name, key, value: node } of value.entries) {
    yield
    if (keywords.includes(name))
      problems.add('E107', `${quote(name)} is reserved in expressions`, key, 'choose another name')
    else if (!validName.test(name))
      problems.add('E107', `invalid name of a state ${quote(name)}`, key, suggestId(name))
    const read = readDeclaration(reading, node)
    if (read === undefined) invalid.add(name)
    else state.set(name, read)
  }
  return { state, invalid }
}

function readDeclaration(reading: Reading, node: Node): StateDeclaration | undefined {
  const { problems } = reading
  if (node.kind !== 'map') {
    const hint = 'write { type: string } for a value, or { kind: set, expires: 7d }'
    problems.add('E106', `expected a map for a state, found ${describe(node)}`, node, hint)
    return undefined
  }
  const own = new Map(node.entries.map((entry) => [entry.name, entry]))
  const kindEntry = own.get('kind')
  const kind = kindEntry ? readChoice(problems, kindEntry, stateKinds) : 'value'
  if (kind === undefined) return undefined
  const hasType = kind === 'value' || kind === 'map'
  checkKeys(problems, node, kind, hasType)
  const rest = node.entries.filter(({ name }) =>
    hasType ? !(ownKeys as readonly string[]).includes(name) : name === 'sensitive' || name === 'description',
  )
  const typed = readInput(reading, { ...node, entries: rest }, 'a state')
  if (typed === undefined) return undefined
  const expires = own.get('expires')
  const max = own.get('max')
  const whenFull = own.get('when_full')
  const onMismatch = own.get('on_mismatch')
  return {
    kind,
    schema: hasType ? typed.schema : undefined,
    type: isCounting(kind) ? integer : typed.type,
    default: hasType ? typed.default : undefined,
    expiresMs: expires && readDuration(problems, expires),
    max: (max && readNumber(problems, max, stateLimits.entries)) ?? stateLimits.defaultEntries,
    whenFull: (whenFull && readChoice(problems, whenFull, ['drop_oldest', 'fail'])) ?? 'drop_oldest',
    onMismatch: (onMismatch && readChoice(problems, onMismatch, ['fail', 'reset'])) ?? 'fail',
    sensitive: typed.sensitive,
    description: typed.description,
  }
}

/** Reports keys that the kind does not have. */
function checkKeys(problems: Problems, node: MapNode, kind: StateKind, hasType: boolean): void {
  for (const { name, key } of node.entries) {
    if ((name === 'max' || name === 'when_full') && !isKeyed(kind)) {
      problems.add(
        'E112',
        `\`${name}\` does not belong to a state of kind ${kind}`,
        key,
        'it is for set, map and counters',
      )
    } else if (!hasType && !typelessKeys.includes(name)) {
      const isSchema = ['type', 'default', 'enum', 'items', 'properties'].includes(name)
      const why = isCounting(kind) ? 'a counter is a whole number that starts at 0' : 'a set has keys only'
      const hint = isSchema ? `leave it out: ${why}` : suggest(name, typelessKeys)
      problems.add('E104', `unknown key ${quote(name)} in a state of kind ${kind}`, key, hint)
    }
  }
}

/** The type of `state` in expressions: its values and counters. Other kinds are read by key, with a step. */
export function typeOfState({ state, invalid }: ReadStates): Type {
  const unknown = Array.from(invalid, (name): [string, Property] => [name, { type: dyn }])
  const properties = Array.from(state).flatMap(([name, declared]): [string, Property][] => {
    if (isKeyed(declared.kind)) return []
    const isOptional = declared.kind === 'value' && declared.default === undefined
    return [[name, { type: valueTypeOf(declared), optional: isOptional }]]
  })
  return object(Object.fromEntries([...properties, ...unknown]))
}

/** The type of a value, counter or entry. */
export const valueTypeOf = ({ type, sensitive: isSecret }: StateDeclaration): Type =>
  isSecret ? sensitive(type) : type
