import type { Playbook } from '../playbook/index.ts'

/**
 * The playbook that investigates an alert: the most specific trigger (type, provider and condition; then type and condition;
 * then type and provider; then the type alone), then the first by name. Undefined where none fits.
 *
 * A condition that cannot be evaluated on this alert does not fit; `onConditionError` is told.
 */
export function choosePlaybook(
  playbooks: readonly Playbook[],
  alert: { readonly type: string; readonly provider: string },
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): Playbook | undefined {
  return playbooks
    .filter((playbook) => triggerNames(playbook, alert))
    .toSorted((a, b) => rank(b) - rank(a) || compare(a.name, b.name))
    .find((playbook) => conditionHolds(playbook, scope, onConditionError))
}

function triggerNames({ alertTrigger }: Playbook, alert: { type: string; provider: string }): boolean {
  if (alertTrigger === undefined || alertTrigger.type !== alert.type) return false
  return (
    alertTrigger.provider === undefined ||
    alertTrigger.provider.toLowerCase() === alert.provider.toLowerCase()
  )
}

function rank({ alertTrigger }: Playbook): number {
  const condition = alertTrigger?.where === undefined ? 0 : 2
  const provider = alertTrigger?.provider === undefined ? 0 : 1
  return condition + provider
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
