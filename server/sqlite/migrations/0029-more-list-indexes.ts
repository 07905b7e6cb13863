/** For what lists of cases, runs and of the audit log are sorted and narrowed by: none of them reads its whole table. */
export const moreListIndexes = `
CREATE INDEX cases_by_change ON cases (modified_at);
CREATE INDEX cases_by_severity ON cases (severity_rank);
CREATE INDEX cases_of_organization_by_change ON cases (organization_id, modified_at);
CREATE INDEX cases_of_organization_by_severity ON cases (organization_id, severity_rank);
CREATE INDEX cases_of_status ON cases (status);
CREATE INDEX cases_of_severity ON cases (severity);
CREATE INDEX cases_of_verdict ON cases (verdict);
CREATE INDEX cases_of_assignee ON cases (assignee);
CREATE INDEX runs_in_playbook ON runs (playbook_name);
CREATE INDEX runs_of_status ON runs (status);
CREATE INDEX runs_of_error ON runs (error ->> '$.code') WHERE error IS NOT NULL;
CREATE INDEX audit_by_action ON audit (action);
CREATE INDEX audit_by_actor_id ON audit (actor_id);
CREATE INDEX audit_by_actor_name ON audit (actor_name);
`
