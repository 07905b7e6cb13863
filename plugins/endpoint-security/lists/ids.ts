/** The vendor's id of a machine; names are not taken, since several machines may share one. */
export const machineId = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{40}$',
  patternErrorMessage: 'must be 40 hexadecimal digits, as list_machines gives it, not the name of a machine',
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

/** Where an action is. */
export const actionPath = (id: string): readonly string[] => ['api', 'machineactions', id]

/** Where a machine is, or something of it. Ids are in lower case there, and where lists are filtered by them. */
export const machinePath = (id: string, ...what: readonly string[]): readonly string[] => [
  'api',
  'machines',
  id.toLowerCase(),
  ...what,
]
