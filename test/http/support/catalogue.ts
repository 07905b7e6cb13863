import {
  defineConnection,
  definePlugin,
  defineSkill,
  verifyHmac,
  verifyRecent,
  verifySecret,
  type InboundRequest,
  type InboundResult,
  type Secret,
} from '../../../core/plugin/index.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'

/** A sender signs the address, the time and the body; the body is what the handler returns. */
function readAlarms(
  { headers, url, body, text, nowMs }: InboundRequest,
  { api_token: secret }: { readonly api_token: Secret },
): InboundResult {
  const time = headers['x-tower-time'] ?? ''
  verifyHmac({ secret, signed: [url, time, body], signature: headers['x-tower-signature'] })
  verifyRecent(time, nowMs)
  return JSON.parse(text) as InboundResult
}

const connection = defineConnection({
  title: 'Bell tower',
  description: 'A tower with bells.',
  settings: {
    type: 'object',
    additionalProperties: false,
    required: ['base_url', 'api_token'],
    properties: {
      base_url: { type: 'string', format: 'uri' },
      api_token: { type: 'string', minLength: 1, 'x-secret': true },
    },
  },
  baseUrl: ({ base_url }) => base_url,
  authenticate: async () => undefined,
  inbound: { rope: () => ({ reply: { json: { rung: true } } }), alarms: readAlarms },
  handshakes: {
    rope: () => ({ json: { rung: true } }),
    alarms: ({ query }, { api_token }) => {
      verifySecret(query['verify'], api_token)
      return { text: query['challenge'] ?? '' }
    },
  },
  manifest: ({ name, inboundUrl }) => ({ name, url: inboundUrl('rope') }),
})

const ringBell = defineSkill({
  name: 'ring_bell',
  title: 'Ring Bell',
  description: 'Rings a bell.',
  effect: 'write',
  repeat: 'never',
  connection,
  input: { type: 'object', required: ['times'], properties: { times: { type: 'integer' } } },
  output: { type: 'object', properties: {} },
  examples: [],
  run: async () => ({}),
})

const lookUp = defineSkill({
  name: 'look_up',
  title: 'Look Up',
  description: 'Says what the tower keeper knows.',
  effect: 'read',
  permissions: ['Bells.Hear'],
  enriches: ['ip'],
  input: {
    type: 'object',
    required: ['kind', 'value'],
    properties: { kind: { type: 'string' }, value: { type: 'string' } },
  },
  output: {
    type: 'object',
    properties: {
      risk: { type: 'object', properties: { score: { type: ['number', 'null'] } } },
      keeper: { type: 'string', 'x-sensitive': true },
    },
  },
  examples: [
    {
      title: 'A rope',
      source: 'https://tower.example/docs',
      synthetic: true,
      input: { kind: 'ip', value: '192.0.2.1' },
      output: { risk: { score: null } },
    },
  ],
  run: async () => ({ risk: { score: null } }),
})

const plugin = definePlugin({
  name: 'tower',
  title: 'Tower',
  description: 'Bells.',
  connection,
  skills: [ringBell, lookUp],
})
const quiet = definePlugin({
  name: 'quiet',
  title: 'Quiet',
  description: 'Nothing to connect to.',
  skills: [],
})
const skills = [
  { name: 'tower.ring_bell', plugin, skill: ringBell },
  { name: 'tower.look_up', plugin, skill: lookUp },
]

/** One plugin with a connection and one without. */
export const catalogue: Catalogue = {
  plugins: [plugin, quiet],
  origin: (name) => (name === plugin.name ? { kind: 'typescript', source: 'plugins/tower' } : undefined),
  skills,
  usable: skills,
  skill: (named) => skills.find(({ name }) => name === named),
  connection: (name) => (name === plugin.name ? plugin.connection : undefined),
  implementing: () => [],
}
