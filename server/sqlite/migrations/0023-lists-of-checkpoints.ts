/** Lists of questions by what became of them, newest first; what becomes of a step that nobody answers. */
export const listsOfCheckpoints = `
ALTER TABLE checkpoints ADD COLUMN on_timeout TEXT;
DROP INDEX checkpoints_waiting;
DROP INDEX checkpoints_waiting_of_organization;
CREATE INDEX checkpoints_in_state ON checkpoints (state, id);
CREATE INDEX checkpoints_of_organization ON checkpoints (organization_id, state, id);
CREATE INDEX checkpoints_via ON checkpoints (question ->> '$.via', state, id);
`
