import { serveSandbox } from 'tocsin/plugin/testing'
import { apiKey, routes } from './sandbox/routes.ts'

/** An emulator of the provider; what it knows stands in `sandbox/` and `fixtures/`. */
export const sandboxWithHeader = (tokenHeader: string) =>
  serveSandbox(
    () => routes(tokenHeader),
    (url) => ({ base_url: url, api_key: apiKey, token_header: tokenHeader }),
  )

export default sandboxWithHeader('X-RFToken')
