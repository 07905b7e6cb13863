/** Explains a status to the operator; the vendor's contract also reports these codes with status 200. */
export const errors = {
  400: 'The platform rejected the request: check the inputs of the step.',
  401:
    'The API token is incorrect, or its permissions do not match the endpoint: create one that may read alerts and incidents, ' +
    'enter it in the connection, and check that its contract is the one your platform speaks.',
  403: 'The API token lacks the permission: an administrator creates one that may read alerts and incidents.',
  404:
    'The endpoint URL is wrong: check base_url, contract and company_id of the connection; for audit logs also ' +
    'audit_logs_path.',
  429: 'Too many requests: the step is retried after the requested pause.',
  500: 'The platform has an outage: the step is retried with backoff.',
  502: 'The gateway cannot reach the platform: the step is retried.',
  503: 'The platform has an outage: the step is retried with backoff.',
  504: 'The platform timed out: the step is retried.',
} as const satisfies Readonly<Record<number, string>>
