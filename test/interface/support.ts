import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import {
  defineConnection,
  definePlugin,
  defineSkill,
  type PluginDefinition,
} from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'

const connection = defineConnection({
  title: 'A system',
  description: 'A system.',
  settings: { type: 'object', additionalProperties: false, properties: {} },
  baseUrl: () => 'https://example.com',
  authenticate: async () => ({}),
})
const base = { title: 'X', description: 'X.', connection, docs: 'https://example.com/x' } as const

/** An endpoint system with its own vocabulary: devices have an `aid`. */
const north = definePlugin({
  name: 'north',
  title: 'North',
  description: 'Endpoints.',
  connection,
  skills: [
    defineSkill({
      ...base,
      name: 'list_devices',
      effect: 'read',
      input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      output: {
        type: 'object',
        required: ['devices'],
        properties: {
          devices: {
            type: 'array',
            items: {
              type: 'object',
              required: ['aid', 'pin'],
              properties: { aid: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
            },
          },
        },
      },
      implements: {
        find_machine: {
          only: { kind: ['host'] },
          input: ({ value }) => ({ name: value }),
          output: ({ devices }, { value }) => ({
            // The mapping does not receive the pin.
            machines: devices.map((device) => ({ id: device.aid, name: value, os: device.pin })),
          }),
        },
      },
      examples: [{ title: 'One', input: { name: 'a' }, output: { devices: [{ aid: 'n-1', pin: '1234' }] } }],
      run: async () => ({ devices: [] }),
    }),
    defineSkill({
      ...base,
      name: 'contain',
      effect: 'write',
      repeat: 'safe',
      destructive: 'containment',
      changedNothing: ({ state }) => state === 'was contained',
      input: {
        type: 'object',
        required: ['aid'],
        additionalProperties: false,
        properties: { aid: { type: 'string', pattern: '^n-' } },
      },
      output: { type: 'object', required: ['state'], properties: { state: { type: 'string' } } },
      implements: {
        isolate_machine: {
          input: ({ machine }) => ({ aid: machine.id }),
          output: ({ state }) => ({ status: state.includes('contained') ? 'done' : 'pending' }),
        },
      },
      examples: [{ title: 'One', input: { aid: 'n-1' }, output: { state: 'contained' } }],
      run: async () => ({ state: 'contained' }),
    }),
  ],
})

/** Another system, with tickets and questions. */
const south = definePlugin({
  name: 'south',
  title: 'South',
  description: 'Endpoints and tickets.',
  connection,
  skills: [
    defineSkill({
      ...base,
      name: 'search',
      effect: 'read',
      input: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } },
      output: {
        type: 'object',
        required: ['hits'],
        properties: { hits: { type: 'array', items: { type: 'string' } } },
      },
      implements: {
        find_machine: {
          input: ({ kind, value }) => ({ q: `${kind}:${value}` }),
          output: ({ hits }) => ({ machines: hits.map((id) => ({ id, isolated: false })) }),
        },
      },
      examples: [{ title: 'One', input: { q: 'host:a' }, output: { hits: ['s-1'] } }],
      run: async () => ({ hits: [] }),
    }),
    defineSkill({
      ...base,
      name: 'quarantine',
      effect: 'write',
      repeat: 'never',
      destructive: 'containment',
      input: {
        type: 'object',
        required: ['endpoint', 'why'],
        additionalProperties: false,
        properties: { endpoint: { type: 'string' }, why: { type: 'string' } },
      },
      output: { type: 'object', required: ['task'], properties: { task: { type: 'integer' } } },
      implements: {
        isolate_machine: {
          input: ({ machine, comment }) => ({ endpoint: machine.id, why: comment }),
          output: ({ task }) => ({ status: 'pending', reference: String(task) }),
        },
      },
      examples: [{ title: 'One', input: { endpoint: 's-1', why: 'x' }, output: { task: 1 } }],
      run: async () => ({ task: 1 }),
    }),
    defineSkill({
      ...base,
      name: 'open_incident',
      effect: 'write',
      repeat: 'never',
      input: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      output: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } },
      implements: {
        create_ticket: {
          input: ({ title }) => ({ text: title }),
          output: ({ number }) => ({ ticket: { id: String(number) } }),
        },
      },
      examples: [{ title: 'One', input: { text: 'x' }, output: { number: 7 } }],
      run: async () => ({ number: 7 }),
    }),
    defineSkill({
      ...base,
      name: 'ask',
      effect: 'write',
      repeat: 'safe',
      asks: true,
      input: {
        type: 'object',
        required: ['to', 'text', 'checkpoint_id', 'answers'],
        additionalProperties: false,
        properties: {
          to: { type: 'string' },
          text: { type: 'string', 'x-message': true },
          checkpoint_id: { type: 'string' },
          answers: { type: 'array', items: { type: 'string' } },
        },
      },
      output: { type: 'object', required: ['asked'], properties: { asked: { type: 'string' } } },
      implements: { ask: { input: ({ user, message }) => ({ to: user, text: message }) } },
      examples: [
        {
          title: 'One',
          input: { to: 'kim', text: 'You?', checkpoint_id: 'c', answers: ['yes'] },
          output: { asked: 'kim' },
        },
      ],
      run: async () => ({ asked: 'kim' }),
    }),
  ],
})

export const vendors = buildCatalogue([north, south])
export const catalogueOf = (...plugins: readonly PluginDefinition[]) => buildCatalogue(plugins)

export const playbookOf = (steps: string): string => `apiVersion: tocsin/v1
name: contain
description: Contains a machine with any vendor.
on: { manual: true }
steps:
${steps}
`

/** A valid playbook. */
export function readSteps(steps: string): Playbook {
  const source = playbookOf(steps)
  const { playbook, problems } = parsePlaybook(source, { catalogue: vendors })
  if (playbook !== undefined) return playbook
  throw new Error(problems.map((problem) => formatProblem(problem, source)).join('\n'))
}
