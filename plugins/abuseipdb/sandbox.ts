import { serveSandbox, type SandboxCall, type SandboxReply } from 'tocsin/plugin/testing'
import clear from './examples/clear.json' with { type: 'json' }
import network from './examples/network.json' with { type: 'json' }
import unreported from './examples/private.json' with { type: 'json' }
import report from './examples/report.json' with { type: 'json' }
import reported from './examples/reported.json' with { type: 'json' }
import reports from './examples/reports.json' with { type: 'json' }

const key = 'sandbox-key-of-twenty-letters'

const problem = (status: number, detail: string): SandboxReply => ({
  status,
  json: { errors: [{ detail, status }] },
})

/** Answers with the example of a request. */
const answer =
  (choose: (call: SandboxCall) => { readonly responses: readonly { readonly body: unknown }[] }) =>
  (call: SandboxCall): SandboxReply =>
    call.headers['key'] === key
      ? { json: choose(call).responses[0]!.body }
      : problem(401, 'Authentication failed. Your API key is either missing, incorrect, or revoked.')

/** Reports and lookups of any address are answered as those of the examples. */
export default serveSandbox(
  () => ({
    'GET /api/v2/check': answer(({ query }) =>
      query.get('ipAddress') === unreported.input.value ? unreported : reported,
    ),
    'GET /api/v2/reports': answer(() => reports),
    'GET /api/v2/check-block': answer(() => network),
    'POST /api/v2/report': answer(() => report),
    'DELETE /api/v2/clear-address': answer(() => clear),
  }),
  (url) => ({ base_url: `${url}/api/v2`, api_key: key }),
)
