/**
 * Filters and sorts of lists, and why alerts are repeats of a group. The columns of the audit log are read from the text of each entry,
 * which is slow: its indexes hold what a second filter needs, in the order of the list.
 */
export const listIndexes = `
ALTER TABLE alert_groups ADD COLUMN reason TEXT;
CREATE INDEX alerts_repeating ON alerts (investigator, created_at, organization_id) WHERE group_sequence IS NOT NULL;
CREATE INDEX alerts_of_organization_by_change ON alerts (organization_id, modified_at) WHERE listed = 1;

ALTER TABLE audit ADD COLUMN skill TEXT AS (entry ->> '$.details.skill') VIRTUAL;
CREATE INDEX audit_by_skill ON audit (skill, id, at, action, organization_uuid) WHERE skill IS NOT NULL;
CREATE INDEX audit_by_time ON audit (at);
DROP INDEX audit_by_action;
CREATE INDEX audit_by_action ON audit (action, id, at);
DROP INDEX audit_by_organization;
CREATE INDEX audit_by_organization ON audit (organization_uuid, id, at, action);
`
