import { textAt, valueAt, type TokenRefusal } from 'tocsin/plugin'

/** What to do, by the number of the identity provider's error (https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes). */
const byCode: Readonly<Record<number, string>> = {
  7000215: 'the client secret is wrong: enter its value, not its id',
  7000222: 'the client secret has expired: add a new one to the application and enter its value',
  700016:
    'the tenant does not know this application: check client_id and tenant_id, and that an administrator has consented',
  7000218: 'the identity provider got no client secret: enter it again',
  7000112: 'the application is disabled in this tenant: have an administrator enable it',
  7000229:
    'the tenant has no service principal of this application: an administrator must consent to it first',
  90002: 'there is no such tenant: check tenant_id, and that login_url is the one of its cloud',
  900023: 'tenant_id is neither an id nor a domain of a tenant',
  500011:
    'the tenant does not know the resource: check api_resource_url, and that it has the endpoint product',
  53003: 'a conditional access policy of the tenant blocks the application',
}

/** Where no number is known, by the word of OAuth 2.0 (RFC 6749, section 5.2). */
const byWord: Readonly<Record<string, string>> = {
  invalid_client: 'check client_id and client_secret',
  unauthorized_client:
    'the tenant does not let this application have tokens: check client_id and the consent of an administrator',
  invalid_scope: 'check api_resource_url: it is the resource without /.default',
  invalid_request: 'check tenant_id, client_id and login_url',
  invalid_resource: 'check api_resource_url, and that the tenant has the endpoint product',
}

/**
 * What a refused token call means for the operator. Goes by `error_codes` and `error`; the prose of `error_description` changes.
 */
export function explainTokenRefusal({ status, body }: TokenRefusal): string | undefined {
  const codes = valueAt(body, 'error_codes')
  for (const code of Array.isArray(codes) ? codes : []) {
    const found = typeof code === 'number' && Object.hasOwn(byCode, code) ? byCode[code] : undefined
    if (found !== undefined) return found
  }
  const word = textAt(body, 'error')
  if (word !== null && Object.hasOwn(byWord, word)) return byWord[word]
  return status === 404 ? 'nothing is there: check login_url' : undefined
}
