import { SkillError } from 'tocsin/plugin'

const text = { type: 'string', minLength: 1, maxLength: 4000 } as const

export const commandsInput = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  description: 'Run in order: PutFile before RunScript before GetFile. If one fails, the others are skipped.',
  items: {
    type: 'object',
    required: ['type'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: ['PutFile', 'RunScript', 'GetFile'] },
      fileName: { ...text, description: 'For PutFile: a file of the tenant’s library.' },
      scriptName: { ...text, description: 'For RunScript: a script of the tenant’s library.' },
      args: {
        ...text,
        description:
          'For RunScript: its arguments. Do not pass text from alerts: the script decides how to read it.',
      },
      path: { ...text, description: 'For GetFile: a file on the machine.' },
    },
  },
} as const

export interface LiveResponseCommand {
  readonly type: 'PutFile' | 'RunScript' | 'GetFile'
  readonly fileName?: string | undefined
  readonly scriptName?: string | undefined
  readonly args?: string | undefined
  readonly path?: string | undefined
}

/** Parameters of each type in the order that the vendor requires; the first one is mandatory. */
const parameters = {
  PutFile: ['fileName'],
  RunScript: ['scriptName', 'args'],
  GetFile: ['path'],
} as const

const order = Object.keys(parameters)

/**
 * Converts the commands to the vendor's format.
 *
 * @throws SkillError `bad_commands`
 */
export function vendorCommands(commands: readonly LiveResponseCommand[]): readonly unknown[] {
  let reached = 0
  return commands.map((command, index) => {
    const { type, ...given } = command
    const place = order.indexOf(type)
    if (place < reached) throw badCommands(index, `${type} comes after ${order[reached]}`)
    reached = place
    const names: readonly string[] = parameters[type]
    const foreign = Object.keys(given).find((name) => !names.includes(name))
    if (foreign !== undefined) throw badCommands(index, `${type} takes no ${foreign}`)
    const [needed] = parameters[type]
    if (command[needed] === undefined) throw badCommands(index, `${type} needs ${needed}`)
    const params = parameters[type].flatMap((name) => {
      const value = command[name]
      return value === undefined ? [] : [{ key: vendorKey(name), value }]
    })
    return { type, params }
  })
}

const vendorKey = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

function badCommands(index: number, why: string): SkillError {
  return new SkillError('bad_commands', `commands[${index}]: ${why}`, {
    hint: 'first PutFile with fileName, then RunScript with scriptName and args, then GetFile with path',
  })
}
