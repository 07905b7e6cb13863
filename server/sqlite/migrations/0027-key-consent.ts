/** Who knows a secret of an API key: a JSON list of actors; null: whoever created the key. */
export const keyConsent = 'ALTER TABLE api_keys ADD COLUMN secret_known_by TEXT;'
