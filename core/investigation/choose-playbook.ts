import type { Playbook } from '../playbook/index.ts'
import type { LibraryEntry } from './playbook-library.ts'

/**
 * The playbook that investigates an alert: one that a person wrote before one that was made, then the most specific
 * trigger (a condition, then a provider, then the type alone), then the first by name. Undefined where none fits.
 *
 * A condition that cannot be evaluated on this alert does not fit; `onConditionError` is told.
 */
export function choosePlaybook(
  entries: readonly LibraryEntry[],
  alert: { readonly type: string; readonly provider: string },
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): Playbook | undefined {
  const candidates = entries
    .filter(({ playbook }) => triggerNames(playbook, alert))
    .toSorted((a, b) => rank(b) - rank(a) || compare(a.playbook.name, b.playbook.name))
  return candidates.find(({ playbook }) => conditionHolds(playbook, scope, onConditionError))?.playbook
}

function triggerNames({ alertTrigger }: Playbook, alert: { type: string; provider: string }): boolean {
  if (alertTrigger === undefined || alertTrigger.type !== alert.type) return false
  return (
    alertTrigger.provider === undefined ||
    alertTrigger.provider.toLowerCase() === alert.provider.toLowerCase()
  )
}

function rank({ playbook, origin }: LibraryEntry): number {
  const written = origin === 'made' ? 0 : 4
  const condition = playbook.alertTrigger?.where === undefined ? 0 : 2
  const provider = playbook.alertTrigger?.provider === undefined ? 0 : 1
  return written + condition + provider
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function conditionHolds(
  playbook: Playbook,
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): boolean {
  const where = playbook.alertTrigger?.where
  if (where === undefined) return true
  try {
    return where.evaluate(scope) === true
  } catch (error) {
    onConditionError(playbook, error)
    return false
  }
}
