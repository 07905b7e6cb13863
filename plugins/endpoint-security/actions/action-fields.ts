import type { Infer, InterfaceInput, InterfaceOutput } from 'tocsin/plugin'
import { machineActionSchema } from '../records/machine-action.ts'

export const commentField = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  'x-message': true,
  description:
    'The reason, shown with the action in the portal, followed by a reference to the step, such as [tocsin:0123456789abcdef].',
} as const

export const waitSeconds = {
  type: 'integer',
  minimum: 0,
  maximum: 3600,
  default: 0,
  description:
    'How long to wait for the action to end; 0 only queues it. Prefer this to repeating the step. The wait ends 10 s before the ' +
    'step’s timeout, which is 1m by default: give the step a longer `timeout`.',
} as const

/** Output fields of every action. */
export const actionFields = {
  action: machineActionSchema,
  adopted: {
    type: 'boolean',
    description:
      'An equivalent action was already pending, or the machine was already isolated or released; no other action was queued.',
  },
  finished: {
    type: 'boolean',
    description: 'The action succeeded. False: it is still pending.',
  },
} as const

export const actionOutput = {
  type: 'object',
  additionalProperties: false,
  required: ['action', 'adopted', 'finished'],
  properties: actionFields,
} as const

/** How an action implements the interfaces that act on a machine. */
export const actsOnMachine = {
  input: ({ machine, comment }: InterfaceInput<'isolate_machine'>) => ({ id: machine.id, comment }),
  output: ({ action, finished }: Infer<typeof actionOutput>): InterfaceOutput<'isolate_machine'> => ({
    status: finished ? 'done' : 'pending',
    reference: action.id,
  }),
}
