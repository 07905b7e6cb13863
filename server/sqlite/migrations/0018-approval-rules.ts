/**
 * Approval rules of organizations. Answers keep the ids that stand for the same person (`same_as`) and the numbers of the
 * actions they refuse (`refused_items`), both JSON lists.
 */
export const approvalRules = `
ALTER TABLE organizations ADD COLUMN approval_rules TEXT;
ALTER TABLE checkpoint_answers ADD COLUMN same_as TEXT;
ALTER TABLE checkpoint_answers ADD COLUMN refused_items TEXT;
`
