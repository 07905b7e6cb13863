import { hidden } from '../../domain/mask.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { isKeyed, stateOperations, type StateOperation, type StateRule } from '../../state/state.ts'
import { placedSteps, withoutItems } from '../read/placed-steps.ts'
import type { RecordedRun, RecordedStep } from './recorded-run.ts'

type Fields = Readonly<Record<string, unknown>>

/** The state before the run, as far as its steps saw it; sensitive states are left out. */
export function recordedState({ steps }: RecordedRun, playbook: Playbook | undefined): Fields | undefined {
  if (playbook === undefined || playbook.state.size === 0) return undefined
  const own = new Set(placedSteps(playbook).map(({ path }) => path))
  const seen = new Map<string, Map<string, unknown>>()
  for (const step of steps) {
    const place = withoutItems(step.path.replace(/(?:\/@[a-z]+)+$/, ''))
    if (step.kind !== 'state' || step.state !== 'completed') continue
    if (own.has(place) || place === '@outputs') noteFirst(step, seen)
  }
  const values = Array.from(playbook.state).flatMap(([name, rule]) => {
    const first = [...(seen.get(name) ?? [])].filter(([, value]) => value !== undefined)
    return first.length === 0 || rule.sensitive ? [] : [[name, plainValue(rule, first)] as const]
  })
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

/** Records the value before the first step that used a state or an entry. */
function noteFirst({ input, output }: RecordedStep, seen: Map<string, Map<string, unknown>>): void {
  const note = (name: string, key: string, before: unknown) => {
    const known = seen.get(name) ?? new Map<string, unknown>()
    seen.set(name, known)
    if (!known.has(key)) known.set(key, before === hidden ? undefined : before)
  }
  const [asked, found] = [input as Fields | null, output as Fields | null]
  if (asked === null || found === null) return
  if (Array.isArray(asked['read'])) {
    for (const name of asked['read'] as readonly string[]) note(name, '', found[name])
    return
  }
  const operation = stateOperations.find((each) => typeof asked[each] === 'string')
  if (operation === undefined) return
  const key = typeof asked['key'] === 'string' ? asked['key'] : ''
  note(String(asked[operation]), key, valueBefore(operation, asked, found))
}

/** Undefined: absent or unknown. */
function valueBefore(operation: StateOperation, asked: Fields, found: Fields): unknown {
  switch (operation) {
    case 'set':
      return (found['ok'] === true ? asked['expected'] : found['value']) ?? undefined
    case 'increment': {
      const before = Number(found['value']) - Number(asked['by'] ?? 1)
      return before === 0 ? undefined : before
    }
    case 'add':
      return found['new'] === false ? found['added_at'] : undefined
    case 'get':
      if (found['found'] === false) return undefined
      return found['added_at'] ?? (found['value'] === 0 ? undefined : (found['value'] ?? undefined))
    case 'delete':
      return undefined
  }
}

const plainValue = ({ kind }: StateRule, first: readonly (readonly [string, unknown])[]): unknown =>
  isKeyed(kind) ? Object.fromEntries(first) : first[0]![1]
