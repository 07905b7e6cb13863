import { definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const machine = {
  type: 'object',
  required: ['machine'],
  additionalProperties: false,
  properties: { machine: { type: 'string' }, comment: { type: 'string' } },
} as const
const done = { type: 'object', additionalProperties: true, properties: {} } as const
const write = {
  title: 'T',
  description: 'For tests.',
  effect: 'write',
  destructive: 'containment',
  repeat: 'safe',
  output: done,
  examples: [],
  run: async () => ({}),
} as const

const isolate = defineSkill({
  ...write,
  name: 'isolate',
  input: machine,
  undoneBy: { skill: 'release', input: ({ machine: name }) => ({ machine: name }) },
})
const release = defineSkill({ ...write, name: 'release', input: machine, restores: true })
const wipe = defineSkill({
  ...write,
  name: 'wipe',
  input: machine,
  irreversible: 'deleted data cannot be restored',
})
const scan = defineSkill({ ...write, name: 'scan', destructive: 'execution', input: machine })
const look = defineSkill({
  name: 'look',
  title: 'T',
  description: 'For tests.',
  effect: 'read',
  input: machine,
  output: done,
  examples: [],
  run: async () => ({}),
})

/** A plugin without connection, whose `isolate` contains and whose `release` undoes it. */
export const edr = definePlugin({
  name: 'edr',
  title: 'EDR',
  description: 'For tests.',
  skills: [isolate, release, wipe, scan, look],
})

export const edrCatalogue = buildCatalogue([edr])
