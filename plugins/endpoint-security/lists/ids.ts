/** The vendor's machine id. Names are not accepted, since several machines may share one. */
export const machineId = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{40}$',
  patternErrorMessage:
    'must be 40 hexadecimal digits, as returned by list_machines, not the name of a machine',
  description:
    'Id of the machine, 40 hexadecimal digits. Not its name: several machines may share one; list_machines finds the id.',
} as const

export const alertId = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$',
  patternErrorMessage:
    "must be at most 200 letters, digits, '_', '.' and '-', beginning with a letter or digit",
  description: 'Id of the alert, e.g. da637472900382838869_1364969609.',
} as const

export const actionId = {
  ...alertId,
  description:
    'Id of the action, as `action.id` of the step that queued it, e.g. 2e9da30d-27f6-4208-81f2-9cd3d67893ba.',
} as const

/** Path of an action. */
export const actionPath = (id: string): readonly string[] => ['api', 'machineactions', id]

/** Path of a machine or of a resource below it. Ids are lower case there and in filters. */
export const machinePath = (id: string, ...what: readonly string[]): readonly string[] => [
  'api',
  'machines',
  id.toLowerCase(),
  ...what,
]
