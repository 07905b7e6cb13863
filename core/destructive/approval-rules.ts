import {
  anyApprover,
  type ApprovalRule,
  type ApprovalTerms,
  type Approver,
  type Approvers,
  type RuleMatch,
  type HeldUses,
} from '../domain/destructive-use.ts'
import { severities, type DestructiveClass, type Severity } from '../plugin/index.ts'

/** What rules know of the use of a destructive skill. */
export interface UseFacts {
  readonly class: DestructiveClass
  /** `plugin.skill`. */
  readonly skill: string
  /** Names of the interfaces that the skill implements. */
  readonly implements: readonly string[]
  /** Name of the playbook of the run. */
  readonly playbook: string
  /** The higher one of alert and case; null: unknown. */
  readonly severity: Severity | null
}

/** The rules of a server, which follow those of each organization. */
export const serverRules = (
  approvals: Readonly<Partial<Record<DestructiveClass, number>>>,
): readonly ApprovalRule[] =>
  Object.entries(approvals).map(([kind, count]) => ({
    name: 'TOCSIN_APPROVALS',
    match: {
      classes: [kind as DestructiveClass],
      skills: [],
      playbooks: [],
      severityAtLeast: null,
      severityAtMost: null,
    },
    approvals: count,
    by: anyApprover,
    expiresMinutes: null,
    escalate: null,
  }))

/** A rule with its place in the list, from 1. */
export interface PlacedRule extends ApprovalRule {
  readonly place: number
}

/** The first rule that matches; undefined: only the hourly limit applies. */
export function ruleFor(rules: readonly ApprovalRule[], use: UseFacts): PlacedRule | undefined {
  const index = rules.findIndex(({ match }) => matches(match, use))
  const rule = rules[index]
  return rule && { ...rule, place: index + 1 }
}

function matches(match: RuleMatch, use: UseFacts): boolean {
  const { classes, skills, playbooks, severityAtLeast: least, severityAtMost: most } = match
  const rank = use.severity === null ? undefined : severities.indexOf(use.severity)
  return (
    isIn(classes, use.class) &&
    (skills.length === 0 || skills.some((name) => meansSkill(name, use))) &&
    isIn(playbooks, use.playbook) &&
    (least === null || (rank !== undefined && rank >= severities.indexOf(least))) &&
    (most === null || (rank !== undefined && rank <= severities.indexOf(most)))
  )
}

const isIn = <T>(list: readonly T[], value: T): boolean => list.length === 0 || list.includes(value)

/** Whether a name in a rule means the skill: `plugin.skill`, `plugin.*`, or `interface.name`. */
export function meansSkill(name: string, use: Pick<UseFacts, 'skill' | 'implements'>): boolean {
  if (name === use.skill) return true
  if (name.endsWith('.*')) return use.skill.startsWith(name.slice(0, -1))
  return use.implements.some((each) => name === `interface.${each}`)
}

/** The higher one of two severities. */
export function higherSeverity(one: Severity | null, other: Severity | null): Severity | null {
  if (one === null || other === null) return one ?? other
  return severities.indexOf(one) >= severities.indexOf(other) ? one : other
}

/** Number of people who must approve held uses. */
export const approvalsFor = ({ rule }: Pick<HeldUses, 'rule'>): number => Math.max(1, rule?.approvals ?? 1)

const minuteMs = 60_000

/** The terms of a question that is asked now. */
export function termsOf(
  { rule }: Pick<HeldUses, 'rule'>,
  bound: Pick<ApprovalTerms, 'inputHash' | 'connection'>,
  now: number,
): Omit<ApprovalTerms, 'expiresMs'> {
  const escalate = rule?.escalate ?? null
  return {
    rule: rule && { place: rule.place, name: rule.name },
    needed: approvalsFor({ rule }),
    by: rule?.by ?? anyApprover,
    escalation: escalate && { atMs: now + escalate.afterMinutes * minuteMs, by: escalate.by },
    ...bound,
  }
}

/** Time until an unanswered question expires; undefined: the default. */
export const expiresAfterMs = ({ rule }: Pick<HeldUses, 'rule'>): number | undefined =>
  rule?.expiresMinutes == null ? undefined : rule.expiresMinutes * minuteMs

const isAnyone = ({ roles, keys, accounts }: Approvers): boolean =>
  roles.length + keys.length + accounts.length === 0

/** Whether an approver is among these. */
export const isAmong = (by: Approvers, { id, roles }: Pick<Approver, 'id' | 'roles'>): boolean =>
  isAnyone(by) ||
  by.keys.includes(id) ||
  by.accounts.includes(id) ||
  by.roles.some((role) => roles.includes(role))

/** Whether the approver may approve at this time; the escalation adds people. */
export const mayApprove = (
  { by, escalation }: Pick<ApprovalTerms, 'by' | 'escalation'>,
  approver: Pick<Approver, 'id' | 'roles'>,
  now: number,
): boolean =>
  isAmong(by, approver) || (escalation !== null && now >= escalation.atMs && isAmong(escalation.by, approver))

/** Whether two approvers are the same person. */
export const isSamePerson = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((id) => other.includes(id))

/** How many different people these are. */
export function countPeople(approvers: readonly Approver[]): number {
  const people: (readonly string[])[] = []
  for (const { sameAs } of approvers)
    if (!people.some((known) => isSamePerson(known, sameAs))) people.push(sameAs)
  return people.length
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** `anyone with the role admin, or the key 5f3a or 81cc`, `anyone with the permission to approve`. */
export function approversText(by: Approvers): string {
  if (isAnyone(by)) return 'anyone with the permission to approve'
  const parts = [
    ...(by.roles.length === 0 ? [] : [`anyone with the role ${listed(by.roles)}`]),
    ...(by.keys.length === 0 ? [] : [`the key ${listed(by.keys)}`]),
    ...(by.accounts.length === 0 ? [] : [`the account ${listed(by.accounts)}`]),
  ]
  return parts.join(', or ')
}

/** `rule 2 (Two people isolate)`. */
export const ruleText = ({ place, name }: { readonly place: number; readonly name: string | null }): string =>
  `approval rule ${place}${name === null ? '' : ` (${name})`}`

/** `1 approval`, `2 approvals by different people`. */
export const approvalsText = (count: number): string =>
  count === 1 ? '1 approval' : `${count} approvals by different people`
