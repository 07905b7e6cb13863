import {
  bounds,
  maxPeople,
  personName,
  quorumWords,
  sinceWords,
  skillPattern,
  viaOperator,
} from '../language/constants.ts'
import { caseChanges } from '../../domain/case.ts'
import { phrases, shapes, type MapDeclaration } from '../language/key-table.ts'

const { reference, text, texts, map, condition, integer } = shapes
const { choices } = phrases

/** The keys of steps that wait for people or events; see `../language/step-keys.ts`. */
export const waitKeys = {
  checkpoint: {
    what: 'a checkpoint',
    description: 'Asks a person and waits for the answer.',
    keys: {
      via: {
        meaning:
          'a skill that sends the question, or `operator`: no message is sent, and an operator answers in the web page or API',
        schema: { type: 'string', anyOf: [{ const: viaOperator }, { pattern: skillPattern }] },
      },
      with: { meaning: 'the inputs of that skill; for `operator`: `message`, `labels`', schema: map },
      connection: {
        meaning: 'the connection name',
        default: 'the only connection of the plugin',
        schema: text,
      },
      ask: {
        meaning: `the people to ask, each with a question of their own, which sees them as \`${personName}\`; at most ${maxPeople}`,
        default: 'one person, whom `with` names',
        schema: { type: ['string', 'object', 'array'], minItems: 1, maxItems: maxPeople },
      },
      quorum: {
        meaning: `how many people must give the same answer: a number, or ${choices(quorumWords)} of those in \`ask\``,
        default: '`all`',
        schema: { anyOf: [integer(bounds.quorum), { enum: quorumWords }] },
        with: ['ask'],
      },
      veto: {
        meaning: 'an answer, or a list of answers, each of which decides alone',
        default: 'none',
        schema: { anyOf: [text, { ...texts, minItems: 1 }] },
        with: ['ask'],
      },
      escalate: {
        meaning: 'further people, each asked if there is no decision after a time',
        default: 'none',
        schema: { type: 'array', minItems: 1, items: reference('escalation') },
        with: ['ask'],
      },
      answers: { meaning: 'the list of possible answers', schema: { ...texts, minItems: 1 } },
      form: { meaning: 'a JSON Schema of the form to fill in, instead of `answers`', schema: map },
      timeout: { meaning: 'how long to wait', schema: { type: 'string', minLength: 2 } },
      on_timeout: {
        meaning:
          'the answer to use after the timeout, or if the answers of several people differ so that no decision is possible; or `fail`; for a form of several people, `continue`',
        default: '`fail`',
        schema: {},
      },
    },
    required: ['via', 'timeout'],
  },
  escalation: {
    what: 'an escalation',
    description: 'Further people to ask if there is no decision.',
    keys: {
      after: { meaning: 'how long after the first question', schema: reference('duration') },
      ask: {
        meaning: 'a person or a list',
        schema: { type: ['string', 'object', 'array'], minItems: 1, maxItems: maxPeople },
      },
    },
    required: ['after', 'ask'],
  },
  wait: {
    what: '`wait`',
    description: 'Waits until a time, or for an event.',
    keys: {
      until: { meaning: 'a time; a past time does not wait', schema: text },
      for: { meaning: 'the event to wait for', schema: reference('awaited_event') },
      where: {
        meaning: 'an expression without `${{ }}`; sees the `event`, which matches if it is true',
        default: '`true`',
        schema: condition,
        with: ['for'],
      },
      schema: {
        meaning: 'a JSON Schema of `event.data`; an alert with other content does not match; with `alert`',
        schema: map,
        with: ['for'],
      },
      since: {
        meaning: `the first event that counts: ${choices(sinceWords)}; \`run\` also takes alerts since the alert of the run, or since its start`,
        default: '`step`',
        schema: { enum: sinceWords, default: 'step' },
        with: ['for'],
      },
      timeout: {
        meaning: 'how long to wait for the event',
        schema: { type: 'string', minLength: 2 },
        with: ['for'],
      },
      on_timeout: {
        meaning: 'after the timeout: `fail` or `continue`',
        default: '`fail`',
        schema: { enum: ['fail', 'continue'], default: 'fail' },
        with: ['for'],
      },
    },
    rules: { oneOf: [{ required: ['until'] }, { required: ['for', 'timeout'] }] },
  },
  awaitedEvent: {
    what: 'an event',
    description: 'The event to wait for.',
    keys: {
      alert: { meaning: 'an alert of the organization', schema: reference('awaited_alert') },
      case: { meaning: 'a change of a case', schema: reference('awaited_case') },
    },
    rules: { oneOf: [{ required: ['alert'] }, { required: ['case'] }] },
  },
  awaitedAlert: {
    what: 'an awaited alert',
    description: 'Which alerts match.',
    keys: {
      type: {
        meaning: 'its type, or a list of types',
        default: 'any',
        schema: { type: ['string', 'array'] },
      },
      provider: { meaning: 'the code of its provider', default: 'any', schema: text },
    },
  },
  awaitedCase: {
    what: 'an awaited case',
    description: 'Which changes of which case match.',
    keys: {
      id: { meaning: 'its id, or `any`', default: 'the case of the run', schema: text },
      event: {
        meaning: `${choices(caseChanges)}, or a list of them`,
        default: 'every change',
        schema: {
          anyOf: [{ enum: caseChanges }, { type: 'array', minItems: 1, items: { enum: caseChanges } }],
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
