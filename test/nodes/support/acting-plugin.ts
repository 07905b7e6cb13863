/**
 * Source of a plugin whose skills act once in the sandbox of test/crash: `POST /<skill>/<id>`. `never` must not be repeated, `verify`
 * asks before it repeats.
 */
const acting = (longestMs: number): string => `
const connection = {
  title: 'Acting',
  description: 'The other system of the tests.',
  settings: {
    type: 'object',
    required: ['base_url'],
    additionalProperties: false,
    properties: { base_url: { type: 'string' } },
  },
  baseUrl: ({ base_url }) => base_url,
  authenticate: async () => {},
}
const skill = (name, more) => ({
  name,
  title: name,
  description: 'Acts once.',
  effect: 'write',
  repeat: name,
  connection,
  input: { type: 'object', required: ['id'], additionalProperties: false, properties: { id: { type: 'string' } } },
  output: { type: 'object' },
  examples: [{ title: 'Act', input: { id: 'a' }, output: {} }],
  async run({ id }, { http, idempotencyKey }) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * ${longestMs}))
    await http.post('/' + name + '/' + id, { headers: { 'idempotency-key': idempotencyKey } })
    return {}
  },
  ...more,
})
export default {
  name: 'acting',
  title: 'Acting',
  description: 'Acts once.',
  connection,
  skills: [
    skill('never', {}),
    skill('verify', {
      async verify({ id }, { http, idempotencyKey }) {
        const answer = await http.get('/verify/' + id, { headers: { 'idempotency-key': idempotencyKey } })
        return answer.json().times === 0 ? undefined : {}
      },
    }),
  ],
}
`

export const actingPlugin = acting(200)

/** So that faults happen between intents and calls. */
export const slowlyActingPlugin = acting(800)

export const actingPlaybook = `apiVersion: tocsin/v1
name: act
description: Acts twice, and waits in between.
on: { alert: { type: act } }
steps:
  - { id: never, uses: acting.never, connection: acting, with: { id: '\${{ alert.id }}' } }
  - { id: wait, wait: 100ms }
  - { id: verify, uses: acting.verify, connection: acting, with: { id: '\${{ alert.id }}' } }
`
