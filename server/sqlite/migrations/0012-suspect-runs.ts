/**
 * Of a run that had its turn when the process stopped without a word: how often that was so since it last rested (`crashes`), whether it
 * had its turn alone (`alone`), and how often the process stopped while it did (`convictions`).
 */
export const suspectRuns = `
ALTER TABLE runs ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN convictions INTEGER NOT NULL DEFAULT 0;
`
