/** Declarations of skills and connections that the compiler must accept or reject; see schema-types.ts. */
import { defineConnection, defineSkill } from '../../core/plugin/index.ts'

const texts = { title: 'Title', description: 'Description' }

const connection = defineConnection({
  ...texts,
  settings: {
    type: 'object',
    required: ['base_url', 'key'],
    properties: {
      base_url: { type: 'string' },
      key: { type: 'string', 'x-secret': true },
      region: { enum: ['eu', 'us'] },
    },
  },
  baseUrl: ({ base_url: base, region }) => `${base}/${region ?? 'eu'}`,
  headers: ({ key }) => ({ authorization: `Bearer ${key.reveal()}` }),
  async authenticate({ settings, http }) {
    await http.get(`/me/${settings.region ?? 'eu'}`)
    // @ts-expect-error -- not a setting
    void settings.reigon
  },
})

defineConnection({
  ...texts,
  settings: { type: 'object', required: ['key'], properties: { key: { type: 'string', 'x-secret': true } } },
  // @ts-expect-error -- a secret has to be revealed
  baseUrl: ({ key }) => key,
  authenticate: async () => {},
})

const shape = {
  input: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: ['ip', 'domain'] }, limit: { type: 'integer' } },
  },
  output: { type: 'object', required: ['level'], properties: { level: { enum: ['low', 'high'] } } },
} as const

export const good = defineSkill({
  ...texts,
  ...shape,
  name: 'good',
  effect: 'read',
  connection,
  examples: [{ title: 'x', input: { kind: 'ip' }, output: { level: 'low' } }],
  // Enums stay narrow without a cast.
  async run({ kind, limit }, { settings }) {
    const text: string = settings.key.reveal() + kind + (limit ?? 0).toFixed()
    return { level: text === '' ? 'low' : 'high' }
  },
})

defineSkill({
  ...texts,
  ...shape,
  name: 'wrong_output',
  effect: 'read',
  examples: [],
  // @ts-expect-error -- not among the levels
  run: async () => ({ level: 'medium' }),
})

defineSkill({
  ...texts,
  ...shape,
  name: 'wrong_input',
  effect: 'read',
  examples: [],
  async run(input) {
    // @ts-expect-error -- the schema has no such field
    void input.value
    // @ts-expect-error -- not among the kinds
    if (input.kind === 'url') return { level: 'low' }
    return { level: 'high' }
  },
})

defineSkill({
  ...texts,
  ...shape,
  name: 'wrong_example',
  effect: 'read',
  // @ts-expect-error -- an example that does not fit
  examples: [{ title: 'x', input: { kind: 'url' }, output: { level: 'low' } }],
  run: async () => ({ level: 'low' }),
})

// @ts-expect-error -- a write says what may be done after a crash
defineSkill({
  ...texts,
  ...shape,
  name: 'write',
  effect: 'write',
  examples: [],
  run: async () => ({ level: 'low' }),
})

// @ts-expect-error -- repeat 'verify' needs verify
defineSkill({
  ...texts,
  ...shape,
  name: 'verified',
  effect: 'write',
  repeat: 'verify',
  examples: [],
  run: async () => ({ level: 'low' }),
})

defineSkill({
  ...texts,
  ...shape,
  name: 'enriching',
  effect: 'read',
  // @ts-expect-error -- not an observable
  enriches: ['car'],
  examples: [],
  run: async () => ({ level: 'low' }),
})

// The compiler cannot detect a misspelt keyword, because the schema's type is inferred: the catalogue refuses
// it when the plugin loads.
