import {
  approversIn,
  approvingRoles,
  ruleProblems,
  ruleWarnings,
  type RuleWorld,
} from '../../../../../core/destructive/approval-rule-problems.ts'
import {
  maxApprovals,
  type ApprovalRule,
  type Approvers,
} from '../../../../../core/domain/destructive-use.ts'
import type { Organization } from '../../../../../core/domain/organization.ts'
import { ValidationError } from '../../../../../core/errors/errors.ts'
import { destructiveClasses, severities } from '../../../../../core/plugin/index.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../../request/if-match.ts'
import { patterns } from '../../../request/patterns.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, text } from '../../system/page.ts'
import { requireVisibleOrganization } from './lookups.ts'

const most = { rules: 50, names: 50, approvals: maxApprovals, minutes: 43_200 } as const

const names = <Line extends object>(line: Line, description: string, maxLength = 200) =>
  ({
    type: 'array',
    maxItems: most.names,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength, ...line },
    description,
  }) as const

const approvers = <Line extends object>(line: Line, description: string) =>
  ({
    type: 'object',
    additionalProperties: false,
    description,
    properties: {
      roles: names(
        line,
        'Built-in or custom roles with the permission `approvals:write`: API keys and people with one of them.',
        64,
      ),
      keys: names(line, 'Public ids of API keys.', 64),
      accounts: names(line, 'Uuids of accounts.', 64),
    },
  }) as const

const minutes = (description: string) =>
  ({ type: ['integer', 'null'], minimum: 1, maximum: most.minutes, description }) as const

const bound = (description: string) => ({ enum: [...severities, null], description }) as const

/** @param line the pattern of texts in requests; answers have none */
const ruleSchema = <Line extends object>(line: Line) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['approvals'],
    properties: {
      name: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 200,
        ...line,
        description: 'A title for people.',
      },
      match: {
        type: 'object',
        additionalProperties: false,
        description:
          'All conditions must hold; without conditions, the rule matches every destructive action.',
        properties: {
          classes: {
            type: 'array',
            uniqueItems: true,
            items: { type: 'string', enum: destructiveClasses },
            description: 'Classes of the skill.',
          },
          skills: names(
            line,
            '`plugin.skill`, `plugin.*`, or `interface.name` for all skills that implement it.',
          ),
          playbooks: names(line, 'Names of the playbooks that act.'),
          severity_at_least: bound(
            'Of the alert or the case, whichever is higher. An unknown severity does not match.',
          ),
          severity_at_most: bound(
            'Of the alert or the case, whichever is higher. An unknown severity does not match.',
          ),
        },
      },
      approvals: {
        type: 'integer',
        minimum: 0,
        maximum: most.approvals,
        description: 'Number of people who must approve; 0: none, unless the hourly limit is exceeded.',
      },
      by: approvers(line, 'Who may approve. Default: anyone with the permission `approvals:write`.'),
      expires_minutes: minutes('The action fails if it is not approved within this time. Default: a week.'),
      escalate: {
        anyOf: [
          { type: 'null' },
          {
            type: 'object',
            additionalProperties: false,
            required: ['after_minutes', 'by'],
            properties: {
              after_minutes: { type: 'integer', minimum: 1, maximum: most.minutes },
              by: approvers(line, 'Who may also approve after this time.'),
            },
          },
        ],
        description: 'People who may also approve after a time. Default: none.',
      },
    },
  }) as const

interface GivenApprovers {
  readonly roles?: Approvers['roles'] | undefined
  readonly keys?: readonly string[] | undefined
  readonly accounts?: readonly string[] | undefined
}

interface GivenRule {
  readonly name?: string | null | undefined
  readonly match?:
    | {
        readonly classes?: ApprovalRule['match']['classes'] | undefined
        readonly skills?: readonly string[] | undefined
        readonly playbooks?: readonly string[] | undefined
        readonly severity_at_least?: ApprovalRule['match']['severityAtLeast'] | undefined
        readonly severity_at_most?: ApprovalRule['match']['severityAtMost'] | undefined
      }
    | undefined
  readonly approvals: number
  readonly by?: GivenApprovers | undefined
  readonly expires_minutes?: number | null | undefined
  readonly escalate?: { readonly after_minutes: number; readonly by: GivenApprovers } | null | undefined
}

const readApprovers = ({ roles = [], keys = [], accounts = [] }: GivenApprovers = {}): Approvers => ({
  roles,
  keys,
  accounts,
})

function readRule({ name, match = {}, approvals, by, expires_minutes, escalate }: GivenRule): ApprovalRule {
  const { classes = [], skills = [], playbooks = [] } = match
  return {
    name: name ?? null,
    match: {
      classes,
      skills,
      playbooks,
      severityAtLeast: match.severity_at_least ?? null,
      severityAtMost: match.severity_at_most ?? null,
    },
    approvals,
    by: readApprovers(by),
    expiresMinutes: expires_minutes ?? null,
    escalate:
      escalate == null ? null : { afterMinutes: escalate.after_minutes, by: readApprovers(escalate.by) },
  }
}

const ruleView = ({ name, match, approvals, by, expiresMinutes, escalate }: ApprovalRule) => ({
  name,
  match: {
    classes: match.classes,
    skills: match.skills,
    playbooks: match.playbooks,
    severity_at_least: match.severityAtLeast,
    severity_at_most: match.severityAtMost,
  },
  approvals,
  by,
  expires_minutes: expiresMinutes,
  escalate: escalate && { after_minutes: escalate.afterMinutes, by: escalate.by },
})

/** Answer of the routes. */
export const apiApprovalRulesSchema = objectSchema({
  organization_code: text,
  revision: {
    type: 'integer',
    minimum: 1,
    description: 'Revision of the organization; part of the `ETag` for `If-Match`.',
  },
  rules: {
    type: 'array',
    items: ruleSchema({}),
    description: 'In order: the first rule that matches applies.',
  },
  server_rules: {
    type: 'array',
    items: ruleSchema({}),
    description: 'Rules of the server (TOCSIN_APPROVALS), which follow those of the organization.',
  },
  warnings: {
    type: 'array',
    description: 'Rules that nobody can satisfy any more, or that never apply.',
    items: objectSchema({
      rule: { type: 'integer', minimum: 1, description: 'Place of the rule, from 1.' },
      message: text,
    }),
  },
})

type Seen = Pick<Services, 'stores' | 'catalogue' | 'clock' | 'engine'>

async function worldOf({ uuid }: Organization, { stores, catalogue, clock }: Seen): Promise<RuleWorld> {
  const [keys, accounts, custom] = await Promise.all([
    stores.keys.list(),
    stores.accounts.list(),
    stores.roles.list(),
  ])
  return {
    catalogue,
    approvers: approversIn(keys, accounts, custom, uuid, clock.now()),
    roles: approvingRoles(custom, uuid),
  }
}

/** The playbooks that rules name and that exist. */
async function knownPlaybooks(
  rules: readonly ApprovalRule[],
  uuid: string,
  { stores }: Seen,
): Promise<ReadonlySet<string>> {
  const named = [...new Set(rules.flatMap(({ match }) => match.playbooks))]
  const found = await Promise.all(named.map((name) => stores.playbooks.find([uuid], name)))
  return new Set(named.filter((_, index) => found[index] !== undefined))
}

async function view(organization: Organization, services: Seen) {
  const { code, revision, approvalRules: rules = [] } = organization
  const playbooks = await knownPlaybooks(rules, organization.uuid, services)
  const warnings = ruleWarnings(rules, { ...(await worldOf(organization, services)), playbooks })
  return {
    organization_code: code,
    revision,
    rules: rules.map(ruleView),
    server_rules: services.engine.approvalRules.map(ruleView),
    warnings: warnings.map(({ place, message }) => ({ rule: place, message })),
  }
}

const getRules = defineRoute({
  method: 'GET',
  path: '/organizations/{organization}/approval-rules',
  access: 'runs:read',
  summary: 'Who must approve destructive actions of an organization.',
  answer: apiApprovalRulesSchema,
  async handle({ params, caller }, services) {
    const found = await requireVisibleOrganization(caller.scope, params.organization, services)
    return { body: await view(found, services), headers: entityTag(found) }
  },
})

const setRules = defineRoute({
  method: 'PUT',
  path: '/organizations/{organization}/approval-rules',
  access: 'organizations:write',
  summary:
    'Replaces the approval rules of an organization. Questions that were asked before keep the rule they were asked with.',
  answer: apiApprovalRulesSchema,
  headers: ifMatchHeader,
  body: {
    required: ['rules'],
    properties: { rules: { type: 'array', maxItems: most.rules, items: ruleSchema(patterns.line) } },
  },
  async handle({ params, body, headers, caller }, services) {
    const found = await requireVisibleOrganization(caller.scope, params.organization, services)
    const rules = body.rules.map(readRule)
    const problems = ruleProblems(rules, await worldOf(found, services)).map(({ pointer, message }) => ({
      pointer: `/rules${pointer}`,
      message,
    }))
    const [first] = problems
    if (first !== undefined)
      throw new ValidationError('approval_rules_invalid', `${first.pointer}: ${first.message}`, problems)
    const changed = await editSeen(headers, (revision) =>
      services.stores.organizations.setApprovalRules(found.uuid, rules, revision, caller.actor),
    )
    return { body: await view(changed, services), headers: entityTag(changed) }
  },
})

export const approvalRuleRoutes = [getRules, setRules]
