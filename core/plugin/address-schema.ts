/**
 * The schema of a setting that holds the address of another system: https, without credentials, query, fragment and slash at the
 * end; plain http only on loopback, for sandboxes.
 *
 * @example base_url: { ...addressSchema, title: 'Base URL', default: 'https://api.example.com' }
 */
export const addressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern:
    '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?)(/[^?#\\s]*[^/?#\\s])?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for a sandbox on loopback), without credentials, query, fragment and slash at the end',
} as const

/**
 * The schema of a setting that holds the address of a system of the operator's own network: like {@link addressSchema}, and plain http
 * to any host, which egress refuses unless `TOCSIN_ALLOW_PRIVATE_EGRESS` names it.
 */
export const privateAddressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for hosts that TOCSIN_ALLOW_PRIVATE_EGRESS names), without credentials, query and fragment',
} as const
