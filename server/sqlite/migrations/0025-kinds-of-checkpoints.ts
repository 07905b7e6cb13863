/** What sort of question a checkpoint is (`kindOf`), for answering many of one kind at once. */
export const kindsOfCheckpoints = `
ALTER TABLE checkpoints ADD COLUMN kind TEXT;
UPDATE checkpoints SET kind = CASE
  WHEN path LIKE '%/@approval' AND question ->> '$.input.skill' IS NOT NULL
    THEN 'approval:' || (question ->> '$.input.skill')
  ELSE (SELECT playbook_name FROM runs WHERE id = run_id) || ':' || coalesce(step_id, path) END;
CREATE INDEX checkpoints_of_kind ON checkpoints (kind, state, organization_id, id);
`
