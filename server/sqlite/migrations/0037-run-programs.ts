/**
 * The version of Tocsin that last had a turn of the run, as a text in the order of versions: older programs leave the run to others. Empty: it
 * was before that was recorded.
 */
export const runPrograms = `ALTER TABLE runs ADD COLUMN program TEXT NOT NULL DEFAULT '';`
