/**
 * Whose a playbook is: one that was made belongs to the organization whose alerts it was made for, and shows its code and the
 * type of its alerts. Those from before belong to the organization of their runs; without a run nothing holds on to them.
 */
export const playbookOwners = `
CREATE TABLE owned_playbooks (
  id INTEGER PRIMARY KEY,
  -- null: written by a person, shared by all organizations
  organization_id INTEGER REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  -- 1 for the newest version of a name
  newest INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

INSERT INTO owned_playbooks (id, organization_id, name, hash, source, origin, newest, created_at)
  SELECT p.id, CASE p.origin WHEN 'made' THEN r.organization_id END, p.name, p.hash, p.source, p.origin,
    n.playbook_id IS NOT NULL, p.created_at
  FROM playbooks p
    LEFT JOIN newest_playbooks n ON n.playbook_id = p.id
    LEFT JOIN (SELECT playbook_hash, min(organization_id) AS organization_id FROM runs GROUP BY playbook_hash) r
      ON r.playbook_hash = p.hash
  WHERE p.origin <> 'made' OR r.organization_id IS NOT NULL;

DROP TABLE newest_playbooks;
DROP TABLE playbooks;
ALTER TABLE owned_playbooks RENAME TO playbooks;
CREATE UNIQUE INDEX playbook_versions ON playbooks (name, ifnull(organization_id, 0), hash);
CREATE UNIQUE INDEX newest_playbooks ON playbooks (name, ifnull(organization_id, 0)) WHERE newest = 1;
CREATE INDEX playbooks_of_hash ON playbooks (hash);
`
