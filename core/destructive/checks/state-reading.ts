import { plainJson } from '../../engine/journal/plain-json.ts'
import type { StateCall } from '../../plugin/index.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import type { ContainingCall, SeenState } from './state-checks.ts'

/** The call that reads the state of a containment. */
export interface StateReading {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  readonly input: unknown
  /** What its output says. */
  readonly says: (state: unknown) => SeenState
}

/**
 * Undefined: the skill does not say how its state is read, or its plugin is no longer installed, or the input depends on an output
 * that is unknown.
 */
export function stateReading(
  found: CatalogueSkill | undefined,
  { input, output }: ContainingCall,
): StateReading | undefined {
  const stateBy = stateByOf(found)
  if (found === undefined || stateBy === undefined) return undefined
  try {
    return {
      skill: `${found.plugin.name}.${stateBy.skill}`,
      input: plainJson(stateBy.input(input, output)),
      says: (state) => saidBy(stateBy, state, { input, output }),
    }
  } catch {
    return undefined
  }
}

function saidBy(stateBy: StateCall, state: unknown, { input, output }: ContainingCall): SeenState {
  const contained = holds(() => stateBy.contained(state, input, output))
  const released = holds(() => stateBy.released(state, input, output))
  // An answer that says both says nothing.
  return contained === released ? 'unclear' : contained ? 'contained' : 'released'
}

/** A plugin that throws about an unexpected answer does not know. */
function holds(says: () => boolean): boolean {
  try {
    return says()
  } catch {
    return false
  }
}

/** Undefined: the state cannot be read, or the skill does not contain. */
function stateByOf(found: CatalogueSkill | undefined): StateCall | undefined {
  const skill = found?.skill
  if (skill?.effect !== 'write' || skill.destructive === undefined || skill.restores === true)
    return undefined
  return skill.stateBy
}

/** Characters of a containing call that is kept to read its state. */
const maxCall = 65_536

/** The containing call as it is kept; undefined if it is too large. */
export function keptCall(input: unknown, output: unknown): ContainingCall | undefined {
  const call = plainJson({ input, ...(output !== undefined && { output }) }) as ContainingCall
  return JSON.stringify(call).length > maxCall ? undefined : call
}
