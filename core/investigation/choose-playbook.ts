import { ExpressionError } from '../expression/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'

/** The result of choosing among the playbooks for an alert type. */
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

/**
 * The playbook that investigates an alert: the most specific trigger (type, provider and condition; then type
 * and condition; then type and provider; then the type alone), then the first by name.
 *
 * A condition that cannot be evaluated for this alert does not fit and is reported to `onConditionError`.
 */
export function choosePlaybook(
  playbooks: readonly Playbook[],
  alert: { readonly type: string; readonly provider: string },
  scope: Readonly<Record<string, unknown>>,
  onConditionError: (playbook: Playbook, error: unknown) => void,
): PlaybookChoice {
  const others: PassedOver[] = []
  let chosen: Playbook | undefined
  const candidates = playbooks
    .filter(({ alertTrigger }) => alertTrigger?.type === alert.type)
    .toSorted((a, b) => rank(b) - rank(a) || compare(a.name, b.name))
  for (const playbook of candidates) {
    const passedOver = chosen
      ? !isForProvider(playbook, alert)
        ? otherProvider(playbook)
        : lessSpecific(chosen)
      : whyNot(playbook, alert, scope, onConditionError)
    if (passedOver === undefined) chosen = playbook
    else others.push({ name: playbook.name, ...passedOver })
  }
  return { playbook: chosen, others }
}

/** The same, if it evaluates no condition for the alert. Undefined: it would; `none`: no playbook fits. */
export function choosePlain(
  playbooks: readonly Playbook[],
  alert: { readonly type: string; readonly provider: string },
): Playbook | 'none' | undefined {
  const ofType = playbooks.filter(({ alertTrigger }) => alertTrigger?.type === alert.type)
  if (ofType.some(({ alertTrigger }) => alertTrigger?.where !== undefined)) return undefined
  const { playbook } = choosePlaybook(ofType, alert, {}, () => {})
  return playbook ?? 'none'
}

/** Whether queuing the playbook for an alert evaluates no expression. */
export const isPlain = ({ alertTrigger, concurrency, inputs }: Playbook): boolean =>
  typeof alertTrigger?.group !== 'object' &&
  alertTrigger?.correlate === undefined &&
  concurrency === undefined &&
  inputs.size === 0

type Why = Omit<PassedOver, 'name'>

function whyNot(
  playbook: Playbook,
  alert: { readonly provider: string },
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
  reason: `only for the provider ${alertTrigger?.provider ?? ''}`,
})

const lessSpecific = ({ name }: Playbook): Why => ({
  because: 'less_specific',
  reason: `${name} is more specific, or comes first by name`,
})

function isForProvider({ alertTrigger }: Playbook, { provider }: { readonly provider: string }): boolean {
  const wanted = alertTrigger?.provider
  return wanted === undefined || wanted.toLowerCase() === provider.toLowerCase()
}

function rank({ alertTrigger }: Playbook): number {
  const condition = alertTrigger?.where === undefined ? 0 : 2
  const provider = alertTrigger?.provider === undefined ? 0 : 1
  return condition + provider
}

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
