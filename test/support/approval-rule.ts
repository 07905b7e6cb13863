import { anyApprover, type ApprovalRule, type RuleMatch } from '../../core/domain/destructive-use.ts'

interface RuleChanges extends Partial<Omit<ApprovalRule, 'match'>> {
  readonly match?: Partial<RuleMatch>
}

/** A rule that requires one approval for everything, with these changes. */
export const ruleOf = ({ match, ...changes }: RuleChanges = {}): ApprovalRule => ({
  name: null,
  match: {
    classes: [],
    skills: [],
    playbooks: [],
    severityAtLeast: null,
    severityAtMost: null,
    ...match,
  },
  approvals: 1,
  by: anyApprover,
  expiresMinutes: null,
  escalate: null,
  ...changes,
})
