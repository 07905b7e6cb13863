import { serveSandbox } from 'tocsin/plugin/testing'
import { routes } from './sandbox/routes.ts'
import { apiToken, companyId } from './sandbox/tokens.ts'

/** An emulator of the platform. It speaks both contracts; the settings choose one. */
export const sandboxWith = (contract: 'spec' | 'vendor') =>
  serveSandbox(routes, (url) => ({ base_url: url, company_id: companyId, api_token: apiToken, contract }))

export default sandboxWith('spec')
