/** Alerts are indexed for searches after they have been stored. Up to which one, in the order of their keys, is a fact. */
export const lazyAlertSearch = `
INSERT INTO facts (name, value) SELECT 'alerts_indexed_to', ifnull(max(id), 0) FROM alerts;
`
