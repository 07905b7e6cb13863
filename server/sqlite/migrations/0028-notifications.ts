/**
 * What people are told, who has read it, and what each person wants to be told. `told` is 0 until its time has come: an escalation is
 * stored when the approval is asked. `overdue_told` is the due time of a case about which people were told last.
 */
export const notificationTables = `
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  event TEXT NOT NULL,
  kind TEXT NOT NULL,
  account_uuid TEXT,
  among TEXT,
  publisher_uuid TEXT,
  caused_by TEXT,
  subject_kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  question_kind TEXT,
  facts TEXT NOT NULL,
  count INTEGER NOT NULL DEFAULT 1,
  at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  told INTEGER NOT NULL,
  UNIQUE (organization_id, event)
) STRICT;
CREATE INDEX notifications_by_time ON notifications (at, id);
CREATE INDEX notifications_of_organization ON notifications (organization_id, at);
CREATE INDEX notifications_untold ON notifications (at) WHERE told = 0;

CREATE TABLE notification_reads (
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  account_uuid TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (notification_id, account_uuid)
) STRICT, WITHOUT ROWID;

CREATE TABLE notification_people (
  account_uuid TEXT PRIMARY KEY,
  read_until INTEGER NOT NULL DEFAULT 0,
  choices TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

ALTER TABLE cases ADD COLUMN overdue_told INTEGER NOT NULL DEFAULT 0;
CREATE INDEX cases_untold_due ON cases (due_rank) WHERE listed = 1 AND due_rank < 9007199254740991 AND overdue_told < due_rank;
`
