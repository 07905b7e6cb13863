/** Which alert a request with an idempotency key made. */
export const alertRequests = `
CREATE TABLE alert_requests (
  api_key_uuid TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_uuid, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_requests_by_expiry ON alert_requests (expires_at);
`
