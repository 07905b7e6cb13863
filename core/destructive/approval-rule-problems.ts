import { isActive, type Account } from '../access/account.ts'
import { holdersOf, keysById } from '../access/key-holders.ts'
import { isUsable, type ApiKey } from '../domain/api-key.ts'
import { permissionsOf, rolesWith, type CustomRole } from '../access/permissions.ts'
import type { Approver, ApprovalRule, Approvers } from '../domain/destructive-use.ts'
import type { PointedMessage } from '../errors/errors.ts'
import { severities, type DestructiveClass } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { countPeople, isAmong, meansSkill } from './approval-rules.ts'

/** What rules can refer to in an organization. */
export interface RuleWorld {
  readonly catalogue: Pick<Catalogue, 'skill' | 'skills'>
  /** Everyone who may approve in the organization now. */
  readonly approvers: readonly Approver[]
  /** Names of the roles that may approve in the organization. */
  readonly roles: readonly string[]
  /** Names of known playbooks. Default: any. */
  readonly playbooks?: ReadonlySet<string> | undefined
}

/** Names of the roles that may approve in an organization. */
export const approvingRoles = (
  custom: readonly CustomRole[],
  organizationUuid: string,
): readonly string[] => [
  ...rolesWith('approvals:write'),
  ...custom
    .filter(({ organizationUuid: own }) => own === null || own === organizationUuid)
    .flatMap(({ name, permissions }) => (permissions.includes('approvals:write') ? [name] : [])),
]

/** The keys and the people that may approve in an organization now. */
export function approversIn(
  keys: readonly ApiKey[],
  accounts: readonly Account[],
  custom: readonly CustomRole[],
  organizationUuid: string,
  now: number,
): readonly Approver[] {
  const byId = keysById(keys)
  const able = keys
    .filter((key) => isUsable(key, now) && permissionsOf(key.role, custom).includes('approvals:write'))
    .filter(({ organizationUuids: own }) => own === null || own.includes(organizationUuid))
    .map(({ id, role }) => ({
      id,
      roles: [role],
      sameAs: holdersOf(byId, { kind: 'api_key', id }).map((holder) => holder.id),
    }))
  const people = accounts
    .filter((account) => isActive(account))
    .map((account) => ({
      id: account.uuid,
      roles: approvingRolesOf(account, custom, organizationUuid),
      sameAs: [account.uuid],
    }))
  return [...able, ...people.filter(({ roles }) => roles.length > 0)]
}

/** The roles with which a person may approve in an organization. */
const approvingRolesOf = (
  { roles }: Pick<Account, 'roles'>,
  custom: readonly CustomRole[],
  organizationUuid: string,
): readonly string[] =>
  roles.flatMap(({ role, organizationUuid: own }) =>
    (own === null || own === organizationUuid) && permissionsOf(role, custom, own).includes('approvals:write')
      ? [role]
      : [],
  )

/** What makes rules unusable, with pointers into the list of rules. Empty: they can be stored. */
export const ruleProblems = (rules: readonly ApprovalRule[], world: RuleWorld): readonly PointedMessage[] =>
  rules.flatMap((rule, index) =>
    problemsOf(rule, world).map(({ pointer, message }) => ({ pointer: `/${index}${pointer}`, message })),
  )

function problemsOf(rule: ApprovalRule, world: RuleWorld): readonly PointedMessage[] {
  const { match, by, escalate, expiresMinutes } = rule
  const { severityAtLeast: least, severityAtMost: most } = match
  const people = missingPeople(rule, world)
  return [
    ...match.skills.flatMap((name, at) => skillProblem(name, match.classes, `/match/skills/${at}`, world)),
    ...(least !== null && most !== null && severities.indexOf(least) > severities.indexOf(most)
      ? [{ pointer: '/match/severity_at_most', message: `is below severity_at_least, which is ${least}` }]
      : []),
    ...approverProblems(by, '/by', world),
    ...(escalate === null ? [] : approverProblems(escalate.by, '/escalate/by', world)),
    ...(escalate !== null && escalate.afterMinutes >= (expiresMinutes ?? Infinity)
      ? [{ pointer: '/escalate/after_minutes', message: 'must be less than expires_minutes' }]
      : []),
    ...(people === undefined ? [] : [{ pointer: '/approvals', message: people }]),
  ]
}

/** A misspelled name would match nothing, and the action would need no approval. */
function skillProblem(
  name: string,
  classes: readonly DestructiveClass[],
  pointer: string,
  { catalogue }: RuleWorld,
): readonly PointedMessage[] {
  const known = name.endsWith('.*')
    ? catalogue.skills.filter((each) => meansSkill(name, { skill: each.name, implements: [] }))
    : [catalogue.skill(name)].filter((each) => each !== undefined)
  if (known.length === 0)
    return [{ pointer, message: `'${name}' is not an installed skill or plugin, nor an interface` }]
  const found = known.flatMap(({ skill }) =>
    skill.effect === 'write' && skill.destructive !== undefined ? [skill.destructive] : [],
  )
  if (found.length === 0)
    return [{ pointer, message: `'${name}' is not destructive, so it never needs an approval` }]
  if (classes.length === 0 || found.some((each) => classes.includes(each))) return []
  return [{ pointer, message: `'${name}' is not of the class ${classes.join(' or ')}` }]
}

const approverProblems = (
  by: Approvers,
  pointer: string,
  { approvers, roles }: RuleWorld,
): readonly PointedMessage[] => [
  ...by.roles.flatMap((role, at) =>
    roles.includes(role)
      ? []
      : [
          {
            pointer: `${pointer}/roles/${at}`,
            message: `'${role}' is not a role that may approve in this organization; these may: ${roles.join(', ')}`,
          },
        ],
  ),
  ...(['keys', 'accounts'] as const).flatMap((kind) =>
    by[kind].flatMap((id, at) =>
      approvers.some((each) => each.id === id)
        ? []
        : [
            {
              pointer: `${pointer}/${kind}/${at}`,
              message: `there is no ${kind === 'keys' ? 'valid key' : 'active account'} '${id}' that may approve in this organization`,
            },
          ],
    ),
  ),
]

/** Undefined if enough people can give the approvals. */
function missingPeople(rule: ApprovalRule, { approvers }: RuleWorld): string | undefined {
  const { by, escalate, approvals } = rule
  const able = approvers.filter(
    (each) => isAmong(by, each) || (escalate !== null && isAmong(escalate.by, each)),
  )
  const people = countPeople(able)
  if (people >= approvals) return undefined
  const needs = approvals === 1 ? '1 person' : `${approvals} different people`
  return `nobody could satisfy the rule: it needs ${needs}, and ${people === 0 ? 'nobody' : people} can approve; keys with a common creator count as one person`
}

/** What deserves attention in stored rules, by place from 1. */
export function ruleWarnings(
  rules: readonly ApprovalRule[],
  world: RuleWorld,
): readonly { readonly place: number; readonly message: string }[] {
  const catchAll = rules.findIndex(({ match }) => isEverything(match))
  return rules.flatMap((rule, index) => {
    const people = missingPeople(rule, world)
    const gone = [...namedIn(rule.by), ...(rule.escalate === null ? [] : namedIn(rule.escalate.by))].filter(
      ({ kind, id }) =>
        kind === 'role' ? !world.roles.includes(id) : !world.approvers.some((each) => each.id === id),
    )
    const unknown = rule.match.playbooks.filter((name) => world.playbooks?.has(name) === false)
    return [
      ...(catchAll !== -1 && index > catchAll
        ? [`rule ${catchAll + 1} matches everything, so this rule never applies`]
        : []),
      ...(people === undefined ? [] : [people]),
      ...gone.map(({ kind, id }) => `the ${kind} ${id} can no longer approve`),
      ...unknown.map((name) => `there is no playbook named '${name}'`),
    ].map((message) => ({ place: index + 1, message }))
  })
}

const namedIn = ({ roles, keys, accounts }: Approvers) => [
  ...roles.map((id) => ({ kind: 'role', id })),
  ...keys.map((id) => ({ kind: 'key', id })),
  ...accounts.map((id) => ({ kind: 'account', id })),
]

const isEverything = ({ classes, skills, playbooks, ...severity }: ApprovalRule['match']): boolean =>
  classes.length + skills.length + playbooks.length === 0 &&
  severity.severityAtLeast === null &&
  severity.severityAtMost === null
