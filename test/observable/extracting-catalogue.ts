import type { Catalogue } from '../../core/registry/catalogue.ts'
import { extract } from '../../plugins/indicators/skills/extract.ts'

const lookUp = { effect: 'read', enriches: ['ip'], input: { type: 'object' }, output: { type: 'object' } }

/** A catalogue with the skill that extracts observables, and one that looks them up. */
export const extracting = {
  skills: [{ name: 'indicators.extract' }, { name: 'intel.look' }],
  skill: (name: string) =>
    name === 'indicators.extract'
      ? { skill: extract }
      : name === 'intel.look'
        ? { skill: lookUp }
        : undefined,
} as unknown as Catalogue
