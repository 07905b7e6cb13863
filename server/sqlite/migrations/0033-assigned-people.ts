/**
 * Assignees of cases and owners of tasks as people: uuid of an account, or public id of an API key. A name that only one of them has
 * becomes that one; others stay texts.
 */
const adopt = (table: string, column: string): string => `
UPDATE ${table} SET ${column}_id = (SELECT min(uuid) FROM accounts WHERE name = ${table}.${column} COLLATE NOCASE OR email_key = lower(${table}.${column})
    HAVING count(*) = 1) WHERE ${column} IS NOT NULL;
UPDATE ${table} SET ${column}_id = (SELECT min(public_id) FROM api_keys WHERE name = ${table}.${column} HAVING count(*) = 1)
  WHERE ${column} IS NOT NULL AND ${column}_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM accounts WHERE name = ${table}.${column} COLLATE NOCASE);
`

export const assignedPeople = `
ALTER TABLE cases ADD COLUMN assignee_id TEXT;
ALTER TABLE case_tasks ADD COLUMN owner_id TEXT;
ALTER TABLE case_tasks ADD COLUMN due_rank INTEGER AS (ifnull(due_at, 9007199254740991)) VIRTUAL;
${adopt('cases', 'assignee')}
${adopt('case_tasks', 'owner')}
CREATE INDEX cases_assigned ON cases (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX case_tasks_open ON case_tasks (due_rank) WHERE done_at IS NULL;
CREATE INDEX case_tasks_owned ON case_tasks (owner_id, due_rank) WHERE owner_id IS NOT NULL;
`
