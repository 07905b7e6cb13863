import { serveSandbox, type SandboxBehaviour } from 'tocsin/plugin/testing'
import { alertStore } from './sandbox/alert-store.ts'
import { threatFaults } from './sandbox/faults.ts'
import { threatRoutes } from './sandbox/routes.ts'
import { apiToken, companyId } from './sandbox/tokens.ts'

function behave(): SandboxBehaviour<undefined> {
  const alerts = alertStore()
  return { answer: threatRoutes(alerts), faults: threatFaults, commands: alerts.commands }
}

/** An emulator of the platform for both contracts; the settings choose one. */
export const sandboxWith = (contract: 'spec' | 'vendor') =>
  serveSandbox(behave, (url) => ({ base_url: url, company_id: companyId, api_token: apiToken, contract }))

export default sandboxWith('spec')
