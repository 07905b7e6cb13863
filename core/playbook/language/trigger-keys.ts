import { caseEvents } from '../../domain/case.ts'
import { runEvents } from '../../domain/run.ts'
import { codePattern } from '../../domain/ids.ts'
import { observableKinds } from '../../plugin/index.ts'
import { defaultTimeZone } from '../../trigger/schedule.ts'
import { entityBounds, maxQuestionWaitMs } from '../../trigger/trigger-schema.ts'
import { phrases, shapes, type MapDeclaration } from './key-table.ts'

const { reference, text, map, condition, integer, oneOrMore } = shapes
const { duration, range, choices } = phrases

/** The keys of schedules and of events that start a playbook. */
export const triggerKeys = {
  caseTrigger: {
    what: 'a case trigger',
    description: 'The changes of cases that start the playbook. Its runs see the change as `trigger`.',
    keys: {
      event: {
        meaning: `${choices(caseEvents)}, or a list of them`,
        schema: oneOrMore({ enum: caseEvents }),
      },
      where: {
        meaning: 'only changes for which this expression over `trigger` is true',
        default: 'all',
        schema: condition,
      },
    },
    required: ['event'],
  },
  entityTrigger: {
    what: 'an entity trigger',
    description:
      'The observables in alerts that start the playbook. Its runs see the observable as `trigger`.',
    keys: {
      kind: {
        meaning: `${choices(observableKinds)}, or a list of them`,
        schema: oneOrMore({ enum: observableKinds }),
      },
      value: {
        meaning: 'an expression over the alert that gives the value, or null for alerts that do not count',
        default: 'the observables that Tocsin reads from the alert',
        schema: text,
      },
      times: {
        meaning: `the number of alerts that contain the observable, ${range(entityBounds.times)}`,
        schema: integer(entityBounds.times),
      },
      within: {
        meaning: `the time in which they arrive, at most ${duration(entityBounds.maxWithinMs)}`,
        default: duration(entityBounds.withinMs),
        schema: reference('duration'),
      },
      where: {
        meaning: 'only observables for which this expression over `trigger` is true',
        default: 'all',
        schema: condition,
      },
    },
    required: ['kind', 'times'],
  },
  webhookTrigger: {
    what: 'a webhook trigger',
    description: 'The requests that start the playbook. Its runs see the body as `trigger.body`.',
    keys: {
      body: {
        meaning: 'a JSON Schema of the body; other bodies are refused',
        default: 'any JSON',
        schema: map,
      },
      where: {
        meaning: 'only requests for which this expression over `trigger` is true',
        default: 'all',
        schema: condition,
      },
    },
  },
  questionTrigger: {
    what: 'a question trigger',
    description: 'The questions that start the playbook. Its runs see the question as `trigger`.',
    keys: {
      after: {
        meaning: `how long it has waited for an answer, at most ${duration(maxQuestionWaitMs)}`,
        default: 'none: when it is asked',
        schema: reference('duration'),
      },
      where: {
        meaning: 'only questions for which this expression over `trigger` is true',
        default: 'all',
        schema: condition,
      },
    },
  },
  runTrigger: {
    what: 'a run trigger',
    description: 'What happens to runs and starts the playbook. Its runs see it as `trigger`.',
    keys: {
      event: {
        meaning: `${choices(runEvents)} (a step has an unknown outcome), or a list of them`,
        schema: oneOrMore({ enum: runEvents }),
      },
      where: {
        meaning: 'only runs for which this expression over `trigger` is true',
        default: 'all',
        schema: condition,
      },
    },
    required: ['event'],
  },
  schedule: {
    what: 'a schedule',
    description: 'When the playbook runs.',
    keys: {
      cron: {
        meaning: '`minute hour day month weekday`, optionally with `second` in front',
        schema: text,
      },
      timezone: {
        meaning: 'time zone of `cron`, such as `Europe/Berlin`',
        default: '`UTC`',
        schema: { type: 'string', maxLength: 64, default: defaultTimeZone },
      },
      organizations: {
        meaning: 'organization codes',
        default: 'all',
        schema: { type: 'array', items: { type: 'string', pattern: codePattern } },
      },
      inputs: { meaning: 'inputs of the runs', schema: map },
      overlap: {
        meaning: '`true`: start a run while the previous one is still running',
        default: '`false`',
        schema: { type: 'boolean', default: false },
      },
    },
    required: ['cron'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
