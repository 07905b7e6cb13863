import { ratePattern } from '../../common/rates.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { defaultGroupWindowMs } from '../../domain/alert-group.ts'
import { correlationBounds, defaultCorrelation } from '../../correlation/correlation.ts'
import { codePattern } from '../../domain/ids.ts'
import {
  apiVersion,
  correlationNamePattern,
  defaultRunTimeoutMs,
  namePattern,
  shadowMode,
} from './constants.ts'
import { keyTables, phrases, shapes, type KeyDeclaration, type MapDeclaration } from './key-table.ts'
import { isAction, stepKeys } from './step-keys.ts'
import { triggerKeys } from './trigger-keys.ts'

const { reference, text, texts, map, condition, integer, oneOrMore } = shapes
const { duration, range } = phrases

/**
 * Every key of the playbook language, by the map that holds it, and in `step-keys.ts` for steps. The parser,
 * the JSON Schema, the reference in docs/playbooks.md and the editor (completion, hover) all read this table.
 */
export const languageKeys = {
  playbook: {
    what: 'a playbook',
    description:
      'A Tocsin playbook, for editors: keys, shapes and choices. `tocsin validate` checks expressions, skills and everything else.',
    keys: {
      apiVersion: { meaning: `\`${apiVersion}\``, schema: { const: apiVersion } },
      name: {
        meaning: 'words of lower-case letters and digits, joined by hyphens; unique in the folder',
        schema: { type: 'string', maxLength: 200, pattern: namePattern },
      },
      version: { meaning: 'a label without effect', schema: text },
      description: { meaning: 'a description for people', schema: text },
      organization: {
        meaning: 'code of the organization that the playbook belongs to',
        default: 'shared by all organizations',
        schema: { type: 'string', pattern: codePattern },
      },
      owner: { meaning: 'the person or team responsible', schema: text },
      tags: { meaning: 'a list of strings', schema: texts },
      mode: {
        meaning:
          '`shadow`: the playbook is judged on alerts that others investigate; it writes nothing and asks nobody',
        default: 'live',
        schema: { const: shadowMode },
      },
      beside: {
        meaning: 'the live playbook on whose alerts a shadow is judged',
        default: 'all alerts that match its own `on.alert`',
        schema: { type: 'string', pattern: namePattern },
        with: ['mode'],
      },
      on: { meaning: 'the triggers', schema: reference('on') },
      inputs: {
        meaning: 'inputs besides the alert: name → `{ type, default, enum, sensitive }` or a JSON Schema',
        schema: reference('inputs'),
      },
      state: {
        meaning:
          'what the playbook keeps between runs: name → `{ kind, type, default, expires, max }` or a JSON Schema',
        schema: reference('states'),
      },
      alert: {
        meaning: 'a JSON Schema of the alert content; `validate` checks `alert.data` against it',
        schema: map,
      },
      defaults: { meaning: 'defaults for all steps', schema: reference('defaults') },
      timeout: {
        meaning: 'timeout of the whole run',
        default: duration(defaultRunTimeoutMs),
        schema: reference('duration'),
      },
      concurrency: {
        meaning: 'at most one run per key at a time',
        default: 'no limit',
        schema: reference('concurrency'),
      },
      rate: {
        meaning: 'how often runs start, such as `30/min`, per organization',
        default: 'no limit',
        schema: { anyOf: [{ type: 'string', pattern: ratePattern }, reference('playbook_rate')] },
      },
      steps: { meaning: 'the steps, in order', schema: reference('steps') },
      on_error: {
        meaning: 'steps that run after an unhandled failure; they see `error`',
        schema: reference('steps'),
      },
      finally: { meaning: 'steps that run after every end', schema: reference('steps') },
      outputs: { meaning: 'the output of a completed run: a map of values', schema: map },
    },
    required: ['apiVersion', 'name', 'on', 'steps'],
  },
  on: {
    what: '`on`',
    description: 'What starts the playbook.',
    rules: { minProperties: 1 },
    keys: {
      alert: { meaning: 'starts for alerts', schema: reference('alert_trigger') },
      schedule: {
        meaning: 'starts at times: a cron expression in UTC, or a map',
        schema: { anyOf: [text, reference('schedule')] },
      },
      case: { meaning: 'starts when a case changes', schema: reference('case_trigger') },
      entity: {
        meaning: 'starts when alerts contain an observable repeatedly',
        schema: reference('entity_trigger'),
      },
      webhook: { meaning: 'starts for requests of another system', schema: reference('webhook_trigger') },
      question: {
        meaning: 'starts when a question is asked, or waits too long',
        schema: reference('question_trigger'),
      },
      run: { meaning: 'starts when runs fail or need a decision', schema: reference('run_trigger') },
      call: { meaning: '`true`: other playbooks may call it', schema: { const: true } },
      manual: { meaning: '`true`: people may run it manually', schema: { const: true } },
    },
  },
  alertTrigger: {
    what: 'an alert trigger',
    description: 'The alerts that start the playbook.',
    keys: {
      type: {
        meaning: 'only alerts of this type, or of one of a list of types',
        default: 'any',
        schema: oneOrMore(text),
      },
      provider: {
        meaning: 'only alerts of this provider, or of one of a list of providers',
        default: 'any',
        schema: oneOrMore({ type: 'string', pattern: codePattern }),
      },
      where: {
        meaning: 'only alerts for which this expression is true',
        default: 'all',
        schema: condition,
      },
      group: {
        meaning: 'how to recognize repeats; `false`: never',
        default: 'identical content',
        schema: { anyOf: [{ const: false }, reference('group')] },
      },
      correlate: {
        meaning: 'which alerts share a case, each with a run of its own: a rule or a list of rules',
        default: 'none',
        schema: {
          anyOf: [
            reference('correlation'),
            {
              type: 'array',
              minItems: 1,
              maxItems: correlationBounds.rules,
              items: reference('correlation'),
            },
          ],
        },
      },
    },
    rules: { minProperties: 1 },
  },
  correlation: {
    what: '`correlate`',
    description: 'A rule: alerts with the same values share a case.',
    keys: {
      by: {
        meaning:
          'name → expression over the alert; alerts of any playbook with the same names and values share a case',
        schema: {
          type: 'object',
          minProperties: 1,
          maxProperties: correlationBounds.names,
          propertyNames: { pattern: correlationNamePattern },
          additionalProperties: { type: 'string' },
        },
      },
      within: {
        meaning: 'time window after the last alert with these values',
        default: duration(defaultCorrelation.withinMs),
        schema: reference('duration'),
      },
      max: {
        meaning: `investigated alerts per case, ${range(correlationBounds.max)}; the next one opens another case`,
        default: `\`${defaultCorrelation.max}\``,
        schema: integer(correlationBounds.max),
      },
    },
    required: ['by'],
  },
  group: {
    what: '`group`',
    description: 'Which alerts are repeats of an earlier one.',
    keys: {
      by: {
        meaning: 'expressions over the alert; a repeat has the same value in each',
        schema: { type: 'array', minItems: 1, items: { type: 'string' } },
      },
      within: {
        meaning: 'time window after the first alert',
        default: duration(defaultGroupWindowMs),
        schema: reference('duration'),
      },
    },
    required: ['by'],
  },
  concurrency: {
    what: '`concurrency`',
    description: 'At most one run per key at a time.',
    keys: {
      key: {
        meaning: 'runs with the same value do not overlap; sees `alert`, `inputs`, `organization`',
        schema: text,
      },
      policy: {
        meaning: '`queue`: further runs wait; `drop`: they are cancelled',
        default: '`queue`',
        schema: { enum: ['queue', 'drop'], default: 'queue' },
      },
    },
    required: ['key'],
  },
  playbookRate: {
    what: '`rate` of a playbook',
    description: 'How often runs start, per organization.',
    keys: {
      limit: { meaning: 'such as `30/min`', schema: { type: 'string', pattern: ratePattern } },
      key: {
        meaning: 'runs with the same value are counted together; sees `alert`, `inputs`, `organization`',
        default: 'all runs are counted together',
        schema: text,
      },
      policy: {
        meaning: 'beyond the limit, `queue`: runs wait; `drop`: they are cancelled',
        default: '`queue`',
        schema: { enum: ['queue', 'drop'], default: 'queue' },
      },
    },
    required: ['limit'],
  },
  defaults: {
    what: '`defaults`',
    description: 'Defaults for all steps.',
    keys: {
      timeout: { meaning: 'default `timeout` of skill steps', schema: reference('duration') },
      retry: { meaning: 'default `retry` of skill steps', schema: reference('retry') },
      connections: {
        meaning: 'connection per plugin: plugin → name',
        schema: { type: 'object', additionalProperties: text },
      },
    },
  },
  ...triggerKeys,
  ...stepKeys,
} as const satisfies Readonly<Record<string, MapDeclaration>>

type MapName = keyof typeof languageKeys

const declarations = Object.entries<MapDeclaration>(languageKeys)

/** The keys for the parser. */
export const grammar = keyTables<MapName>(languageKeys)

/** The keys of a step that need an action or another key beside them, with these. */
export const belongsTo: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries<KeyDeclaration>(languageKeys.step.keys).flatMap(([key, { with: owners }]) =>
    owners === undefined ? [] : [[key, owners]],
  ),
)

/** Whether a key that an action does not own belongs to another key of the step, as `as` does to `foreach`. */
export const isBesideOwner = (key: string, has: (key: string) => boolean): boolean =>
  belongsTo[key]?.some((owner) => !isAction(owner) && has(owner)) === true

const isMap = ({ type, $ref }: JsonSchema): boolean =>
  type === 'object' || ($ref !== undefined && !/\/(?:duration|steps|value)$/.test($ref))

/** Keys whose value is a map. */
export const mapKeys: ReadonlySet<string> = new Set(
  declarations.flatMap(([, { keys }]) =>
    Object.entries(keys).flatMap(([name, { schema }]) => (isMap(schema) ? [name] : [])),
  ),
)
