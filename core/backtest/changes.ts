import { stringifyJson } from '../common/json.ts'
import type { RunDecision, Deed } from './decision.ts'

/** Parts of a decision that can change, the most important first. */
export const decisionChangeKinds = [
  'new_action',
  'lost_action',
  'changed_action',
  'verdict',
  'severity',
  'status',
  'new_question',
  'lost_question',
  'changed_question',
  'output',
  'path',
] as const
export type DecisionChangeKind = (typeof decisionChangeKinds)[number]

/** A difference between two decisions. */
export interface DecisionChange {
  readonly kind: DecisionChangeKind
  /** For people; the same for alerts with the same change. */
  readonly text: string
}

/** The differences, the most important first. */
export function changesBetween(before: RunDecision, after: RunDecision): readonly DecisionChange[] {
  const changes: DecisionChange[] = []
  const add = (kind: DecisionChangeKind, text: string) => changes.push({ kind, text })
  const addField = (kind: 'verdict' | 'severity' | 'status') => {
    if (before[kind] !== after[kind])
      add(kind, `${kind} ${before[kind] ?? 'not set'} → ${after[kind] ?? 'not set'}`)
  }
  const actions = compareDeeds(before.actions, after.actions)
  for (const { skill, path } of actions.gained) add('new_action', `new action ${skill} at ${placeOf(path)}`)
  for (const { skill, path } of actions.lost) add('lost_action', `no longer ${skill} at ${placeOf(path)}`)
  for (const { skill, path } of actions.changed)
    add('changed_action', `other input for ${skill} at ${placeOf(path)}`)
  addField('verdict')
  addField('severity')
  addField('status')
  const questions = compareDeeds(before.questions, after.questions)
  for (const { skill, path } of questions.gained)
    add('new_question', `new question at ${placeOf(path)} (${skill})`)
  for (const { skill, path } of questions.lost)
    add('lost_question', `no longer asks at ${placeOf(path)} (${skill})`)
  for (const { skill, path } of questions.changed)
    add('changed_question', `another question at ${placeOf(path)} (${skill})`)
  if (before.outputKey !== after.outputKey) add('output', 'other output')
  if (stringifyJson(before.path) !== stringifyJson(after.path)) add('path', 'other steps')
  changes.sort((a, b) => decisionChangeKinds.indexOf(a.kind) - decisionChangeKinds.indexOf(b.kind))
  return changes.filter(({ text }, at) => changes.findIndex((each) => each.text === text) === at)
}

/** Actions of a skill, and which of two runs take them. */
export interface SharedAction {
  readonly skill: string
  readonly by: 'both' | 'before' | 'after'
  readonly calls: number
}

/** The actions of both runs. An action with another input at the same step counts once, as in `changesBetween`. */
export function sharedActions(before: RunDecision, after: RunDecision): readonly SharedAction[] {
  const { lost, gained } = compareDeeds(before.actions, after.actions)
  const both = after.actions.filter((deed) => !gained.includes(deed))
  return Object.entries({ both, before: lost, after: gained }).flatMap(([by, deeds]) =>
    Array.from(
      Map.groupBy(deeds, ({ skill }) => skill),
      ([skill, { length: calls }]) => ({ skill, by: by as SharedAction['by'], calls }),
    ),
  )
}

/** Deeds without an equal counterpart; those of the same step with another input are `changed`. */
function compareDeeds(before: readonly Deed[], after: readonly Deed[]) {
  const lost = without(before, after)
  const gained = without(after, before)
  const isChanged = (deed: Deed, others: readonly Deed[]) => others.some((other) => isSameStep(deed, other))
  return {
    lost: lost.filter((deed) => !isChanged(deed, gained)),
    gained: gained.filter((deed) => !isChanged(deed, lost)),
    changed: gained.filter((deed) => isChanged(deed, lost)),
  }
}

/** A destructive action with another input acts on something else: it is another action. */
const isSameStep = (a: Deed, b: Deed): boolean =>
  !a.isDestructive && !b.isDestructive && a.path === b.path && a.skill === b.skill

/** Items and rounds do not matter for a group of alerts. */
const placeOf = (path: string): string => path.replaceAll(/\[\d+\]|#\d+/g, '')

/** The actions and questions without a counterpart; equal ones are counted. */
function without(deeds: readonly Deed[], others: readonly Deed[]): readonly Deed[] {
  const left = new Map<string, number>()
  for (const { key } of others) left.set(key, (left.get(key) ?? 0) + 1)
  return deeds.filter(({ key }) => {
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
}

/**
 * Whether a replay repeats the recorded decision. Inputs may differ by times and ids that a replay does not have, so only the
 * steps are compared.
 */
export function differenceFromRecorded(recorded: RunDecision, replayed: RunDecision): string | undefined {
  const places = (deeds: readonly Deed[]) =>
    stringifyJson(deeds.map(({ path, skill }) => `${skill} ${path}`).toSorted())
  if (recorded.status !== replayed.status)
    return `it was ${recorded.status}, the replay is ${replayed.status}`
  for (const field of ['verdict', 'severity'] as const) {
    if (recorded[field] !== replayed[field])
      return `its ${field} was ${recorded[field] ?? 'not set'}, in the replay it is ${replayed[field] ?? 'not set'}`
  }
  if (places(recorded.actions) !== places(replayed.actions)) return 'its actions differ in the replay'
  if (places(recorded.questions) !== places(replayed.questions)) return 'its questions differ in the replay'
  return undefined
}
