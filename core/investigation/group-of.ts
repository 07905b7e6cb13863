import { createHash } from 'node:crypto'
import { defaultGroupWindowMs, type GroupOfAlert, type NewGroup } from '../domain/alert-group.ts'
import type { Alert, AlertFacts } from '../domain/alert.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { isMasked, type Mask } from '../domain/mask.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import { escapeText } from '../errors/source-frame.ts'
import type { Organization } from '../domain/organization.ts'
import { toJsonValue, type Program } from '../expression/index.ts'
import { stringifyJson } from '../common/json.ts'
import { writeDuration } from '../playbook/language/durations.ts'
import type { Playbook } from '../playbook/language/playbook.ts'

/** Maximum length of a value in the reason. */
const maxShown = 100

export interface GroupingOptions {
  /** The default window. 0: alerts are grouped only if their playbook has `group`. */
  readonly windowMs: number
  /** Called for an expression that cannot be evaluated for the alert. */
  readonly onError: (error: unknown) => void
}

/**
 * The group of the alert; undefined if it is never a repeat. If a value that the playbook names is missing or
 * empty, only an alert with the same id at its source, or else with identical content, counts as a repeat.
 */
export function groupOf(
  playbook: Pick<Playbook, 'alertTrigger' | 'alertSchema' | 'inputs'>,
  alert: Alert,
  organization: Organization,
  caseTitle: NewGroup['caseTitle'],
  { windowMs, onError }: GroupingOptions,
): NewGroup | undefined {
  const group = playbook.alertTrigger?.group
  const values =
    typeof group === 'object' ? sameValues(playbook, group.by, alert, organization, onError) : undefined
  if (typeof group !== 'object' || values === undefined) {
    const plain = plainGroupOf(playbook, alert, windowMs)
    return plain && { ...plain, caseTitle }
  }
  const ownWindowMs = group.withinMs ?? (windowMs === 0 ? defaultGroupWindowMs : windowMs)
  return { ...composeGroup(alert, values, true, ownWindowMs), caseTitle }
}

/** What makes an alert a repeat for every playbook. */
export type PlainAlert = Pick<Alert, 'provider' | 'type' | 'content'> & Partial<AlertFacts>

/** The group of an alert whose playbook names no values, or whose values are missing. */
export function plainGroupOf(
  { alertTrigger }: Pick<Playbook, 'alertTrigger'>,
  alert: PlainAlert,
  windowMs: number,
): GroupOfAlert | undefined {
  if (alertTrigger?.group === 'never' || windowMs === 0) return undefined
  return composeGroup(alert, sameAlert(alert), false, windowMs)
}

function composeGroup(
  { provider, type }: PlainAlert,
  { text, words }: Common,
  hasValues: boolean,
  windowMs: number,
): GroupOfAlert {
  const head = JSON.stringify([provider.toLowerCase(), type, !hasValues])
  return {
    fingerprint: createHash('sha256').update(head).update(text).digest(),
    reason: `${words}, and it came within ${writeDuration(windowMs)}`,
    windowMs,
  }
}

interface Common {
  /** Equal for repeats and different for all other alerts. */
  readonly text: string
  readonly words: string
}

/**
 * An alert that its source sends again has the same id and other counters; one whose severity rose is not a
 * repeat.
 */
const sameAlert = ({ content, sourceId = null, severity = null }: PlainAlert): Common =>
  sourceId === null
    ? { text: content, words: 'provider, type and content are the same' }
    : {
        text: stringifyJson([sourceId, severity]),
        words: `provider, type, severity and the id at the source${shownValue(sourceId)} are the same`,
      }

function sameValues(
  playbook: Pick<Playbook, 'alertSchema' | 'inputs'>,
  by: readonly Program[],
  alert: Alert,
  organization: Organization,
  onError: (error: unknown) => void,
): Common | undefined {
  const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
  try {
    const values = by.map((program) => toJsonValue(program.evaluate(scope)))
    if (values.some(isMissing)) return undefined
    const mask = playbook.alertSchema && maskOfSchema(playbook.alertSchema)
    const said = by.map((program, at) => {
      const name = plainly(program.source).slice(0, maxShown)
      return readsSensitive(program, mask) ? name : `${name}${shownValue(values[at])}`
    })
    return {
      text: stringifyJson(by.map(({ source }, at) => [source, values[at]])),
      words: `provider, type, ${said.slice(0, -1).join(', ')}${said.length > 1 ? ' and ' : ''}${said.at(-1)} are the same`,
    }
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** The path that an expression reads, without its default: `alert.data.user.email`. */
const plainly = (source: string): string =>
  source
    .trim()
    .replace(/\.orValue\([^()]*\)$/, '')
    .replaceAll('.?', '.')

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/**
 * Whether it reads a field of the alert that the playbook marks as sensitive; `content` includes all fields.
 */
export function readsSensitive({ references }: Program, mask: Mask | undefined): boolean {
  if (mask === undefined) return false
  return references.some(({ root, path: [field, ...inside] }) => {
    if (root !== 'alert') return false
    return field === 'data' ? isMasked(mask, inside) : field === undefined || field === 'content'
  })
}

/** ` (ana@example.com)`, in one line and shortened. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return ` (${escapeText(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)})`
}
