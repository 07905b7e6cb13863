/** One run at most: a start does not look through all of them for it. */
export const runsAlone = `
CREATE INDEX runs_alone ON runs (id) WHERE alone = 1;
`
