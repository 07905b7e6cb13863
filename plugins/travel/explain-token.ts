import type { TokenRefusal } from 'tocsin/plugin'

/** What to do about a token that was refused; the platform's table of errors, in the operator's words. */
export function explainToken({ status }: TokenRefusal): string | undefined {
  if (status === 400)
    return 'the platform does not take the token request: check that base_url is its API address'
  if (status === 401)
    return 'the Client ID or the Secret Key is wrong, the secret was rotated, or base_url is of another environment (US, EU, staging)'
  if (status === 403)
    return 'the API product is not enabled, or the address of this server is not among the Allowed IP Addresses of the credentials'
  if (status === 404) return 'base_url is wrong: nothing hands out tokens there'
  return undefined
}
