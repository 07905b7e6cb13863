import { shapes, type MapDeclaration } from '../../playbook/language/key-table.ts'

/** The keys of calls of other skills of the plugin; see `skill-keys.ts`. */

const { map } = shapes

export const pluginNamePattern = '^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$'
export const pluginNameRule = 'use lower-case letters, digits and single underscores, starting with a letter'
export const skillName = { type: 'string', maxLength: 100, pattern: pluginNamePattern } as const
const name = skillName

export const relatedMaps = {
  related: {
    what: 'a related skill',
    description: 'A call of another skill of the plugin.',
    keys: {
      skill: { meaning: 'the name of the skill', schema: name },
      input: {
        meaning: 'its input; reads `input` and `output` of this skill',
        default: 'none',
        schema: map,
      },
    },
    required: ['skill'],
  },
  state: {
    what: 'how the state of an action is read',
    description: 'A call of a reading skill of the plugin that tells whether an action is still in effect.',
    keys: {
      skill: { meaning: 'the name of the skill', schema: name },
      input: {
        meaning: 'its input; reads `input` and `output` of this skill',
        default: 'none',
        schema: map,
      },
      contained: {
        meaning:
          'a condition: the action is in effect; reads `state`, the output of that skill, `input` and `output`',
        schema: { type: ['string', 'boolean'] },
      },
      released: {
        meaning: 'a condition: the action is no longer in effect; if both are false, the answer is unclear',
        schema: { type: ['string', 'boolean'] },
      },
    },
    required: ['skill', 'contained', 'released'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
