import { expect } from 'chai'
import { defineConnection, definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'

const connection = defineConnection({
  title: 'Doorbell',
  description: 'A service that rings.',
  settings: {
    type: 'object',
    required: ['key'],
    additionalProperties: false,
    properties: { key: { type: 'string', 'x-secret': true } },
  },
  baseUrl: () => 'https://example.com',
  authenticate: async () => {},
  inbound: { events: () => ({}), 'more-events': () => ({}) },
  manifest: ({ name, inboundUrl }) => ({ name, url: inboundUrl('events') }),
})

const ask = defineSkill({
  name: 'ask',
  title: 'Ask',
  description: 'Asks somebody.',
  effect: 'write',
  repeat: 'never',
  asks: true,
  connection,
  input: {
    type: 'object',
    required: ['checkpoint_id', 'answers'],
    properties: {
      checkpoint_id: { type: 'string' },
      answers: { type: 'array', items: { type: 'string' } },
      remind_after: { type: 'string' },
    },
  },
  output: { type: 'object', required: ['asked'], properties: { asked: { type: 'string' } } },
  examples: [{ title: 'One', input: { checkpoint_id: 'a', answers: ['yes'] }, output: { asked: 'ann' } }],
  run: async () => ({ asked: 'ann' }),
  async settle({ output, outcome }) {
    expect([output.asked, outcome.state]).to.deep.equal([])
  },
  async remind({ input }) {
    expect(input.remind_after).to.equal('1m')
  },
  async refuse(_question, { reason }) {
    expect(reason).to.equal('late')
  },
})

const plugin = (skill: object, changed: object = {}) => {
  const own = { ...connection, ...changed }
  const texts = { title: 'Doorbell', description: 'Rings.' }
  return definePlugin({
    name: 'doorbell',
    ...texts,
    connection: own as never,
    skills: [{ ...ask, connection: own, ...skill } as never],
  })
}

const problems = (skill: object, changed?: object): readonly string[] =>
  checkPlugin(plugin(skill, changed), 'doorbell').map(({ pointer, message }) => `${pointer} ${message}`)

describe('checkPlugin for asking skills', () => {
  it('accepts a skill that names the asked person, settles, reminds and refuses', () => {
    expect(problems({})).to.deep.equal([])
  })

  for (const [what, skill, problem] of [
    ['reads', { effect: 'read', repeat: undefined }, "/skills/ask/effect must be 'write' because it asks"],
    [
      'takes no id of the checkpoint',
      { input: { type: 'object', properties: { answers: ask.input.properties.answers } }, remind: undefined },
      '/skills/ask/input/properties/checkpoint_id is required because the skill asks',
    ],
    [
      'takes a form, and answers beside it',
      { input: { ...ask.input, properties: { ...ask.input.properties, form: { type: 'object' } } } },
      '/skills/ask/input/required must not require answers, which are absent if there is a form',
    ],
    [
      'does not promise to say who is asked',
      { output: { ...ask.output, required: [] } },
      '/skills/ask/output must require `asked`, a string: the only person who may answer',
    ],
    [
      'says who is asked as something other than a text',
      { output: { ...ask.output, properties: { asked: { type: 'integer' } } } },
      '/skills/ask/output must require `asked`, a string: the only person who may answer',
    ],
    [
      'settles with something that cannot be called',
      { settle: true },
      '/skills/ask/settle must be a function',
    ],
    ['refuses without having asked', { asks: undefined }, '/skills/ask/refuse is only for skills that ask'],
  ] as const) {
    it(`refuses a skill that ${what}`, () => {
      expect(problems(skill)).to.include(problem)
    })
  }

  it('refuses a skill that reminds without an input for the time', () => {
    const { remind_after: _, ...others } = ask.input.properties
    expect(problems({ input: { ...ask.input, properties: others } })).to.deep.equal([
      '/skills/ask/input/properties/remind_after is required because the skill reminds',
    ])
  })
})

describe('checkPlugin for connections with webhooks', () => {
  for (const [what, changed, problem] of [
    [
      'a route in another case',
      { inbound: { Events: () => ({}) } },
      "/connection/inbound 'Events' must be lower-case letters, digits and single hyphens",
    ],
    [
      'a route with a slash',
      { inbound: { 'a/b': () => ({}) } },
      "/connection/inbound 'a/b' must be lower-case letters, digits and single hyphens",
    ],
    [
      'a route that is no function',
      { inbound: { events: 1 } },
      '/connection/inbound/events must be a function',
    ],
    [
      'routes that are no object',
      { inbound: 'events' },
      '/connection/inbound must be an object of functions, by the last word of their address',
    ],
    ['a manifest that is no function', { manifest: {} }, '/connection/manifest must be a function'],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(problems({}, changed)).to.deep.equal([problem])
    })
  }
})
