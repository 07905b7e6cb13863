/** Questions to several people, whose answers decide together. */
export const questionGroups = `
ALTER TABLE checkpoints ADD COLUMN group_path TEXT;
ALTER TABLE checkpoints ADD COLUMN group_rule TEXT;
CREATE INDEX checkpoints_of_group ON checkpoints (run_id, group_path) WHERE group_path IS NOT NULL;
`
