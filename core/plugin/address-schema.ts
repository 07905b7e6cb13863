/**
 * The schema of a setting that holds the address of another system: https, without credentials, query, fragment and slash at the
 * end; plain http only on loopback, for sandboxes. A path with `;`, or with `%25`, `%2e`, `%2f`, `%3b` or `%5c`, is refused: some gateways
 * decode these, once or twice, or leave out what follows a `;`, before they route, and then it leads elsewhere than it says.
 *
 * @example base_url: { ...addressSchema, title: 'Base URL', default: 'https://api.example.com' }
 */
export const addressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern:
    '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?)(/([^?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F])*([^/?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F]))?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for a sandbox on loopback), without credentials, query, fragment, `;`, %25, %2e, %2f, %3b, %5c and slash at the end',
} as const

/**
 * The schema of a setting that holds the address of a system of the operator's own network: like {@link addressSchema}, and plain http
 * to any host, which egress refuses unless `TOCSIN_ALLOW_PRIVATE_EGRESS` names it.
 */
export const privateAddressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern:
    '^https?://[^/?#@\\s]+(/([^?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F])*)?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for hosts that TOCSIN_ALLOW_PRIVATE_EGRESS names), without credentials, query, fragment, `;`, %25, %2e, %2f, %3b and %5c',
} as const
