import { expect } from 'chai'
import {
  defineConnection,
  definePlugin,
  defineSkill,
  type PluginDefinition,
} from '../../core/plugin/index.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'

const connection = defineConnection({
  title: 'Quotes',
  description: 'A service of quotes.',
  settings: {
    type: 'object',
    required: ['base_url', 'key'],
    additionalProperties: false,
    properties: { base_url: { type: 'string' }, key: { type: 'string', 'x-secret': true } },
  },
  baseUrl: (settings) => settings.base_url,
  authenticate: async () => {},
})

const lookUp = defineSkill({
  name: 'look_up',
  title: 'Look up',
  description: 'What is known of an indicator.',
  effect: 'read',
  enriches: ['ip'],
  connection,
  input: {
    type: 'object',
    required: ['kind', 'value'],
    properties: { kind: { enum: ['ip'] }, value: { type: 'string' } },
  },
  output: {
    type: 'object',
    required: ['risk'],
    properties: {
      risk: { type: 'object', required: ['score'], properties: { score: { type: ['number', 'null'] } } },
    },
  },
  examples: [{ title: 'One', input: { kind: 'ip', value: '192.0.2.1' }, output: { risk: { score: 1 } } }],
  run: async () => ({ risk: { score: 1 } }),
})

const good = definePlugin({
  name: 'quote_box',
  title: 'Quotes',
  description: 'Quotes.',
  connection,
  skills: [lookUp],
})

function problems(plugin: unknown, folder: string | undefined = 'quote-box'): readonly string[] {
  return checkPlugin(plugin, folder).map(({ pointer, message }) => `${pointer} ${message}`)
}

function withSkill(changes: object): PluginDefinition {
  return { ...good, skills: [{ ...lookUp, ...changes } as never] }
}

describe('checkPlugin', () => {
  it('accepts a valid plugin', () => {
    expect(problems(good)).to.deep.equal([])
    expect(problems(good, undefined)).to.deep.equal([])
  })

  it('requires the name of the folder, with underscores for hyphens', () => {
    expect(problems(good, 'quotes')).to.deep.equal([
      "/name 'quote_box' must match its folder 'quotes': call it 'quotes'",
    ])
  })

  for (const [what, plugin, problem] of [
    ['no plugin at all', undefined, ' must export a plugin as default: export default definePlugin({…})'],
    ['a name in another case', { ...good, name: 'QuoteBox' }, /^\/name must be snake_case/],
    ['no description', { ...good, description: ' ' }, '/description must be a non-empty string'],
    ['no skills', { ...good, skills: [] }, '/skills must be a list of at least one skill'],
    [
      'a skill twice',
      { ...good, skills: [lookUp, lookUp] },
      "/skills/look_up/name 'look_up' is declared twice",
    ],
    [
      'a skill named in another case',
      withSkill({ name: 'lookUp' }),
      '/skills/0/name must be snake_case: verb_noun',
    ],
    ['a skill without run', withSkill({ run: undefined }), '/skills/look_up/run must be a function'],
    [
      'an unknown effect',
      withSkill({ effect: 'delete' }),
      "/skills/look_up/effect must be 'read' or 'write'",
    ],
    [
      'a write that does not say repeat',
      withSkill({ effect: 'write' }),
      "/skills/look_up/repeat of a write must be 'safe', 'verify' or 'never'",
    ],
    [
      'a read that says repeat',
      withSkill({ repeat: 'safe' }),
      '/skills/look_up/repeat is only for writes; a read may always be repeated',
    ],
    [
      'verify without verify',
      withSkill({ effect: 'write', repeat: 'verify' }),
      "/skills/look_up/verify must be a function where repeat is 'verify'",
    ],
    [
      'a foreign connection',
      withSkill({ connection: { ...connection } }),
      "/skills/look_up/connection must be the plugin's connection",
    ],
    [
      'docs over http',
      withSkill({ docs: 'http://example.com/' }),
      '/skills/look_up/docs must be an https address',
    ],
    [
      'permissions that are no list',
      withSkill({ permissions: 'Machine.Isolate' }),
      '/skills/look_up/permissions must be a list of texts',
    ],
    [
      'steps that are no list',
      {
        ...good,
        skills: [{ ...lookUp, connection: undefined }],
        connection: { ...connection, setup: 'Ask.' },
      },
      '/connection/setup must be a list of strings, one per step',
    ],
    [
      'no examples',
      withSkill({ examples: [] }),
      '/skills/look_up/examples must be a list of at least one example',
    ],
    [
      'an example that does not fit',
      withSkill({
        examples: [{ title: 'x', input: { kind: 'host', value: '' }, output: { risk: { score: 1 } } }],
      }),
      '/skills/look_up/examples/0/input/kind must be one of ip',
    ],
    [
      'a schema with unknown keywords',
      withSkill({ input: { ...lookUp.input, patternProperties: {} } }),
      "/skills/look_up/input/patternProperties unknown keyword 'patternProperties'",
    ],
    [
      'a secret as input',
      withSkill({
        input: {
          ...lookUp.input,
          properties: { ...lookUp.input.properties, key: { type: 'string', 'x-secret': true } },
        },
      }),
      '/skills/look_up/input must not contain x-secret; secrets are connection settings',
    ],
    [
      'an observable nobody knows',
      withSkill({ enriches: ['ip', 'car'] }),
      /^\/skills\/look_up\/enriches 'car' is not among ip, domain/,
    ],
    [
      'a kind it says to enrich but does not accept',
      withSkill({ enriches: ['ip', 'url'] }),
      '/skills/look_up/input/properties/kind must accept url, which the skill enriches',
    ],
    [
      'an enriching skill that needs more than kind and value',
      withSkill({
        input: {
          ...lookUp.input,
          required: ['kind', 'value', 'limit'],
          properties: { ...lookUp.input.properties, limit: { type: 'integer' } },
        },
      }),
      '/skills/look_up/input/required an enriching skill needs kind and value only, not limit',
    ],
    [
      'an enriching skill without a score',
      withSkill({ output: { ...lookUp.output, required: [] } }),
      '/skills/look_up/output must require risk.score (0 to 100, or null) because the skill enriches',
    ],
    [
      'open settings',
      {
        ...good,
        connection: undefined,
        skills: [{ ...lookUp, connection: undefined }],
        ...settings({ additionalProperties: true }),
      },
      '/connection/settings/additionalProperties must be false, so that a misspelled setting is refused',
    ],
    [
      'a secret that is no text',
      {
        ...good,
        skills: [{ ...lookUp, connection: undefined }],
        ...settings({ properties: { key: { type: 'integer', 'x-secret': true } }, required: [] }),
      },
      "/connection/settings/properties/key/type must be 'string' because it is a secret",
    ],
    [
      'a secret further down',
      {
        ...good,
        skills: [{ ...lookUp, connection: undefined }],
        ...settings({
          properties: {
            login: { type: 'object', properties: { key: { type: 'string', 'x-secret': true } } },
          },
          required: [],
        }),
      },
      '/connection/settings/properties/login x-secret works on top-level settings only',
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      const found = problems(plugin)
      if (typeof problem === 'string') expect(found).to.include(problem)
      else expect(found.join('\n')).to.match(problem)
    })
  }

  it('lists all problems at once', () => {
    expect(
      problems({ ...withSkill({ title: '', effect: 'x', run: 1 }), name: 'X', title: 3 }),
    ).to.have.length(5)
  })

  it('suggests a misspelled key for a missing text', () => {
    const { description, ...rest } = lookUp
    const plugin = {
      name: 'x',
      titel: 'X',
      description: 'X.',
      connection,
      skills: [{ ...rest, descripton: description }],
    }
    const problems = checkPlugin(plugin, undefined)
    const messages = problems.map(({ pointer, message }) => `${pointer} ${message}`)
    expect(messages).to.include("/title must be a non-empty string; did you mean 'title' instead of 'titel'?")
    expect(messages.join()).to.match(/description must be a non-empty string; .*'descripton'/)
  })

  it('reports a destructive skill without a class', () => {
    const write = { effect: 'write', repeat: 'safe', enriches: undefined } as const
    const classes = "must name what the skill does: 'containment', 'blocking', 'deletion', 'execution'"
    for (const destructive of [true, false, 'isolation', null])
      expect(problems(withSkill({ ...write, destructive }))).to.include(
        `/skills/look_up/destructive ${classes}`,
      )
    for (const destructive of ['containment', 'blocking', 'deletion', 'execution', undefined])
      expect(problems(withSkill({ ...write, destructive }))).to.deep.equal([])
    expect(problems(withSkill({ destructive: 'blocking' }))).to.include(
      '/skills/look_up/destructive is only for writes',
    )
    const changedNothing = () => false
    expect(problems(withSkill({ ...write, changedNothing }))).to.include(
      '/skills/look_up/changedNothing is only for destructive skills',
    )
    expect(problems(withSkill({ ...write, destructive: 'deletion', changedNothing: true }))).to.include(
      '/skills/look_up/changedNothing must be a function of the output',
    )
    expect(problems(withSkill({ ...write, destructive: 'deletion', changedNothing }))).to.deep.equal([])
    expect(problems(withSkill({ ...write, destructive: 'deletion', followWith: 'look_up' }))).to.include(
      '/skills/look_up/followWith must name a skill of the plugin that reads',
    )
  })

  it('reports an undoing skill that does not exist, or without its input', () => {
    const write = { effect: 'write', repeat: 'safe', enriches: undefined } as const
    const undoing = (undoneBy: unknown, more: object = write) => problems(withSkill({ ...more, undoneBy }))
    const input = () => ({})
    expect(undoing({ skill: 'look_up', input })).to.deep.equal([])
    expect(undoing({ skill: 'undo', input })).to.deep.equal([
      '/skills/look_up/undoneBy must name a skill of the plugin that writes',
    ])
    expect(undoing('look_up')).to.deep.equal([
      '/skills/look_up/undoneBy must be { skill, input }, with a function of the input and the output',
    ])
    expect(undoing({ skill: 'look_up', input }, {})).to.deep.equal([
      '/skills/look_up/undoneBy is only for writes',
    ])
  })

  it('reports what a skill wrongly says about undoing it', () => {
    const write = {
      effect: 'write',
      repeat: 'safe',
      enriches: undefined,
      destructive: 'containment',
    } as const
    const reversal = (more: object) => problems(withSkill({ ...write, ...more }))
    expect(reversal({ irreversible: 'sessions cannot be restored' })).to.deep.equal([])
    expect(reversal({ restores: true })).to.deep.equal([])
    expect(reversal({ irreversible: ' ' })).to.deep.equal([
      '/skills/look_up/irreversible must be a text that says why nothing undoes it',
    ])
    const undoneBy = { skill: 'look_up', input: () => ({}) }
    expect(reversal({ irreversible: 'no', undoneBy })).to.deep.equal([
      '/skills/look_up/irreversible contradicts undoneBy: leave one of them out',
    ])
    expect(reversal({ restores: false })).to.deep.equal(['/skills/look_up/restores must be true, or absent'])
    const state = { skill: 'get_it', input: () => ({}), contained: () => true, released: () => false }
    const reading = { ...lookUp, name: 'get_it', enriches: undefined }
    const stated = (more: object) =>
      problems({ ...good, skills: [{ ...lookUp, ...write, undoneBy, ...more }, reading] })
    expect(stated({ stateBy: state })).to.deep.equal([])
    expect(stated({ stateUnreadable: 'the vendor does not tell' })).to.deep.equal([])
    expect(stated({ stateBy: state, stateUnreadable: 'no' })).to.deep.equal([
      '/skills/look_up/stateUnreadable contradicts stateBy: leave one of them out',
    ])
    expect(stated({ stateUnreadable: '' })).to.deep.equal([
      '/skills/look_up/stateUnreadable must be a text that says why its state cannot be read',
    ])
    expect(stated({ stateBy: { ...state, skill: 'look_up', released: undefined } })).to.deep.equal([
      '/skills/look_up/stateBy must name a skill of the plugin that reads',
      '/skills/look_up/stateBy must have the functions contained and released of the state, the input and the output',
    ])
    for (const key of ['stateBy', 'stateUnreadable'])
      expect(stated({ [key]: state, undoneBy: undefined })).to.deep.equal([
        `/skills/look_up/${key} is only for destructive skills with undoneBy`,
      ])
    expect(reversal({ destructive: undefined, restores: true, irreversible: 'no' })).to.deep.equal([
      '/skills/look_up/irreversible is only for destructive skills',
      '/skills/look_up/restores is only for destructive skills',
    ])
  })
})

function settings(changes: object): object {
  return { connection: { ...connection, settings: { ...connection.settings, ...changes } } }
}
