import { serveSandbox } from 'tocsin/plugin/testing'
import { behave } from './sandbox/behave.ts'
import { travelClients } from './sandbox/clients.ts'

/** An emulator of the platform; its data is in `sandbox/` and `fixtures/`. */
export default serveSandbox(behave, (url) => ({
  base_url: url,
  client_id: travelClients.all.id,
  client_secret: travelClients.all.secret,
}))
