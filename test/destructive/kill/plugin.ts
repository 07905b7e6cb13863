import { definePlugin, defineSkill } from '../../../core/plugin/index.ts'
import { buildCatalogue } from '../../../core/registry/catalogue.ts'

/** How an interrupted undo is handled: each class has a skill of its own. */
export const undoClasses = ['safe', 'verify', 'never'] as const

const schema = {
  type: 'object',
  required: ['target'],
  additionalProperties: false,
  properties: { target: { type: 'string' } },
} as const

/** The child process calls the vendor itself. */
const notHere = (): never => {
  throw new Error('the skills of this plugin are not called')
}
const undoSkill = {
  title: 'Undo',
  description: 'Undoes a containment.',
  effect: 'write',
  destructive: 'containment',
  restores: true,
  input: schema,
  output: schema,
  examples: [],
  run: async () => notHere(),
} as const

/** A plugin with the skills `undo_safe`, `undo_verify` and `undo_never`. */
export const undoCatalogue = buildCatalogue([
  definePlugin({
    name: 'vendor',
    title: 'Vendor',
    description: 'For tests.',
    skills: [
      defineSkill({ ...undoSkill, name: 'undo_safe', repeat: 'safe' }),
      defineSkill({ ...undoSkill, name: 'undo_never', repeat: 'never' }),
      defineSkill({ ...undoSkill, name: 'undo_verify', repeat: 'verify', verify: async () => notHere() }),
    ],
  }),
])
