import { serveSandbox, type SandboxCall } from 'tocsin/plugin/testing'
import malicious from './examples/malicious.json' with { type: 'json' }
import unknown from './examples/unknown.json' with { type: 'json' }

const refused = { status: 401, json: { message: 'Unauthorized' } }
const isKnown = ({ headers }: SandboxCall) => headers['key'] === 'sandbox-key'

export default serveSandbox(
  () => ({
    'GET /ping': (call) =>
      isKnown(call) ? { json: { message: 'pong', offering: 'community', plan: 'Community' } } : refused,
    'GET /v3/community/:ip': (call) => {
      if (!isKnown(call)) return refused
      const { input, responses } = call.params['ip'] === malicious.input.value ? malicious : unknown
      const { status, body } = responses[0]!
      return { status, json: { ...body, ip: call.params['ip'] ?? input.value } }
    },
  }),
  (url) => ({ base_url: url, api_key: 'sandbox-key' }),
)
