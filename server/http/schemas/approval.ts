/** Of an answer. */
export const refusedItemsSchema = {
  type: 'array',
  items: { type: 'integer', minimum: 0 },
  description: 'Of an approval of several actions: the places of the refused ones in `input.inputs`, from 0.',
} as const

const approvers = (description: string) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['roles', 'keys', 'accounts'],
    properties: {
      roles: { type: 'array', items: { type: 'string' } },
      keys: { type: 'array', items: { type: 'string' }, description: 'Public ids of API keys.' },
      accounts: { type: 'array', items: { type: 'string' }, description: 'Uuids of accounts.' },
    },
    description,
  }) as const

/** The approval of a destructive action, in a checkpoint. */
export const approvalSchema = {
  description:
    'Of an approval of a destructive action: who must approve, and what exactly; null for another question.',
  anyOf: [
    { type: 'null' },
    {
      type: 'object',
      additionalProperties: false,
      required: ['rule', 'needed', 'missing', 'approved', 'by', 'escalation', 'connection', 'input_hash'],
      properties: {
        rule: {
          anyOf: [
            { type: 'null' },
            {
              type: 'object',
              additionalProperties: false,
              required: ['place', 'name'],
              properties: {
                place: { type: 'integer', minimum: 1, description: 'Place in the list of rules, from 1.' },
                name: { type: ['string', 'null'] },
              },
            },
          ],
          description:
            'The approval rule as it was when the question was asked; null: only the hourly limit requires the approval.',
        },
        needed: { type: 'integer', minimum: 1, description: 'Number of people who must approve.' },
        missing: { type: 'integer', minimum: 0, description: 'How many of them have not approved yet.' },
        approved: {
          type: 'array',
          description: 'The approvals that count.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['actor', 'at', 'refused_items'],
            properties: {
              actor: {
                type: 'object',
                additionalProperties: false,
                required: ['kind', 'id', 'name'],
                properties: {
                  kind: { enum: ['account', 'api_key', 'person'] },
                  id: { type: 'string', description: 'Uuid of the account, or public id of the API key.' },
                  name: { type: 'string', description: 'Display name.' },
                },
              },
              at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
              refused_items: refusedItemsSchema,
            },
          },
        },
        by: approvers('Who may approve; all lists empty: anyone who may answer questions.'),
        escalation: {
          anyOf: [
            { type: 'null' },
            {
              type: 'object',
              additionalProperties: false,
              required: ['at', 'by'],
              properties: {
                at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
                by: approvers('Who may also approve from then on.'),
              },
            },
          ],
        },
        connection: {
          type: ['string', 'null'],
          description: 'Name of the connection that the action uses; null: none, or not known.',
        },
        input_hash: {
          type: 'string',
          description:
            'Digest of the exact inputs, the skill and the connection. If any of them changes, the approval does not hold.',
        },
      },
    },
  ],
} as const
