/** Which run a run goes on from, and which entries of its journal it took from there. */
export const reruns = `
ALTER TABLE runs ADD COLUMN retry_of INTEGER REFERENCES runs (id);
CREATE UNIQUE INDEX runs_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX runs_failed ON runs (playbook_name, id) WHERE status = 'failed';

-- The run that did the work.
ALTER TABLE journal ADD COLUMN carried_from INTEGER REFERENCES runs (id);
`
