import { textAt, valueAt, type TokenRefusal } from 'tocsin/plugin'

/**
 * Hints by error number of the identity provider
 * (https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes).
 */
const byCode: Readonly<Record<number, string>> = {
  7000215: 'the client secret is wrong: enter its value, not its id',
  7000222: 'the client secret has expired: add a new one to the application and enter its value',
  700016:
    'the tenant does not know this application: check client_id and tenant_id, and that an administrator has consented',
  7000218: 'the identity provider received no client secret: enter it again',
  7000112: 'the application is disabled in this tenant: have an administrator enable it',
  7000229:
    'the tenant has no service principal of this application: an administrator must consent to it first',
  90002: 'unknown tenant: check tenant_id, and that login_url belongs to its cloud',
  900023: 'tenant_id is neither an id nor a domain of a tenant',
  500011:
    'the tenant does not know the resource: check api_resource_url, and that it has the endpoint product',
  53003: 'a conditional access policy of the tenant blocks the application',
}

/** Hints by OAuth 2.0 error code (RFC 6749, section 5.2), for unknown numbers. */
const byWord: Readonly<Record<string, string>> = {
  invalid_client: 'check client_id and client_secret',
  unauthorized_client:
    'the tenant refuses tokens to this application: check client_id and the consent of an administrator',
  invalid_scope: 'check api_resource_url: it is the resource without /.default',
  invalid_request: 'check tenant_id, client_id and login_url',
  invalid_resource: 'check api_resource_url, and that the tenant has the endpoint product',
}

/**
 * Explains a refused token call to the operator. Reads `error_codes` and `error`; the text of
 * `error_description` changes.
 */
export function explainTokenRefusal({ status, body }: TokenRefusal): string | undefined {
  const codes = valueAt(body, 'error_codes')
  for (const code of Array.isArray(codes) ? codes : []) {
    const found = typeof code === 'number' && Object.hasOwn(byCode, code) ? byCode[code] : undefined
    if (found !== undefined) return found
  }
  const word = textAt(body, 'error')
  if (word !== null && Object.hasOwn(byWord, word)) return byWord[word]
  return status === 404 ? 'not found: check login_url' : undefined
}
