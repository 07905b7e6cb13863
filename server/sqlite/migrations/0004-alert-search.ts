/** Finds alerts by words. Holds no text of its own: what it was made from stands in `alerts` and `alert_contents`. */
export const alertSearch = `
CREATE VIRTUAL TABLE alert_search USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61');
INSERT INTO alert_search (rowid, text)
  SELECT t.id, concat_ws(' ', o.code || '-' || p.code || '-' || t.sequence, t.type,
    CASE typeof(b.content) WHEN 'text' THEN substr(b.content, 1, 65536) END)
  FROM alerts t
    JOIN organizations o ON o.id = t.organization_id
    JOIN providers p ON p.id = t.provider_id
    JOIN alert_contents b ON b.alert_id = t.id;
`
