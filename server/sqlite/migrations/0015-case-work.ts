/**
 * Work on cases: why a case was closed, its times and targets, tasks, links between cases, and filters that people share. A row of
 * `case_links` is one direction, as it was given. `due_rank` is when the next target of an open case is due; a row without one has the
 * highest number, so that it is sorted last.
 */
export const caseWork = `
ALTER TABLE organizations ADD COLUMN case_targets TEXT;

ALTER TABLE cases ADD COLUMN closing_reason TEXT;
ALTER TABLE cases ADD COLUMN resolution TEXT NOT NULL DEFAULT '';
ALTER TABLE cases ADD COLUMN closed_at INTEGER;
ALTER TABLE cases ADD COLUMN closed_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN responded_at INTEGER;
ALTER TABLE cases ADD COLUMN respond_due_at INTEGER;
ALTER TABLE cases ADD COLUMN resolve_due_at INTEGER;
UPDATE cases SET closed_at = modified_at, responded_at = modified_at WHERE status = 'closed';
ALTER TABLE cases ADD COLUMN queue_rank INTEGER AS (-severity_rank) VIRTUAL;
ALTER TABLE cases ADD COLUMN due_rank INTEGER AS (ifnull(CASE
  WHEN closed_at IS NOT NULL THEN NULL
  WHEN responded_at IS NOT NULL OR respond_due_at IS NULL THEN resolve_due_at
  WHEN resolve_due_at IS NULL OR respond_due_at < resolve_due_at THEN respond_due_at
  ELSE resolve_due_at END, 9007199254740991)) VIRTUAL;
ALTER TABLE cases ADD COLUMN is_late INTEGER AS (
  ifnull(responded_at > respond_due_at, 0) OR ifnull(closed_at > resolve_due_at, 0)) VIRTUAL;
CREATE INDEX cases_by_queue ON cases (queue_rank) WHERE listed = 1;
CREATE INDEX cases_by_due ON cases (due_rank) WHERE listed = 1;
CREATE INDEX cases_of_organization_by_queue ON cases (organization_id, queue_rank) WHERE listed = 1;
CREATE INDEX cases_of_organization_by_due ON cases (organization_id, due_rank) WHERE listed = 1;
CREATE INDEX cases_active ON cases (closed_at) WHERE listed = 1 AND closed_at IS NULL;
CREATE INDEX cases_unassigned ON cases (queue_rank) WHERE listed = 1 AND closed_at IS NULL AND assignee IS NULL;
CREATE INDEX cases_late ON cases (is_late) WHERE listed = 1 AND is_late = 1;
CREATE INDEX cases_of_closing_reason ON cases (closing_reason) WHERE listed = 1;

CREATE TABLE case_tasks (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  title TEXT NOT NULL,
  owner TEXT,
  due_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  author_kind TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  done_at INTEGER,
  done_by_kind TEXT,
  done_by_id TEXT,
  done_by TEXT
) STRICT;
CREATE INDEX case_tasks_of_case ON case_tasks (case_id);

CREATE TABLE case_links (
  case_id INTEGER NOT NULL REFERENCES cases (id),
  other_id INTEGER NOT NULL REFERENCES cases (id),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  author_kind TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  PRIMARY KEY (case_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_links_of_other ON case_links (other_id);

ALTER TABLE case_entries ADD COLUMN mentions TEXT;

CREATE TABLE shared_filters (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  view TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  author_kind TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  UNIQUE (organization_id, view, name)
) STRICT;
`
