import { approvalSchema, refusedItemsSchema } from './approval.ts'

/** A question in answers of the API. */
export const apiCheckpointSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'checkpoint.schema.json',
  title: 'Checkpoint',
  description: 'A checkpoint: a question of a run to a person.',
  type: 'object',
  additionalProperties: false,
  required: [
    'checkpoint_id',
    'run_uuid',
    'organization_code',
    'playbook',
    'alert_id',
    'case_id',
    'case_title',
    'path',
    'step_id',
    'kind',
    'via',
    'connection',
    'input',
    'asked',
    'asked_name',
    'answers',
    'form',
    'group',
    'consequences',
    'reference',
    'state',
    'created_at',
    'timeout_at',
    'on_timeout',
    'answer',
    'approval',
  ],
  properties: {
    checkpoint_id: { type: 'string', description: 'Unguessable id.' },
    run_uuid: { type: 'string', format: 'uuid', description: 'Uuid of the waiting run.' },
    organization_code: { type: 'string' },
    playbook: { type: 'string', description: 'Name of the playbook that asks.' },
    alert_id: { type: ['string', 'null'], description: 'The alert under investigation.' },
    case_id: { type: ['string', 'null'], description: 'The case of the run.' },
    case_title: { type: ['string', 'null'], description: 'Title of that case.' },
    path: { type: 'string', description: 'Path of the step in the run.' },
    step_id: { type: ['string', 'null'], description: 'Id of the step in the playbook.' },
    kind: {
      type: 'string',
      description:
        'Questions of one kind and organization can be answered together. approval:<skill> or <playbook>:<step>.',
    },
    via: { type: 'string', description: 'The skill that asked, or operator if no message was sent.' },
    connection: {
      type: ['string', 'null'],
      description: 'Name of the connection over which it was sent; null before that, and for operators.',
    },
    input: { description: 'Input of the skill, such as the message.' },
    asked: {
      type: ['string', 'null'],
      description:
        "The other system's id of the only person who may answer there; null until the question is sent, and for operators. API keys with permission can always answer.",
    },
    asked_name: {
      type: ['string', 'null'],
      description: 'Display name, such as an e-mail address, if the skill that asked provided it.',
    },
    answers: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['value', 'label'],
        properties: {
          value: { type: 'string', description: 'The answer.' },
          label: {
            type: 'string',
            description: 'Display text; the answer itself if it has no label.',
          },
        },
      },
      description: 'The possible answers; null for a form.',
    },
    form: {
      type: ['object', 'null'],
      description: 'JSON Schema of the form; null for a choice of answers.',
    },
    group: {
      description: 'The questions to several people that decide together; null if this one decides alone.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['path', 'people', 'quorum', 'veto', 'answered'],
          properties: {
            path: { type: 'string', description: 'Path of the step that asks all of them.' },
            people: { type: 'integer', description: 'Number of people.' },
            quorum: { type: 'integer', description: 'Number of people who must give the same answer.' },
            veto: { type: 'array', items: { type: 'string' }, description: 'Answers that decide alone.' },
            answered: {
              type: 'array',
              description: 'The answers that count so far.',
              items: {
                type: 'object',
                additionalProperties: false,
                required: ['checkpoint_id', 'label', 'by', 'by_name', 'at'],
                properties: {
                  checkpoint_id: { type: 'string' },
                  label: {
                    type: ['string', 'null'],
                    description: 'Display text of the answer; null for a form.',
                  },
                  by: {
                    type: 'string',
                    description: "The other system's id of the person, or the name of an API key.",
                  },
                  by_name: { type: ['string', 'null'], description: 'Display name, if it is known.' },
                  at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
                },
              },
            },
          },
        },
      ],
    },
    consequences: {
      type: ['array', 'null'],
      description:
        'Destructive actions that may follow each answer; null if unknown or if the question has ended.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['answer', 'actions'],
        properties: {
          answer: {
            description: 'One of the answers, or the answer after a timeout; null for any value of a form.',
          },
          actions: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['step_id', 'skill', 'title', 'class'],
              properties: {
                step_id: { type: ['string', 'null'] },
                skill: { type: 'string' },
                title: { type: 'string', description: 'Title of the skill.' },
                class: { enum: ['containment', 'blocking', 'deletion', 'execution'] },
              },
            },
          },
        },
      },
    },
    reference: {
      description: 'Output of the skill that asked, such as a message id; null before that.',
    },
    state: {
      enum: ['waiting', 'answered', 'timed_out', 'withdrawn', 'decided'],
      description: 'withdrawn: the run no longer waits. decided: the answers of other people decided first.',
    },
    created_at: { type: 'integer', minimum: 0, description: 'When it was asked (epoch milliseconds).' },
    timeout_at: {
      type: 'integer',
      minimum: 0,
      description: 'Later answers do not count (epoch milliseconds).',
    },
    on_timeout: {
      description: 'What happens to the step after the timeout; null if unknown.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['fails', 'answer'],
          properties: {
            fails: { type: 'boolean', description: 'The step fails.' },
            answer: { description: 'Otherwise, it continues with this answer.' },
          },
        },
      ],
    },
    approval: approvalSchema,
    answer: {
      description: 'The accepted answer; null if there is none.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['value', 'label', 'by', 'by_name', 'actor', 'text', 'refused_items', 'at'],
          properties: {
            value: { description: 'One of the answers, or the value of the form.' },
            label: {
              type: ['string', 'null'],
              description: 'Display text of the answer; null for a form.',
            },
            by: {
              type: 'string',
              description:
                "The responder: the other system's id of the person, or the name of an API key, which can be anything.",
            },
            by_name: {
              type: ['string', 'null'],
              description: 'Display name, such as an e-mail address, if the skill that asked provided it.',
            },
            actor: {
              type: 'object',
              additionalProperties: false,
              required: ['kind', 'id', 'name'],
              properties: {
                kind: {
                  enum: ['account', 'api_key', 'person'],
                  description: 'Only a person can be the one who was asked.',
                },
                id: {
                  type: 'string',
                  description: "Public id of the API key, or the other system's id of the person.",
                },
                name: { type: 'string', description: 'Display name.' },
              },
            },
            text: { type: ['string', 'null'], description: 'Their comment.' },
            refused_items: refusedItemsSchema,
            at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
          },
        },
      ],
    },
  },
} as const
