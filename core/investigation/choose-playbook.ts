import { ExpressionError } from '../expression/index.ts'
import { haveSameOwner, isFor } from '../playbook/check/owner.ts'
import type { AlertTrigger, Playbook } from '../playbook/language/playbook.ts'

/** The result of choosing among the playbooks for an alert. */
export interface PlaybookChoice {
  /** Undefined if none fits. */
  readonly playbook: Playbook | undefined
  /** The other playbooks, most specific first: earlier ones that do not fit, and later ones. */
  readonly others: readonly PassedOver[]
}

/** The chosen playbook of an alert; see `NewRun.choice`. */
export interface Chosen {
  readonly playbook: Playbook
  readonly choice?: string | undefined
}

interface PassedOver {
  readonly name: string
  readonly because: 'provider' | 'condition' | 'failed' | 'less_specific'
  /** A short reason without values of the alert. */
  readonly reason: string
}

interface ChoosableAlert {
  readonly type: string
  readonly provider: string
  /** Code of its organization. */
  readonly organization: string
}

/**
 * The playbook that investigates an alert: one of its organization precedes shared ones, then the most specific trigger, then the
 * first by name. A trigger that names types is more specific than one for all types; then one with a condition; then one with
 * providers; then the one with fewer types. Playbooks of other organizations are not considered.
 *
 * A condition that cannot be evaluated for this alert does not fit and is reported to `onConditionError`.
 */
export function choosePlaybook(
  playbooks: readonly Playbook[],
  alert: ChoosableAlert,
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): PlaybookChoice {
  const others: PassedOver[] = []
  let chosen: Playbook | undefined
  for (const playbook of candidatesFor(playbooks, alert)) {
    const passedOver = chosen
      ? !isForProvider(playbook, alert)
        ? otherProvider(playbook)
        : lessSpecific(chosen, playbook)
      : whyNot(playbook, alert, scope, onConditionError)
    if (passedOver === undefined) chosen = playbook
    else others.push({ name: playbook.name, ...passedOver })
  }
  return { playbook: chosen, others }
}

/** The same without evaluating a condition. Undefined if a condition decides; `none` if no playbook fits. */
export function choosePlain(
  playbooks: readonly Playbook[],
  alert: ChoosableAlert,
): Playbook | 'none' | undefined {
  const first = candidatesFor(playbooks, alert).find((playbook) => isForProvider(playbook, alert))
  if (first === undefined) return 'none'
  return first.alertTrigger?.where === undefined ? first : undefined
}

/** The playbooks of its organization for the type of the alert, then the shared ones; each most specific first. */
const candidatesFor = (
  playbooks: readonly Playbook[],
  { type, organization }: ChoosableAlert,
): readonly Playbook[] =>
  playbooks
    .filter((playbook) => isFor(playbook, organization))
    .filter(({ alertTrigger }) => alertTrigger && isForType(alertTrigger, type))
    .toSorted(bySpecificity)

/** Whether a trigger names the type, or is for all types. */
export const isForType = ({ types }: AlertTrigger, type: string | null): boolean =>
  types === undefined || (type !== null && types.includes(type))

/** Whether queuing the playbook for an alert evaluates no expression. */
export const isPlain = ({ alertTrigger, concurrency, rate, inputs }: Playbook): boolean =>
  typeof alertTrigger?.group !== 'object' &&
  alertTrigger?.correlate === undefined &&
  concurrency === undefined &&
  rate?.key === undefined &&
  inputs.size === 0

type Why = Omit<PassedOver, 'name'>

function whyNot(
  playbook: Playbook,
  alert: ChoosableAlert,
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): Why | undefined {
  if (!isForProvider(playbook, alert)) return otherProvider(playbook)
  const where = playbook.alertTrigger?.where
  if (where === undefined) return undefined
  try {
    return where.evaluate(scope) === true
      ? undefined
      : { because: 'condition', reason: '`where` is false for this alert' }
  } catch (error) {
    onConditionError(playbook, error)
    return { because: 'failed', reason: `\`where\` failed: ${inWords(error)}` }
  }
}

/** Messages of other errors may contain values of the alert. */
const speakOfPaths: readonly string[] = ['expression_missing_field', 'expression_wrong_type']

const inWords = (error: unknown): string => {
  if (!(error instanceof ExpressionError)) return 'see the log'
  return speakOfPaths.includes(error.code) ? error.message : error.code
}

const otherProvider = ({ alertTrigger }: Playbook): Why => ({
  because: 'provider',
  reason: `only for ${alertTrigger?.providers?.length === 1 ? 'the provider' : 'the providers'} ${alertTrigger?.providers?.join(', ') ?? ''}`,
})

const lessSpecific = (chosen: Playbook, playbook: Playbook): Why => ({
  because: 'less_specific',
  reason: haveSameOwner(chosen, playbook)
    ? `${chosen.name} is more specific, or comes first by name`
    : `${chosen.name} belongs to the organization, so it comes first`,
})

/** Codes of providers ignore letter case. */
export function isForProvider(
  { alertTrigger }: Pick<Playbook, 'alertTrigger'>,
  { provider }: { readonly provider: string },
): boolean {
  const wanted = alertTrigger?.providers
  return wanted === undefined || wanted.some((code) => code.toLowerCase() === provider.toLowerCase())
}

function bySpecificity(a: Playbook, b: Playbook): number {
  return (
    ownership(b) - ownership(a) || rank(b) - rank(a) || typesOf(a) - typesOf(b) || compare(a.name, b.name)
  )
}

const ownership = ({ organization }: Playbook): number => Number(organization !== undefined)

function rank({ alertTrigger }: Playbook): number {
  const type = alertTrigger?.types === undefined ? 0 : 4
  const condition = alertTrigger?.where === undefined ? 0 : 2
  const provider = alertTrigger?.providers === undefined ? 0 : 1
  return type + condition + provider
}

const typesOf = ({ alertTrigger }: Playbook): number => alertTrigger?.types?.length ?? 0

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Maximum number of playbooks named in the sentence. */
const maxNamed = 10

/**
 * The explanation for the timeline of the case; undefined if every evaluated `where` was true, so there is
 * nothing to explain.
 */
export function describeChoice({ playbook, others }: PlaybookChoice): string | undefined {
  if (others.every(({ because }) => because !== 'condition' && because !== 'failed')) return undefined
  const named = others.slice(0, maxNamed).map(({ name, reason }) => `${name} (${reason})`)
  const rest = others.length - named.length
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join('; ')
  const outcome = playbook === undefined ? 'No playbook fits this alert' : `Chosen: ${playbook.name}`
  return `${outcome}. Not chosen: ${list}.`.slice(0, 4000)
}
