/** An authored name has one newest version, also if its versions belong to different organizations. */
export const playbookOrganizations = `
DROP INDEX newest_playbooks;
CREATE UNIQUE INDEX newest_playbooks ON playbooks (name, iif(origin = 'file', 0, organization_id)) WHERE newest = 1;
`
