/**
 * Who answered, cancelled, paused, and put versions in force: JSON of kind, id and name, where the name alone was kept, which for an API
 * key may be anything. The audit log has who it was; of answers that did not count it has nothing: those that were refused came from
 * people, and one of whoever was asked is theirs unless a key has that name. A key is known where one alone has the name.
 */
export const authors = `
CREATE TEMP TABLE known_keys AS
  SELECT name, min(public_id) AS id, count(*) AS keys FROM api_keys GROUP BY name;
CREATE INDEX temp.known_keys_by_name ON known_keys (name);

UPDATE checkpoint_answers SET author = coalesce(
  CASE WHEN outcome = 'accepted' THEN (
    SELECT json_object('kind', a.entry ->> '$.actor.kind', 'id',
        CASE a.entry ->> '$.actor.kind' WHEN 'person' THEN author ELSE a.actor_id END, 'name', author)
      FROM checkpoints c JOIN audit a ON a.subject_id = c.public_id
      WHERE c.id = checkpoint_id AND a.action = 'checkpoint.answered' LIMIT 1) END,
  CASE WHEN outcome IN ('not_asked', 'not_an_answer', 'ambiguous') OR (
      author = (SELECT asked FROM checkpoints WHERE id = checkpoint_id)
      AND NOT EXISTS (SELECT 1 FROM known_keys WHERE name = author))
    THEN json_object('kind', 'person', 'id', author, 'name', author) END,
  json_object('kind', 'api_key', 'name', author,
    'id', coalesce((SELECT id FROM known_keys WHERE name = author AND keys = 1), '')));

UPDATE runs SET cancelled_by = coalesce(
  (SELECT a.entry -> '$.actor' FROM audit a WHERE a.subject_id = runs.uuid AND a.action = 'run.cancelled' LIMIT 1),
  json_object('kind', 'api_key', 'name', cancelled_by,
    'id', coalesce((SELECT id FROM known_keys WHERE name = cancelled_by AND keys = 1), '')))
  WHERE cancelled_by IS NOT NULL;

UPDATE playbooks SET put_in_force_by = coalesce(
  (SELECT a.entry -> '$.actor' FROM audit a
    WHERE a.subject_id = playbooks.hash AND a.action = 'playbook.put_in_force' AND a.actor_name = put_in_force_by
    ORDER BY a.id DESC LIMIT 1),
  CASE put_in_force_by WHEN 'server' THEN json_object('kind', 'server', 'id', 'server', 'name', 'server')
    ELSE json_object('kind', 'api_key', 'id', '', 'name', put_in_force_by) END)
  WHERE put_in_force_by IS NOT NULL;

UPDATE facts SET value = json_set(value, '$.by', json(coalesce(
  (SELECT a.entry -> '$.actor' FROM audit a WHERE a.subject_id = 'engine' AND a.action = 'engine.paused' ORDER BY a.id DESC LIMIT 1),
  json_object('kind', 'api_key', 'id', '', 'name', value ->> '$.by'))))
  WHERE name = 'paused';

DROP TABLE known_keys;
`
