import { createHash } from 'node:crypto'
import type { Alert } from '../domain/alert.ts'
import type { CorrelationKey, NewCorrelation } from './correlation.ts'
import type { Organization } from '../domain/organization.ts'
import { alertScope, organizationScope, type AlertScope } from '../engine/scope/alert-scope.ts'
import { ExpressionError, toJsonOrNothing } from '../expression/index.ts'
import { readsSensitive, shownValue } from '../investigation/group-of.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import { writeDuration } from '../playbook/language/durations.ts'
import type { Correlation, Playbook } from '../playbook/language/playbook.ts'
import { comparedValue } from './compared-value.ts'

export type CorrelatedPlaybook = Pick<Playbook, 'name' | 'alertTrigger' | 'alertSchema'>

/** The result of a playbook's correlation rules for an alert. */
export interface CorrelationKeys extends Pick<NewCorrelation, 'skipped'> {
  readonly keys: readonly FoundKey[]
}

interface FoundKey extends CorrelationKey {
  /** The compared values, by name. */
  readonly values: Readonly<Record<string, string>>
}

/**
 * The keys of an alert by the rules of its playbook, in their order. A rule yields no key if one of its
 * values is missing, empty or too common to relate alerts.
 *
 * @param onError called for an expression that cannot be evaluated for the alert
 */
export function correlationOf(
  playbook: CorrelatedPlaybook,
  alert: Alert,
  organization: Organization,
  onError: (error: unknown) => void = () => {},
): CorrelationKeys {
  const keys: FoundKey[] = []
  const skipped: string[] = []
  for (const rule of playbook.alertTrigger?.correlate ?? []) {
    const found = keyOf(rule, playbook, alert, organization, onError)
    if (found === undefined) continue
    if (typeof found === 'string') skipped.push(found)
    else keys.push(found)
  }
  return { keys, skipped }
}

/** The key; a sentence if a value is too common; undefined if one is missing. */
function keyOf(
  { by, withinMs, max }: Correlation,
  { name: playbookName, alertSchema }: CorrelatedPlaybook,
  alert: Alert,
  organization: Organization,
  onError: (error: unknown) => void,
): FoundKey | string | undefined {
  const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
  const mask = alertSchema && maskOfSchema(alertSchema)
  const texts: string[] = []
  const said: string[] = []
  let common: string | undefined
  for (const [name, program] of by) {
    const value = valueOf(() => toJsonOrNothing(program.evaluate(scope)), scope.alert, onError)
    const compared = comparedValue(value)
    if (compared === 'missing') return undefined
    const shown = readsSensitive(program, mask) ? name : `${name}${shownValue(value)}`
    if (compared === 'common') common ??= shown
    else texts.push(compared.text)
    said.push(shown)
  }
  if (common !== undefined)
    return `Not correlated by ${by.map(([name]) => name).join(' and ')}: ${common} is too common to relate alerts.`
  const names = by.map(([name]) => name)
  const same = `${said.slice(0, -1).join(', ')}${said.length > 1 ? ' and ' : ''}${said.at(-1)}`
  const because = `${same} ${said.length > 1 ? 'are' : 'is'} the same as in an alert at most ${writeDuration(withinMs)} earlier`
  return {
    key: createHash('sha256').update(JSON.stringify(names)).update(JSON.stringify(texts)).digest(),
    reason: `${because} (rule of ${playbookName})`,
    windowMs: withinMs,
    max,
    values: Object.fromEntries(names.map((name, at) => [name, texts[at]!])),
  }
}

/** Fields that many alerts lack are no error, and neither is a content without fields: the rule does not apply to them. */
function valueOf(evaluate: () => unknown, { data }: AlertScope, onError: (error: unknown) => void): unknown {
  try {
    return evaluate()
  } catch (error) {
    const isAbsent = error instanceof ExpressionError && error.code === 'expression_missing_field'
    if (!isAbsent && typeof data === 'object' && data !== null && !Array.isArray(data)) onError(error)
    return undefined
  }
}
