import type { JsonSchema } from '../../plugin/index.ts'
import { stateKinds, stateLimits } from '../../state/state.ts'
import { inputTypes } from './constants.ts'
import { durationPattern } from './durations.ts'
import { languageKeys } from './grammar.ts'
import { definitionsOf, schemaOfKeys } from './key-table.ts'

const { playbook, ...inner } = languageKeys

/** Definitions of values that are no maps with known keys. */
const values: Readonly<Record<string, JsonSchema>> = {
  inputs: { type: 'object', additionalProperties: { $ref: '#/$defs/input' } },
  input: {
    type: 'object',
    description: 'One input; any JSON Schema.',
    properties: {
      type: {
        anyOf: [{ enum: inputTypes }, { type: 'array' }],
        description: 'A type of JSON Schema, duration or timestamp.',
      },
      default: { description: 'The value if none is given. Without a default the input is required.' },
      enum: { type: 'array', minItems: 1, description: 'The possible values.' },
      sensitive: { type: 'boolean', description: 'Kept out of messages, logs and API responses.' },
      description: { type: 'string', description: 'A description for people.' },
    },
  },
  states: { type: 'object', additionalProperties: { $ref: '#/$defs/state_declaration' } },
  state_declaration: {
    type: 'object',
    description: 'What the playbook keeps between runs; for a value or a map any JSON Schema.',
    properties: {
      kind: {
        enum: stateKinds,
        default: 'value',
        description:
          'A value; a counter; a set of keys; a map from keys to values; or counters, one for each key.',
      },
      type: {
        anyOf: [{ enum: inputTypes }, { type: 'array' }],
        description: 'The type of the value, or of the values of a map.',
      },
      default: { description: 'The initial value. Without a default, the state is absent.' },
      expires: {
        $ref: '#/$defs/duration',
        description: 'How long a value or entry is kept after it was set or added. Default: forever.',
      },
      max: {
        type: 'integer',
        minimum: stateLimits.entries[0],
        maximum: stateLimits.entries[1],
        default: stateLimits.defaultEntries,
        description: 'The number of entries.',
      },
      when_full: {
        enum: ['drop_oldest', 'fail'],
        default: 'drop_oldest',
        description: 'How a new entry is handled beyond max.',
      },
      on_mismatch: {
        enum: ['fail', 'reset'],
        default: 'fail',
        description: 'For stored data that does not fit the declaration, after it was changed.',
      },
      sensitive: { type: 'boolean', description: 'Kept out of messages, logs and API responses.' },
      description: { type: 'string', description: 'A description for people.' },
    },
  },
  duration: {
    type: 'string',
    pattern: durationPattern,
    minLength: 2,
    description: 'Such as 500ms, 30s, 5m, 2h, 1d, 1h30m.',
  },
  steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
  value: { description: 'Any value; texts may contain expressions: ${{ … }}.' },
}

/** The content of `schemas/playbook.schema.json`. */
export const playbookSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'playbook.schema.json',
  title: 'Playbook',
  ...schemaOfKeys(playbook),
  $defs: { ...definitionsOf(inner), ...values },
}
