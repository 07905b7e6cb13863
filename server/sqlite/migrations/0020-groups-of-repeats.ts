/** For showing which groups take in the most. */
export const groupsOfRepeats = `
CREATE INDEX alert_groups_of_repeats ON alert_groups (size) WHERE size > 1;
`
