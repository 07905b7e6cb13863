import {
  defaultDestructivePerHour,
  type DestructiveLimits,
  type ExceededLimit,
  type HeldUses,
  type OwnDestructiveLimits,
  type ApprovalRule,
} from '../domain/destructive-use.ts'
import type { DestructiveClass, Severity } from '../plugin/index.ts'
import { interfacesOf, type Catalogue } from '../registry/catalogue.ts'
import { approvalsFor, approvalsText, ruleFor, ruleText, type UseFacts } from './approval-rules.ts'

/** The limits of a server: the configured ones, and the default for all other classes. */
export function serverLimits(set: OwnDestructiveLimits = {}): DestructiveLimits {
  const limit = defaultDestructivePerHour
  return { containment: limit, blocking: limit, deletion: limit, execution: limit, ...set }
}

/** The limit of a class in an organization: its own, else the server's. */
export const limitOf = (
  server: DestructiveLimits,
  own: OwnDestructiveLimits | undefined,
  kind: DestructiveClass,
): number => own?.[kind] ?? server[kind]

/** Whether actions must wait for an approval. `uses` counts those of the last hour, without the new ones. */
function exceededLimit(
  kind: DestructiveClass,
  counts: { readonly uses: number; readonly wanted: number; readonly limit: number },
): ExceededLimit | undefined {
  const { uses, wanted, limit } = counts
  return uses + wanted > limit ? { class: kind, uses, wanted, limit } : undefined
}

/** What decides whether actions wait. */
export interface ApprovalPolicy {
  readonly rules: readonly ApprovalRule[]
  readonly limit: number
  /** A person approved all further uses of the skill in the run; rules apply all the same. */
  readonly isRestApproved: boolean
}

/** Whether actions wait for an approval, because of the rule that applies or of the limit. */
export function heldUses(
  use: UseFacts,
  { uses, wanted }: { readonly uses: number; readonly wanted: number },
  { rules, limit, isRestApproved }: ApprovalPolicy,
): HeldUses | undefined {
  const rule = ruleFor(rules, use) ?? null
  const isExceeded = !isRestApproved && exceededLimit(use.class, { uses, wanted, limit }) !== undefined
  if (!isExceeded && (rule?.approvals ?? 0) === 0) return undefined
  return { class: use.class, uses, wanted, limit, isExceeded, rule }
}

/** `30 blocking actions`, `1 containment action`. */
export const actionsText = (count: number, kind: DestructiveClass): string =>
  `${count} ${kind} ${count === 1 ? 'action' : 'actions'}`

/** For the question: the actions of the last hour, and the limit. */
const exceededLimitText = ({ class: kind, uses, limit }: ExceededLimit): string =>
  `${actionsText(uses, kind)} within the last hour in this organization; the limit without approval is ${limit} per hour`

/** For the question and the timeline: why actions wait. */
export function heldText(held: HeldUses): string {
  const { rule, isExceeded } = held
  const limit = isExceeded ? [exceededLimitText(held)] : []
  const needs = rule !== null && (rule.approvals > 0 || isExceeded)
  return [
    ...limit,
    ...(needs ? [`${ruleText(rule)} requires ${approvalsText(approvalsFor(held))}`] : []),
  ].join('; ')
}

/** For the timeline of the case. */
export const approvalNote = (skill: string, held: HeldUses): string =>
  `${skill} waits for an approval of ${actionsText(held.wanted, held.class)}: ${heldText(held)}.`

/** Where the skills of a dry run would be used. Defaults: the limits of a server, no rules, unknown severity. */
export interface RehearsedUses {
  readonly limits?: DestructiveLimits | undefined
  readonly rules?: readonly ApprovalRule[] | undefined
  readonly playbook?: string | undefined
  readonly severity?: Severity | null | undefined
}

/** What would wait for an approval if all these skills were used within an hour, e.g. in a dry run. */
export const wouldAsk = (
  skills: readonly string[],
  catalogue: Pick<Catalogue, 'skill'>,
  uses: RehearsedUses = {},
): readonly string[] => [...askedByRules(skills, catalogue, uses), ...askedByLimits(skills, catalogue, uses)]

function askedByRules(
  skills: readonly string[],
  catalogue: Pick<Catalogue, 'skill'>,
  { rules = [], playbook = '', severity = null }: RehearsedUses,
): readonly string[] {
  return Array.from(
    Map.groupBy(skills, (skill) => skill),
    ([name, { length }]) => {
      const skill = catalogue.skill(name)?.skill
      if (skill?.effect !== 'write' || skill.destructive === undefined) return ''
      const use = {
        class: skill.destructive,
        skill: name,
        implements: interfacesOf(skill),
        playbook,
        severity,
      }
      const rule = ruleFor(rules, use)
      if (rule === undefined || rule.approvals === 0) return ''
      return `would ask for ${approvalsText(rule.approvals)}: ${actionsText(length, use.class)} of ${name}, ${ruleText(rule)}`
    },
  ).filter((text) => text !== '')
}

function askedByLimits(
  skills: readonly string[],
  catalogue: Pick<Catalogue, 'skill'>,
  { limits = serverLimits() }: RehearsedUses,
): readonly string[] {
  const classes = skills.flatMap((name) => {
    const skill = catalogue.skill(name)?.skill
    return skill?.effect === 'write' && skill.destructive !== undefined ? [skill.destructive] : []
  })
  return Array.from(
    Map.groupBy(classes, (kind) => kind),
    ([kind, { length }]) =>
      length > limits[kind]
        ? `would ask for approval: ${actionsText(length, kind)}, limit ${limits[kind]} per hour`
        : '',
  ).filter((text) => text !== '')
}
