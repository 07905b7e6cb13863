import { machineActionSchema } from '../records/machine-action.ts'

export const comment = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  'x-message': true,
  description:
    'Why: stands in the portal beside the action, with a mark of the step behind it, such as [tocsin:0123456789abcdef].',
} as const

export const waitSeconds = {
  type: 'integer',
  minimum: 0,
  maximum: 3600,
  default: 0,
  description:
    'How long to wait for the end of the action; 0: it is only queued. Better than to repeat the step. The wait ends 10 s before the ' +
    'step’s timeout, 1m if not said otherwise: give the step a longer `timeout`.',
} as const

/** What every action gives. */
export const actionFields = {
  action: machineActionSchema,
  adopted: {
    type: 'boolean',
    description:
      'Such an action was under way already, or the machine was isolated or released by it already; it was taken instead of queueing another one.',
  },
  finished: {
    type: 'boolean',
    description: 'The action has succeeded. False: it is still pending, or nobody waited for it.',
  },
} as const

export const actionOutput = {
  type: 'object',
  additionalProperties: false,
  required: ['action', 'adopted', 'finished'],
  properties: actionFields,
} as const
