/** What a status means, in the operator's words; the vendor's contract also says them with status 200. */
export const errors = {
  400: 'The platform refused the question: check the inputs of the step.',
  401:
    'The API token is incorrect, or its permissions do not match the endpoint: create one that may read alerts and incidents, ' +
    'enter it in the connection, and check that its contract is the one your platform speaks.',
  403: 'The API token lacks the permission: an administrator creates one that may read alerts and incidents.',
  404:
    'The endpoint URL is wrong: check base_url, contract and company_id of the connection; for audit logs also ' +
    'audit_logs_path.',
  429: 'Too many requests: it is tried again after the pause the platform asks for.',
  500: 'The platform has an outage: it is tried again with growing pauses.',
  502: 'The platform cannot be reached behind its gateway: it is tried again.',
  503: 'The platform has an outage: it is tried again with growing pauses.',
  504: 'The platform took too long: it is tried again.',
} as const satisfies Readonly<Record<number, string>>
