import { serveSandbox } from 'tocsin/plugin/testing'
import { intelCommands } from './sandbox/commands.ts'
import { intelFaults } from './sandbox/faults.ts'
import { loadRecords } from './sandbox/records.ts'
import { fullAccessKey, intelRoutes } from './sandbox/routes.ts'

/** An emulator of the provider; its data is in `sandbox/` and `fixtures/`. */
export const sandboxWithHeader = (tokenHeader: string) =>
  serveSandbox(
    () => {
      const records = loadRecords()
      const commands = intelCommands(records)
      return { answer: intelRoutes(tokenHeader, records), faults: intelFaults, commands }
    },
    (url) => ({ base_url: url, api_key: fullAccessKey, token_header: tokenHeader }),
  )

export default sandboxWithHeader('X-RFToken')
