/** Turns of runs are numbered, so that a process that was thought to be dead cannot write for a turn that another one has taken. */
export const turnNumbers = 'ALTER TABLE runs ADD COLUMN turn INTEGER NOT NULL DEFAULT 1;'
