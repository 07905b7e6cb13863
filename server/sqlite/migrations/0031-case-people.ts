/** Files that people upload and withdraw. */
export const casePeople = `
ALTER TABLE case_files ADD COLUMN detected_type TEXT;
ALTER TABLE case_files ADD COLUMN deleted_by_kind TEXT;
ALTER TABLE case_files ADD COLUMN deleted_by_id TEXT;
ALTER TABLE case_files ADD COLUMN deleted_by TEXT;
ALTER TABLE case_files ADD COLUMN deleted_reason TEXT;
`
