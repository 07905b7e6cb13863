/** The skills of `playbook.ts` as a plugin, for skill threads: each POST to the sandbox is an effect. */
import { defineConnection, definePlugin, defineSkill, type HttpResponse } from '../../core/plugin/index.ts'
import { policies } from './playbook.ts'

const connection = defineConnection({
  title: 'Sandbox',
  description: 'The other system of the tests.',
  settings: {
    type: 'object',
    required: ['base_url'],
    additionalProperties: false,
    properties: { base_url: { type: 'string' } },
  },
  baseUrl: ({ base_url }) => base_url,
  authenticate: async () => {},
})

const timesIn = (answer: HttpResponse): number => (answer.json() as { readonly times: number }).times
const done = { done: true }

/** All skills can verify: the test decides how an interrupted call is handled. */
const skills = Object.keys(policies).map((name) =>
  defineSkill({
    name,
    title: name,
    description: 'Has an effect.',
    effect: 'write',
    repeat: 'verify',
    connection,
    input: { type: 'object', properties: {} },
    output: { type: 'object', properties: { done: { type: 'boolean' } } },
    examples: [{ title: 'One', input: {}, output: done }],
    async run(_input, { http, idempotencyKey }) {
      await http.post(`/${name}`, { headers: { 'idempotency-key': idempotencyKey } })
      return done
    },
    async verify(_input, { http, idempotencyKey }) {
      const answer = await http.get(`/${name}`, { headers: { 'idempotency-key': idempotencyKey } })
      return timesIn(answer) === 0 ? undefined : done
    },
  }),
)

export default definePlugin({
  name: 'effects',
  title: 'Effects',
  description: 'Effects in the sandbox.',
  connection,
  skills,
})
