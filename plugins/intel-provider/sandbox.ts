import { serveSandbox } from 'tocsin/plugin/testing'
import { commandsOf } from './sandbox/commands.ts'
import { faults } from './sandbox/faults.ts'
import { loadRecords } from './sandbox/records.ts'
import { apiKey, routes } from './sandbox/routes.ts'

/** An emulator of the provider; what it knows stands in `sandbox/` and `fixtures/`. */
export const sandboxWithHeader = (tokenHeader: string) =>
  serveSandbox(
    () => {
      const records = loadRecords()
      const commands = commandsOf(records)
      return { answer: routes(tokenHeader, records), faults, commands }
    },
    (url) => ({ base_url: url, api_key: apiKey, token_header: tokenHeader }),
  )

export default sandboxWithHeader('X-RFToken')
