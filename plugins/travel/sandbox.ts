import { serveSandbox } from 'tocsin/plugin/testing'
import { behave } from './sandbox/behave.ts'
import { clients } from './sandbox/clients.ts'

/** An emulator of the platform; what it knows stands in `sandbox/` and `fixtures/`. */
export default serveSandbox(behave, (url) => ({
  base_url: url,
  client_id: clients.all.id,
  client_secret: clients.all.secret,
}))
